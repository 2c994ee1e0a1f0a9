package browser

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// enter is a JavaScript function that enters records into the calculator of a page, and returns the lines of each
// result. A record maps the names of columns to the values to enter.
const enter = `(records => records.map(record => {
	const form = document.getElementById("calculator");
	form.reset();
	for (const label of form.querySelectorAll("label[for^=field]")) {
		const control = document.getElementById(label.htmlFor), value = record[label.textContent.replaceAll(" ", "_")];
		if (control.tagName === "SELECT") control.selectedIndex = [...control.options].findIndex(o => o.text === value);
		else control.value = value;
	}
	form.dispatchEvent(new Event("input", { bubbles: true }));
	const lines = document.querySelectorAll("#result p");
	return lines.length > 0 ? [...lines].map(p => p.textContent) : [document.getElementById("result").textContent];
}))(%s)`

// tableOf reads a CSV file. It returns a map from columns to values for each row.
func tableOf(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range all[1:] {
		row := map[string]string{}
		for i, column := range all[0] {
			row[column] = fields[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// For a thousand records, the results of the calculator of a page equal those of sibyl predict.
func TestCalculator(t *testing.T) {
	const records = 1000
	directory := t.TempDir()
	run := commandIn(t, directory)
	for _, name := range []string{"hospital.csv", "hospital.toml"} {
		text, err := os.ReadFile(filepath.Join("../cmd/sibyl/sample", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(directory, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := browse(t, nil)
	rows := tableOf(t, filepath.Join(directory, "hospital.csv"))[:records]
	for _, row := range rows { // replace values by the categories of the schema
		switch row["diagnosis"] {
		case "heart", "lung":
			row["diagnosis"] = "heart or lung"
		case "surgery":
		default:
			row["diagnosis"] = "anything else"
		}
	}
	for _, class := range []string{"scorecard", "tree", "ranked-tree"} {
		model, predicted := class+".json", class+".csv"
		run("learn", class, "--data", "hospital.csv", "--schema", "hospital.toml", "--epsilon", "2", "--insecure-seed", "3", "--out", model)
		run("predict", "--model", model, "--data", "hospital.csv", "--out", predicted)
		run("show", model, "--html", class+".html")
		b.run(chromedp.Navigate("file://" + filepath.Join(directory, class+".html")))
		var results [][]string
		b.run(chromedp.Evaluate(fmt.Sprintf(enter, quoted(rows)), &results))
		missing := 0
		for i, want := range tableOf(t, filepath.Join(directory, predicted))[:records] {
			if want["prediction"] == "" {
				missing++
				if !strings.HasPrefix(results[i][0], "Still missing: ") {
					t.Errorf("%s, row %d has no prediction, and the page says %q", class, i+1, results[i])
				}
				continue
			}
			given := strings.HasPrefix(results[i][0], "Bonus: +")
			if class == "ranked-tree" && (given != (want["prediction"] == "1") || !given && results[i][0] != "Bonus: 0") {
				t.Errorf("row %d with the prediction %s: the page states %q, but the bonus decides", i+1, want["prediction"], results[i])
			}
			if !agrees(want, results[i]) {
				t.Errorf("%s, row %d: the command says %v, and the page %q", class, i+1, want, results[i])
			}
		}
		if missing == 0 || missing == records {
			t.Errorf("%s: %d of %d rows have no prediction", class, missing, records)
		}
	}
}

// agrees reports whether the lines of a result contain the numbers of the prediction want.
func agrees(want map[string]string, lines []string) bool {
	outcome := map[string]string{"0": "no", "1": "yes"}[want["prediction"]]
	if !slices.Contains(lines, "Prediction: "+outcome) {
		return false
	}
	if leaf, of := want["leaf"]; of && !slices.Contains(lines, "Leaf: "+leaf) {
		return false
	}
	if total, of := want["points"]; of {
		signed := strings.Replace(total, "-", "−", 1)
		if total != "0" && signed == total {
			signed = "+" + total
		}
		if !slices.Contains(lines, "Total: "+signed) {
			return false
		}
	}
	_, text, _ := strings.Cut(lines[len(lines)-1], ": ")
	if text == "too few people to say" {
		return true
	}
	percent, _, _ := strings.Cut(text, " ")
	stated, err := strconv.ParseFloat(percent, 64)
	risk, wrong := strconv.ParseFloat(want["risk"], 64)
	unit := 1.
	if strings.Contains(percent, ".") {
		unit = 0.1
	}
	return err == nil && wrong == nil && math.Abs(stated-100*risk) <= unit/2+0.005+1e-9
}
