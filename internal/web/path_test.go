package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/export"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/privacy"
	_ "modernc.org/sqlite"
)

// fields encodes a form.
func fields(pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

// show requests a page, which must be answered.
func (c *client) show(page string) string {
	c.t.Helper()
	a := c.send(c.get(page))
	if a.status != 200 {
		c.t.Fatalf("%s has the status %d: %s", page, a.status, textOf(a.body))
	}
	return a.body
}

// do sends a form, which must be answered with a redirection, and returns the page to which this leads.
func (c *client) do(page string, pairs ...string) string {
	c.t.Helper()
	a := c.send(c.post(page, fields(pairs...)))
	if a.status != 303 {
		c.t.Fatalf("%s has the status %d: %s", page, a.status, textOf(a.body))
	}
	return strings.TrimPrefix(a.header.Get("Location"), c.base)
}

// refused sends a form, which must be refused with a page that contains the text want.
func (c *client) refused(want, page string, pairs ...string) {
	c.t.Helper()
	before := c.state()
	a := c.send(c.post(page, fields(pairs...)))
	if a.status < 400 || !strings.Contains(textOf(a.body), want) {
		c.t.Errorf("%s %v has the status %d: %.300s, want %q", page, pairs, a.status, textOf(a.body), want)
	}
	if c.state() != before {
		c.t.Errorf("%s %v changed a file", page, pairs)
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// textOf returns the main text of a page.
func textOf(page string) string {
	if _, main, found := strings.Cut(page, "<main"); found {
		page = main
	}
	return strings.Join(strings.Fields(tags.ReplaceAllString(page, " ")), " ")
}

// released makes a release, waits until it has ended and returns the page that then follows.
func (c *client) released(form ...string) string {
	c.t.Helper()
	confirm := c.do("review", form...)
	if !strings.Contains(c.show(confirm), "Spend this and release") {
		c.t.Fatal("the release is not reviewed")
	}
	return c.ended(c.do("start", "ticket", strings.TrimPrefix(confirm, "confirm?ticket=")))
}

// ended waits for a job and returns the page that follows it.
func (c *client) ended(job string) string {
	c.t.Helper()
	for range 600 {
		if c.show(strings.Replace(job, "job?", "job-state?", 1)) == "ended" {
			a := c.send(c.get(job))
			if a.status != 303 {
				c.t.Fatalf("the release ended with %d: %s", a.status, textOf(a.body))
			}
			return strings.TrimPrefix(a.header.Get("Location"), c.base)
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.t.Fatal("the release does not end")
	return ""
}

var modelForm = []string{"what", "model", "class", "conjunction", "data", "hospital.csv", "schema", "hospital.toml", "ledger", "clinic.db", "epsilon", "0.5", "delta", "1e-9", "rows", "2000", "pad", "", "file", "model.json", "model", ""}

// with returns a copy of the form in which the given fields have other values.
func with(form []string, pairs ...string) []string {
	form = append([]string(nil), form...)
	for i := 0; i < len(pairs); i += 2 {
		for j := 0; j < len(form); j += 2 {
			if form[j] == pairs[i] {
				form[j+1] = pairs[i+1]
			}
		}
	}
	return form
}

// ready names the data and opens a ledger.
func (c *client) ready() {
	c.t.Helper()
	c.do("data", "location", "hospital.csv")
	c.do("ledger-open", "of", "patients", "rows-of-person", "1", "relation", "replace", "synthetic", "yes", "delta", "1e-6", "epsilon", "3", "file", "clinic.db")
}

// charge records a release of a small ε with the given description in the ledger.
func (c *client) charge(description string) {
	c.t.Helper()
	a, err := account.Open(context.Background(), filepath.Join(c.directory, "clinic.db"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer a.Close()
	epsilon, err := privacy.ParseDecimal("0.01")
	if err != nil {
		c.t.Fatal(err)
	}
	g, err := (&privacy.Statement{Epsilon: epsilon, Relation: privacy.ReplaceOne}).Basis()
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := a.Reserve(context.Background(), account.Entry{Description: json.RawMessage(description), Guarantee: g}); err != nil {
		c.t.Fatal(err)
	}
}

// statement returns the statement of the ledger.
func (c *client) statement() *account.Statement {
	c.t.Helper()
	a, err := account.Open(context.Background(), filepath.Join(c.directory, "clinic.db"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer a.Close()
	s, err := a.Statement(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// entries returns the number of entries of the ledger, and of those that are settled.
func (c *client) entries() (all, settled int) {
	c.t.Helper()
	s := c.statement()
	for _, e := range s.Entries {
		if e.SHA256 != "" {
			settled++
		}
	}
	return len(s.Entries), settled
}

// settledWith checks that the digest of the last entry of the ledger is that of the file alone.
func (c *client) settledWith(file string) {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.directory, file))
	if err != nil {
		c.t.Fatal(err)
	}
	entries := c.statement().Entries
	if got, want := entries[len(entries)-1].SHA256, fmt.Sprintf("%x", sha256.Sum256(text)); got != want {
		c.t.Errorf("the last entry has the digest %s, want %s of %s", got, want, file)
	}
}

// examples checks that plans lead to examples on generated rows, which change no file.
func (c *client) examples() {
	c.t.Helper()
	before := c.state()
	plan := c.show("plan?schema=hospital.toml&rows=2000&slider=1&epsilon=0.5&what=model&class=conjunction")
	links := regexp.MustCompile(`href="[^"]*/(example\?[^"]*)"`).FindAllStringSubmatch(plan, -1)
	if len(links) != 2 {
		c.t.Fatalf("the plan has %d examples", len(links))
	}
	next := regexp.MustCompile(`href="[^"]*/(release\?[^"]*)"`).FindStringSubmatch(plan)
	if next == nil {
		c.t.Fatal("the plan does not lead to a release")
	}
	for _, want := range []string{`name="rows" value="2000"`, `name="epsilon" value="1"`, `name="class" value="conjunction"`, `value="hospital.toml" selected`} {
		if form := c.show(html.UnescapeString(next[1])); !strings.Contains(form, want) {
			c.t.Errorf("the form of the planned release lacks %s", want)
		}
	}
	for _, link := range links {
		page := textOf(c.show(html.UnescapeString(link[1])))
		for _, want := range []string{"Made-up data.", "2000 rows were generated", "A conjunction from made-up rows", "MADE-UP DATA", "This conjunction predicts"} {
			if !strings.Contains(page, want) {
				c.t.Errorf("the example lacks %s: %s", want, page)
			}
		}
	}
	for example, want := range map[string]string{
		"rows=1000000000&epsilon=0.1&class=naive-bayes": "1000000000 rows were generated",
		"rows=2000&epsilon=1&class=no":                  "is not a known class",
		"rows=2000&epsilon=0&class=":                    "There is no example: ε",
	} {
		if page := textOf(c.show("example?schema=hospital.toml&" + example)); !strings.Contains(page, want) {
			c.t.Errorf("the example %s is %s", example, page)
		}
	}
	for _, example := range []string{"rows=2000&epsilon=x", "rows=2000", "rows=&epsilon=1"} {
		if a := c.send(c.get("example?schema=hospital.toml&" + example)); a.status != 422 || strings.Contains(a.body, "made-up rows, at") {
			c.t.Errorf("the example %s has the status %d", example, a.status)
		}
	}
	if c.state() != before {
		c.t.Error("an example changed a file")
	}
}

// TestPath goes through all pages, from a table to a model, synthetic data and exports.
func TestPath(t *testing.T) {
	c := run(t)
	c.ready()
	edit := c.do("schema-new", "from", "header", "declare", "yes", "file", "new", "title", "New", "public", "me")
	if page := c.show(edit); !strings.Contains(page, `name="c6.kind"`) || !strings.Contains(page, "back_within_month") {
		t.Fatalf("the new schema is %s", textOf(page))
	}
	version := regexp.MustCompile(`name="version" value="([^"]+)"`)
	form := []string{"file", "new.toml", "version", version.FindStringSubmatch(c.show(edit))[1], "title", "New", "public", "me", "columns", "4",
		"c0.name", "age", "c0.kind", "number", "c0.cuts", "40, 60", "c0.least", "0", "c0.most", "120", "c0.whole", "yes",
		"c1.name", "admission", "c1.kind", "category", "c1.values", "planned\nin haste := emergency | transfer", "c1.other", "unknown", "c1.missing", "NA\n-9",
		"c2.name", "back_within_month", "c2.kind", "label", "c2.positive", "yes", "c2.negative", "no",
		"c3.name", "days", "c3.kind", "drop"}
	edit = c.do("schema-form", form...)
	text, err := os.ReadFile(filepath.Join(c.directory, "new.toml"))
	if err != nil || !strings.Contains(string(text), "cuts = [40, 60]") || strings.Contains(string(text), "days") || !strings.Contains(string(text), `"in haste" = ["emergency", "transfer"]`) {
		t.Errorf("the form gives %s", text)
	}
	if page := c.show(edit); !strings.Contains(page, "This schema is complete") || !strings.Contains(page, "in haste := emergency | transfer") {
		t.Errorf("the schema is shown as %s", textOf(page))
	}
	c.refused("another tab", "schema-form", form...)
	for _, plan := range []string{"plan", "plan?schema=hospital.toml&rows=2000&epsilon=0.1,1&what=model&class=", "plan?schema=hospital.toml&rows=2000&epsilon=1&what=synthetic&delta=1e-9", "plan?schema=hospital.toml&rows=2000&epsilon=1&what=model&class=scorecard"} {
		c.show(plan)
	}
	for plan, want := range map[string]string{
		"&slider=1.5&what=model":            "A model at ε = 1.5",
		"&slider=0.5&what=synthetic":        "Synthetic data at ε = 0.5",
		"&slider=0.6&what=synthetic":        " for a bin within an interval, ± ",
		"&slider=1&what=model&class=no":     "not a known class",
		"&slider=2&epsilon=1&what=model":    "What a model can be",
		"&slider=2&what=synthetic&delta=0":  "δ",
		"&slider=2&what=model&class=parity": "parity",
	} {
		if page := textOf(c.show("plan?schema=hospital.toml&rows=2000" + plan)); !strings.Contains(page, want) {
			t.Errorf("the plan %s is %s", plan, page)
		}
	}
	c.examples()
	result := c.released(modelForm...)
	if page := c.show(result); !strings.Contains(page, "Differentially private") {
		t.Errorf("the result is %s", textOf(page))
	}
	if page := c.show("page?file=model.json"); !strings.Contains(page, "</html>") {
		t.Error("there is no page of the model")
	}
	for _, f := range export.Formats {
		if a := c.send(c.get("export?file=model.json&format=" + f.Name + "&dialect=sqlite&table=data")); a.status != 200 || a.header.Get("Content-Disposition") != "attachment; filename=model"+f.Ending {
			t.Errorf("%s: %d %s", f.Name, a.status, textOf(a.body))
		}
	}
	c.evaluate("model.json")
	c.released(with(modelForm, "what", "synthetic", "file", "synthetic.json", "epsilon", "1")...)
	if page := c.show("page?file=synthetic.json"); !strings.Contains(page, "</html>") {
		t.Error("there is no page of the synthetic data")
	}
	c.drawMore("synthetic.json")
	page := textOf(c.show("results"))
	for _, want := range []string{"model.json", "evaluation.json", "synthetic.csv and synthetic.json", "conjunction", "histogram"} {
		if !strings.Contains(page, want) {
			t.Errorf("the results do not have %s: %s", want, page)
		}
	}
	if page := textOf(c.show("budget")); !strings.Contains(page, "or synthetic data with δ = ") || strings.Contains(page, "not published") {
		t.Errorf("the budget is %s", page)
	}
	if a := c.send(c.post("ledger-verify", "file=clinic.db")); !strings.Contains(a.body, "are correct. Entries: 3") {
		t.Errorf("the ledger is not verified: %s", textOf(a.body))
	}
	job := c.do("check", "file", "hospital.toml")
	for c.show(strings.Replace(job, "job?", "job-state?", 1)) != "ended" {
		time.Sleep(10 * time.Millisecond)
	}
	if page := textOf(c.show(job)); !strings.Contains(page, "curator") || !strings.Contains(page, "2000 rows") {
		t.Errorf("the check is %s", page)
	}
	if page := textOf(c.send(c.get(job)).body); strings.Contains(page, "2000 rows") {
		t.Error("the check is shown twice")
	}
}

// evaluate releases an evaluation of the model, and checks its pages.
func (c *client) evaluate(model string) {
	c.t.Helper()
	if page := c.show("result?file=" + model); !strings.Contains(page, "release?what=evaluation&amp;model="+model) {
		c.t.Errorf("the page of the model does not lead to an evaluation: %s", textOf(page))
	}
	if page := c.show("release?what=evaluation&model=" + model + "&file=evaluation.json"); !strings.Contains(page, `value="evaluation" checked`) || !strings.Contains(page, `<option value="`+model+`" selected>`) {
		c.t.Errorf("the form does not evaluate the model: %s", textOf(page))
	}
	form := with(modelForm, "what", "evaluation", "model", model, "file", "evaluation", "epsilon", "0.5")
	c.refused("choose the model", "review", with(form, "model", "")...)
	c.refused("cannot be read", "review", with(form, "model", "none.json")...)
	c.refused("the name", "review", with(form, "model", "../"+model)...)
	result := c.released(form...)
	if page := textOf(c.show(result)); !strings.Contains(page, "sensitivity") || !strings.Contains(page, "Differentially private") {
		c.t.Errorf("the evaluation is %s", page)
	}
	c.settledWith("evaluation.json")
	if page := c.show("page?file=evaluation.json"); !strings.Contains(page, "</html>") || !strings.Contains(page, "predicted yes") {
		c.t.Errorf("the page of the evaluation is %s", textOf(page))
	}
	c.refused("does not predict", "review", with(form, "model", "evaluation.json", "file", "second")...)
	path := filepath.Join(c.directory, model)
	if err := os.Rename(path, path+".away"); err != nil {
		c.t.Fatal(err)
	}
	if a := c.send(c.get("result?file=evaluation.json")); a.status != 422 || !strings.Contains(a.body, "is not in the directory") {
		c.t.Errorf("an evaluation without its model has the status %d: %s", a.status, textOf(a.body))
	}
	if err := os.Rename(path+".away", path); err != nil {
		c.t.Fatal(err)
	}
}

// A model for a label of more than two classes can be evaluated. The names of the classes are hostile, since they
// contain HTML.
func TestEvaluationOfClasses(t *testing.T) {
	c := run(t)
	c.ready()
	if err := os.WriteFile(filepath.Join(c.directory, "three.toml"), []byte(`name = "<script>"
[label]
column = "admission"
groups = { "<b>planned" = ["planned"], emergency = ["emergency"], transfer = ["transfer"] }
[[attribute]]
column = "diagnosis"
values = ["heart", "lung", "surgery"]
other = "<i>other"
[[attribute]]
column = "lives_alone"
values = ["no", "yes"]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	c.released(with(modelForm, "schema", "three.toml", "class", "tree --depth 1")...)
	c.released(with(modelForm, "what", "evaluation", "model", "model.json", "file", "evaluation.json")...)
	page := c.show("page?file=evaluation.json")
	for _, want := range []string{"predicted &lt;b&gt;planned", "precision", "Evaluation: &lt;script&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s: %s", want, textOf(page))
		}
	}
	for _, code := range []string{"<script>", "<b>planned", "<i>other"} {
		if strings.Contains(page, code) || strings.Contains(c.show("result?file=evaluation.json"), code) {
			t.Errorf("a page has %s", code)
		}
	}
}

// drawMore samples rows from the model of synthetic data, and checks that this consumes no budget.
func (c *client) drawMore(model string) {
	c.t.Helper()
	before, _ := c.entries()
	for _, of := range []struct {
		rows, where string
		want        string
	}{{"500", "", "500 rows"}, {"7", "age ≥ 60", "7 rows"}, {"", "age ≥ 60", " rows"}, {"", "", "2000 rows"}} {
		os.Remove(filepath.Join(c.directory, "more.csv"))
		job := c.do("draw", "file", model, "rows", of.rows, "where", of.where, "seed", "3", "out", "more")
		for c.show(strings.Replace(job, "job?", "job-state?", 1)) != "ended" {
			time.Sleep(10 * time.Millisecond)
		}
		if page := textOf(c.show(job)); !strings.Contains(page, of.want) || !strings.Contains(page, "more.csv") {
			c.t.Errorf("the drawing of %q with %q gives %s", of.rows, of.where, page)
		}
		text, err := os.ReadFile(filepath.Join(c.directory, "more.csv"))
		if n := strings.Count(string(text), "\n") - 1; err != nil || of.rows != "" && of.rows != fmt.Sprint(n) {
			c.t.Errorf("the file has %d rows, %v", n, err)
		}
	}
	c.refused("exists already", "draw", "file", model, "rows", "5", "out", "more")
	c.refused("name", "draw", "file", model, "rows", "5", "out", "../more")
	c.refused("number of rows", "draw", "file", model, "rows", "0", "out", "x")
	c.refused("at most", "draw", "file", model, "rows", "99999999999", "out", "x")
	c.refused("seed", "draw", "file", model, "rows", "5", "seed", "-1", "out", "x")
	c.refused("nothing", "draw", "file", model, "rows", "5", "where", "nothing = 1", "out", "x")
	c.refused("not a model of synthetic data", "draw", "file", "model.json", "rows", "5", "out", "x")
	c.refused("cannot be read", "draw", "file", "none.json", "rows", "5", "out", "x")
	if after, _ := c.entries(); after != before {
		c.t.Errorf("drawing rows makes %d entries", after-before)
	}
}

// A second ledger for the same people names the first, and the pages of both show the sum.
func TestLedgerBeside(t *testing.T) {
	c := run(t)
	c.ready()
	form := []string{"of", "patients, again", "rows-of-person", "1", "relation", "replace", "synthetic", "no", "epsilon", "1", "file", "more.db", "besides", "clinic.db"}
	c.refused("same neighbour relation", "ledger-open", with(form, "relation", "add-remove")...)
	c.refused("does not exist", "ledger-open", with(form, "besides", "none.db")...)
	c.refused("the name", "ledger-open", with(form, "besides", "../clinic.db")...)
	c.do("ledger-open", form...)
	for _, name := range []string{"more.db", "clinic.db"} {
		c.do("ledger-use", "file", name)
		if page := textOf(c.show("budget")); !strings.Contains(page, "Both together ε = 4, δ = 0.000001") {
			t.Errorf("the page of %s does not show the sum: %s", name, page)
		}
	}
	c.refused("a third one is not supported", "ledger-open", with(form, "file", "third.db")...)
}

// The cuts of a numeric column are chosen from the data, and this consumes privacy budget.
func TestProfile(t *testing.T) {
	c := run(t)
	c.ready()
	if err := os.WriteFile(filepath.Join(c.directory, "open.toml"), []byte("[label]\ncolumn = \"back_within_month\"\npositive = [\"yes\"]\nnegative = [\"no\"]\n[[attribute]]\ncolumn = \"age\"\nkind = \"number\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	confirm := c.do("profile", "schema", "open.toml", "data", "hospital.csv", "ledger", "clinic.db", "epsilon", "0.5", "delta", "0", "rows", "2000", "pad", "", "file", "full")
	next := c.ended(c.do("start", "ticket", strings.TrimPrefix(confirm, "confirm?ticket=")))
	if page := c.show(next); !strings.Contains(page, "[[profile]]") {
		t.Errorf("the profiled schema is %s", textOf(page))
	}

	plan := "plan?schema=full.toml&rows=2000&class=conjunction&slider=1&epsilon=0.5,1&total=yes"
	page := c.show(plan)
	for _, want := range []string{"The release gets ε = 0.5, δ = 0 the rest was spent on the schema", "the [[profile]] entries of the schema have already consumed ε = 0.5, so nothing of ε 0.5 remains; use a larger ε", "1 the release gets ε = 0.5, δ = 0"} {
		if !strings.Contains(textOf(page), want) {
			t.Errorf("the plan of a total lacks %q: %s", want, textOf(page))
		}
	}
	if !strings.Contains(page, "epsilon=0.5&amp;relation=&amp;rows=2000") || !strings.Contains(page, "total=yes") {
		t.Errorf("the addresses of the example and the release are wrong: %s", page)
	}
	if !strings.Contains(c.show("release?total=yes"), `name="total" value="yes" checked`) {
		t.Error("the form of the release does not take the total of the plan")
	}
	form := append(with(modelForm, "schema", "full.toml", "epsilon", "1"), "total", "yes")
	c.refused("the total: the [[profile]] entries of the schema have already consumed ε = 0.5, so nothing of ε 0.5 remains; use a larger ε", "review", with(form, "epsilon", "0.5")...)
	reviewed := textOf(c.show(c.do("review", form...)))
	for _, want := range []string{"Spends ε = 0.5, δ = 0", "The cuts of age come from another release: ε = 0.5, δ = 0.", "In total, if the releases are about the same people: ε = 1, δ = 0"} {
		if !strings.Contains(reviewed, want) {
			t.Errorf("the review of a total lacks %q: %s", want, reviewed)
		}
	}
}

// With a total, the δ of a model is the one that the profiles consumed, and synthetic data gets the rest of δ.
func TestTotalOfCategories(t *testing.T) {
	c := run(t)
	c.ready()
	const text = "[label]\ncolumn = \"back_within_month\"\npositive = [\"yes\"]\nnegative = [\"no\"]\n[[attribute]]\ncolumn = \"age\"\ndraw = \"integer\"\nleast = 0\nmost = 120\ncuts = [40, 60]\n" +
		"[[profile]]\ncolumns = [\"age\"]\nepsilon = \"0.25\"\ndelta = \"0.000000001\"\nrelation = \"replace\"\nrelease = \"0123456789abcdef0123456789abcdef\"\n"
	if err := os.WriteFile(filepath.Join(c.directory, "full.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	form := append(with(modelForm, "schema", "full.toml", "epsilon", "1"), "total", "yes")
	c.refused("use the ledger that was charged, or give the flag --profiled-elsewhere of the command", "review", form...)
	c.charge(`{"format":"sibyl-profile/1","release":"0123456789abcdef0123456789abcdef"}`)
	for _, r := range []struct{ what, delta, spends, total string }{
		{"model", "1e-9", "Spends ε = 0.75, δ = 0", "ε = 1, δ = 0.000000001"},
		{"synthetic", "1e-6", "Spends ε = 0.75, δ = 0.000000999", "ε = 0.9999"},
	} {
		page := textOf(c.show(c.do("review", with(form, "what", r.what, "delta", r.delta)...)))
		if !strings.Contains(page, r.spends) || !strings.Contains(page, "In total, if the releases are about the same people: "+r.total) {
			t.Errorf("%s: %s", r.what, page)
		}
	}
	if page := textOf(c.show("plan?schema=full.toml&rows=2000&what=synthetic&delta=1e-6&slider=1&total=yes")); !strings.Contains(page, "The release gets ε = 0.75, δ = 0.000000999 the rest") {
		t.Errorf("the plan of synthetic data lacks what it gets: %s", page)
	}
	c.refused("the total: this release needs a δ, but the [[profile]] entries of the schema consumed all of δ 0.000000001; use a larger δ", "review", with(form, "what", "synthetic")...)
}

// A ticket is valid for one release, even if pages are reloaded.
func TestReleaseOnce(t *testing.T) {
	c := run(t)
	c.ready()
	confirm := c.do("review", modelForm...)
	ticket := strings.TrimPrefix(confirm, "confirm?ticket=")
	job := c.do("start", "ticket", ticket)
	c.ended(job)
	if again := c.do("start", "ticket", ticket); again != job {
		t.Errorf("the second confirmation leads to %s", again)
	}
	if all, settled := c.entries(); all != 1 || settled != 1 {
		t.Errorf("%d entries, %d settled", all, settled)
	}
	if a := c.send(c.get(confirm)); a.status != 422 {
		t.Errorf("the review of a release that was made has the status %d", a.status)
	}
	c.refused("its review has expired", "start", "ticket", "x")
}

// A cancelled release publishes nothing, and its charge remains.
func TestCancel(t *testing.T) {
	c := run(t)
	c.ready()
	ticket := strings.TrimPrefix(c.do("review", with(modelForm, "pad", "10m")...), "confirm?ticket=")
	job := c.do("start", "ticket", ticket)
	if page := textOf(c.show(job)); !strings.Contains(page, "This is running") {
		t.Errorf("a running release shows %s", page)
	}
	for {
		if all, _ := c.entries(); all > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	other := strings.TrimPrefix(c.do("review", with(modelForm, "file", "other.json")...), "confirm?ticket=")
	c.refused("Another release or check is running", "start", "ticket", other)
	c.do("cancel", "id", ticket)
	for c.show("job-state?id="+ticket) != "ended" {
		time.Sleep(10 * time.Millisecond)
	}
	if page := textOf(c.send(c.get(job)).body); !strings.Contains(page, "There is no result. ") || !strings.Contains(page, "cancelled") {
		t.Errorf("a cancelled release shows %s", page)
	}
	if all, settled := c.entries(); all != 1 || settled != 0 {
		t.Errorf("%d entries, %d settled", all, settled)
	}
	if _, err := os.Stat(filepath.Join(c.directory, "model.json")); err == nil {
		t.Error("a cancelled release published a file")
	}
}

// Forms with invalid values are refused with a sentence. They consume no budget and change no file.
func TestWrongForms(t *testing.T) {
	c := run(t)
	c.refused("no table is chosen; name one on the page Data", "review", modelForm...)
	c.ready()
	wrong := func(want string, pairs ...string) {
		t.Helper()
		c.refused(want, "review", with(modelForm, pairs...)...)
	}
	wrong("choose what is released", "what", "")
	wrong("choose a schema", "schema", "")
	wrong("the name", "schema", "../hospital.toml")
	wrong("cannot be read", "schema", "none.toml")
	wrong("another tab", "data", "other.csv")
	wrong("choose a ledger", "ledger", "")
	wrong("does not exist", "ledger", "none.db")
	wrong("not an account", "ledger", "hospital.csv")
	wrong("ε", "epsilon", "x")
	wrong("ε", "epsilon", "-1")
	wrong("ε", "epsilon", "")
	wrong("the budget does not suffice", "epsilon", "3.5")
	wrong("not a known class", "class", "no class")
	wrong("class", "class", "tree --depth")
	wrong("number of rows", "rows", "-1")
	wrong("number of rows", "rows", "x")
	wrong("padding", "pad", "1h")
	wrong("name", "file", "")
	wrong("name", "file", "../x")
	wrong("name", "file", "/tmp/x")
	wrong("name", "file", `..\x`)
	wrong("name", "file", ".x")
	wrong("name", "file", strings.Repeat("a", 300))
	os.WriteFile(filepath.Join(c.directory, "there.json"), []byte("{}"), 0o600)
	wrong("exists already", "file", "there.json")
	c.refused("name a file", "data", "location", "")
	c.refused("cannot be read", "data", "location", "none.csv")
	c.refused("directory", "data", "location", ".")
	c.refused("needs a query", "data", "location", "postgres://ann:secret@127.0.0.1:1/db")
	c.refused("a query is for a database", "data", "location", "hospital.csv", "query", "SELECT 1")
	c.refused("tick the box", "schema-new", "from", "header", "file", "x")
	c.refused("write the names of the columns", "schema-new", "from", "names", "names", " , ", "file", "x")
	c.refused("choose what", "schema-new", "from", "", "file", "x")
	c.refused("exists already", "schema-new", "from", "names", "names", "a,b", "file", "hospital.toml")
	c.refused("same name", "schema-new", "from", "names", "names", "a,a", "file", "x")
	c.refused("cannot be read", "schema-use", "file", "none.toml")
	c.refused("cannot be read from a web address", "schema-new", "from", "metadata", "metadata", "http://evil.example/x", "file", "x")
	c.refused("choose whether the ledger is also for synthetic data", "ledger-open", "of", "x", "relation", "replace", "epsilon", "1", "file", "x")
	c.refused("above 0", "ledger-open", "of", "x", "relation", "replace", "epsilon", "1", "synthetic", "yes", "delta", "0", "file", "x")
	c.refused("who is protected", "ledger-open", "of", "x", "relation", "x", "epsilon", "1", "synthetic", "no", "file", "x")
	c.refused("exists already", "ledger-open", "of", "x", "relation", "replace", "epsilon", "1", "synthetic", "no", "file", "clinic.db")
	c.refused("1 to 200", "ledger-open", "of", "", "relation", "replace", "epsilon", "1", "synthetic", "no", "file", "x")
	c.refused("does not exist", "ledger-use", "file", "none.db")
	c.refused("another tab", "schema-text", "file", "hospital.toml", "version", "x", "text", "")
	for _, page := range []string{"result?file=none.json", "result?file=../x", "result?file=hospital.csv", "page?file=hospital.toml", "export?file=none.json&format=sql", "file?file=hospital.csv", "file?file=clinic.db", "schema-edit?file=none.toml", "job?id=x", "confirm?ticket=x"} {
		if a := c.send(c.get(page)); a.status < 400 {
			t.Errorf("%s has the status %d", page, a.status)
		}
	}
	for _, plan := range []string{"rows=2000&slider=x", "rows=2000&slider=-1", "rows=2000&slider=", "rows=x&slider=1", "rows=&slider=1", "rows=2000&slider=1&what=synthetic&delta=x"} {
		if a := c.send(c.get("plan?schema=hospital.toml&epsilon=,&" + plan)); a.status != 422 {
			t.Errorf("the plan %s has the status %d", plan, a.status)
		}
	}
	if all, _ := c.entries(); all != 0 {
		t.Errorf("%d entries", all)
	}
}

// A schema with open columns can be checked, because a profile would consume budget for columns that cannot be read.
func TestCheckOpen(t *testing.T) {
	c := run(t)
	if err := os.WriteFile(filepath.Join(c.directory, "sites.csv"), []byte("age,town,ill\n1,Ulm,yes\nold,Bonn,no\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.do("data", "location", "sites.csv")
	write := func(label string) {
		text := "[label]\ncolumn = \"ill\"\n" + label + "\n[[attribute]]\ncolumn = \"age\"\nkind = \"number\"\nother = \"missing\"\n[[attribute]]\ncolumn = \"town\"\nkind = \"category\"\n"
		if err := os.WriteFile(filepath.Join(c.directory, "sites.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("kind = \"?\"")
	c.refused("sites.toml: [label] has no outcomes", "check", "file", "sites.toml")
	write("positive = [\"yes\"]\nnegative = [\"no\"]")
	if !strings.Contains(c.show("schema-edit?file=sites.toml"), "Check, for the curator only") {
		t.Error("the schema cannot be checked")
	}
	job := c.do("check", "file", "sites.toml")
	for c.show(strings.Replace(job, "job?", "job-state?", 1)) != "ended" {
		time.Sleep(10 * time.Millisecond)
	}
	page := textOf(c.show(job))
	for _, want := range []string{"2 rows , and all of them are used", "age 0 1 3 town 0 0 ill", "The schema has no categories yet for age , town .", "Column age: 1 values are text that is not a number, the first in line 3."} {
		if !strings.Contains(page, want) {
			t.Errorf("the check lacks %q: %s", want, page)
		}
	}
}

// The form of a new schema states the encoding of the file, and the form of a schema shows it and can change it.
func TestEncoding(t *testing.T) {
	c := run(t)
	if err := os.WriteFile(filepath.Join(c.directory, "sites.csv"), []byte("Gr\xf6\xdfe;Ort\n1;K\xf6ln\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.do("data", "location", "sites.csv")
	form := func(encoding string) []string {
		return []string{"from", "header", "declare", "yes", "file", "sites", "encoding", encoding}
	}
	c.refused("state its encoding, such as encoding windows-1252", "schema-new", form("")...)
	c.refused("encoding &#34;cp9999&#34; is unknown", "schema-new", form("cp9999")...)
	page := c.show(c.do("schema-new", form("windows-1252")...))
	save := func(encoding string) []string {
		version := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(page)[1]
		return []string{"file", "sites.toml", "version", version, "columns", "2", "decimal", ".", "encoding", encoding, "c0.name", "Größe", "c0.kind", "number", "c1.name", "Ort", "c1.kind", "?"}
	}
	c.refused("encoding &#34;cp9999&#34; is unknown", "schema-form", save("cp9999")...)
	for _, encoding := range []string{"windows-1252", "iso-8859-15", ""} {
		for _, want := range []string{`value="Größe"`, `name="encoding" value="` + encoding + `"`} {
			if !strings.Contains(page, want) {
				t.Errorf("the form lacks %s", want)
			}
		}
		if key := `encoding = &#34;` + encoding + `&#34;`; strings.Contains(page, key) != (encoding != "") {
			t.Errorf("the text has %s: %v", key, encoding == "")
		}
		page = c.show(c.do("schema-form", save(map[string]string{"windows-1252": "iso-8859-15"}[encoding])...))
	}
}

// The form of a schema holds the formats, uses and ranges of dates, and refuses incomplete ones.
func TestDates(t *testing.T) {
	c := run(t)
	edit := c.do("schema-new", "from", "names", "names", "born,seen", "file", "dates")
	version := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(c.show(edit))[1]
	form := func(pairs ...string) []string {
		return append([]string{"file", "dates.toml", "version", version, "columns", "2", "c1.name", "seen", "c1.kind", "date", "c0.name", "born", "c0.kind", "date"}, pairs...)
	}
	c.refused("choose how its dates are written", "schema-form", form("c0.cuts", "2020-01-01")...)
	c.refused("the dates have no cuts; write cuts", "schema-form", form("c0.format", "iso")...)
	c.refused("1.1.2020&#34; is not a date such as", "schema-form", form("c0.format", "d.m.y", "c0.cuts", "1.1.2020")...)
	c.refused("is not a date", "schema-form", form("c0.format", "iso", "c0.cuts", "2021-02-29")...)
	c.refused("the date at which the age is computed", "schema-form", form("c0.format", "iso", "c0.use", "age", "c0.cuts", "18")...)
	c.refused("is not a number", "schema-form", form("c0.format", "iso", "c0.use", "year", "c0.cuts", "2020-01-01")...)
	c.refused("has a part of a date or an age, but no categories", "schema-form", form("c0.format", "iso", "c0.use", "year")...)
	c.refused("format&#34; of attribute", "schema-form", form("c0.format", "y", "c0.cuts", "2020-01-01")...)
	c.refused("part&#34; of attribute", "schema-form", form("c0.format", "iso", "c0.use", "hour", "c0.cuts", "3")...)
	whole := func(pairs ...string) []string {
		return form(append([]string{"c0.format", "d.m.y", "c0.cuts", "2020-01-01, 2022-01-01"}, pairs...)...)
	}
	c.refused("choose how its dates are written", "schema-form", form("c0.first", "2020-01-01", "c0.last", "2020-12-31")...)
	c.refused("give both the first and the last date of the range, or neither", "schema-form", whole("c0.first", "2019-01-01")...)
	c.refused("give both the first and the last date of the range, or neither", "schema-form", whole("c0.last", "2025-12-31")...)
	c.refused("the first possible date is &#34;1.1.2019&#34;, but must be a date such as 2020-01-31", "schema-form", whole("c0.first", "1.1.2019", "c0.last", "2025-12-31")...)
	c.refused("the last possible date is &#34;2025-02-29&#34;, but must be a date", "schema-form", whole("c0.first", "2019-01-01", "c0.last", "2025-02-29")...)
	c.refused("must be before its first cut, 2020-01-01", "schema-form", whole("c0.first", "2020-01-01", "c0.last", "2025-12-31")...)
	c.refused("must not be before its last cut, 2022-01-01", "schema-form", whole("c0.first", "2019-01-01", "c0.last", "2021-12-31")...)
	c.refused("most&#34; of attribute &#34;born&#34; must not be before its &#34;least&#34;", "schema-form", form("c0.format", "iso", "c0.first", "2020-01-02", "c0.last", "2020-01-01")...)
	const profile = "Choose cuts and values with privacy"
	if strings.Contains(c.show(edit), profile) {
		t.Error("cuts of dates without a range can be chosen")
	}
	edit = c.do("schema-form", form("c0.format", "iso", "c0.first", "2019-01-01", "c0.last", "2025-12-31")...)
	page := c.show(edit)
	if !strings.Contains(page, profile) || !strings.Contains(page, `name="c0.first" value="2019-01-01"`) {
		t.Error("cuts of dates with a range cannot be chosen")
	}
	version = regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(page)[1]
	edit = c.do("schema-form", whole("c0.first", "2019-01-01", "c0.last", "2022-01-01", "c1.format", "iso", "c1.use", "year", "c1.cuts", "2020", "c1.first", "hidden")...)
	page = c.show(edit)
	for _, want := range []string{`name="c0.first" value="2019-01-01"`, `name="c0.last" value="2022-01-01"`, `name="c1.first" value=""`, "draw = &#34;day&#34;\nleast = 2019-01-01\nmost = 2022-01-01\n", "This schema is complete"} {
		if !strings.Contains(page, want) {
			t.Errorf("the form lacks %s", want)
		}
	}
	version = regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(page)[1]
	page = c.show(c.do("schema-form", form("decimal", ",", "c0.format", "d.m.y", "c0.use", "age", "c0.age-at", "2026-01-01", "c0.cuts", "18, 65", "c0.other", "unknown", "c0.missing", "1.1.1900", "c1.format", "iso", "c1.cuts", "2020-01-01, 2022-01-01")...))
	for _, want := range []string{`value="," selected`, `name="c0.cuts" value="18, 65"`, `name="c0.age-at" value="2026-01-01"`, `value="age" selected`, `value="d.m.y" selected`, ">1.1.1900</textarea>", `name="c1.cuts" value="2020-01-01, 2022-01-01"`, "This schema is complete"} {
		if !strings.Contains(page, want) {
			t.Errorf("the form lacks %s", want)
		}
	}
}

// The review of a model with a slow search states what makes it faster, without flags of the command.
func TestTimeOf(t *testing.T) {
	slow := &mechanism.Effort{Search: mechanism.Unbounded, Quicker: "a smaller value of {most-attributes}"}
	if text := timeOf(slow); !strings.Contains(text, "Faster: a smaller value of most attributes, or a larger ε") {
		t.Error(text)
	}
}
