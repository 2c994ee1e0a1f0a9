package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// answers returns a table of questions with four answers each and a label, and its schema.
func answers(questions, rows int) (data, schema string) {
	all := []string{"never", "seldom", "often", "always"}
	var names, record []string
	var domain, records strings.Builder
	domain.WriteString("name = \"Questions\"\n[label]\ncolumn = \"y\"\npositive = [\"yes\"]\nnegative = [\"no\"]\n")
	for i := range questions {
		names = append(names, fmt.Sprintf("question %d", i+1))
		fmt.Fprintf(&domain, "[[attribute]]\ncolumn = %q\nvalues = [\"never\", \"seldom\", \"often\", \"always\"]\n", names[i])
	}
	for row := range rows {
		record = record[:0]
		for i := range questions {
			record = append(record, all[(row*(2*i+1)/3+row*row/7)%len(all)])
		}
		label := map[bool]string{false: "no", true: "yes"}[record[0] == "always" || record[1] == "often"]
		records.WriteString(strings.Join(append(record, label), ",") + "\n")
	}
	return strings.Join(append(names, "y"), ",") + "\n" + records.String(), domain.String()
}

var pdfPage = regexp.MustCompile(`/Type\s*/Page\b`)

// The pages of models of the demonstration and of a card of 20 columns are printed on at most two sheets of A4. The seed
// is fixed, because a tree with more leaves needs a third sheet.
func TestPrinted(t *testing.T) {
	directory := t.TempDir()
	wide, schema := answers(20, 5000)
	for name, text := range map[string]string{"wide.csv": wide, "wide.toml": schema} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := browse(t, nil)
	run := commandIn(t, directory)
	sample, err := filepath.Abs("../cmd/sibyl/sample")
	if err != nil {
		t.Fatal(err)
	}
	hospital := filepath.Join(sample, "hospital")
	for _, m := range []struct{ table, rows, class string }{
		{hospital, "2000", "scorecard"}, {hospital, "2000", "decision-list"}, {hospital, "2000", "tree"}, {hospital, "2000", "ranked-tree"},
		{"wide", "5000", "naive-bayes"}, {"wide", "5000", "card-or-tree"}, {"wide", "5000", "ranked-tree"},
	} {
		run("learn", "--data", m.table+".csv", "--schema", m.table+".toml", "--class", m.class, "--rows", m.rows, "--epsilon", "1", "--insecure-seed", "1", "--out", "model.json", "--force")
		run("show", "model.json", "--html", "model.html", "--force")
		var pdf []byte
		b.run(chromedp.Navigate("file://"+filepath.Join(directory, "model.html")), chromedp.ActionFunc(func(ctx context.Context) (err error) {
			pdf, _, err = page.PrintToPDF().WithPreferCSSPageSize(true).Do(ctx)
			return err
		}))
		sheets := len(pdfPage.FindAll(pdf, -1))
		if t.Logf("%s of %s: %d sheets", m.class, filepath.Base(m.table), sheets); sheets < 1 || sheets > 2 {
			t.Errorf("the page of the %s is printed on %d sheets", m.class, sheets)
		}
	}
}
