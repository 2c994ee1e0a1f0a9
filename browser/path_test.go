package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestWholePath goes through all pages with the table of the demonstration, as a user does: from the table to a
// model, with the ledger, a plan, a check and the results. Every page is accessible, small, and fits a narrow screen.
func TestWholePath(t *testing.T) {
	b := browse(t, serve(t))
	b.run(chromedp.Navigate("http://" + b.server.address + "/"))
	b.look("sign-in")
	b.signIn()
	b.fill("location", "hospital.csv")
	b.look("data")
	b.send("Use this table")

	b.look("schemas")
	b.tick("declare", "yes")
	b.fill("file", "clinic")
	b.fill("title", "Back in hospital within a month?")
	b.fill("public", "A. Lee")
	b.send("Make the schema")
	b.look("schema-open")
	for i, c := range []map[string]string{
		{"kind": "number", "whole": "yes", "cuts": "40, 60, 75", "least": "18", "most": "99"},
		{"kind": "number", "whole": "yes", "cuts": "1, 3", "least": "0", "most": "9"},
		{"kind": "number", "whole": "yes", "cuts": "3, 8", "least": "1", "most": "60"},
		{"kind": "category", "values": "planned\nemergency\ntransfer"},
		{"kind": "category", "values": "heart or lung := heart | lung\nsurgery", "other": "anything else"},
		{"kind": "category", "values": "no\nyes"},
		{"kind": "label", "positive": "yes", "negative": "no"},
	} {
		b.fill(field(i, "kind"), c["kind"])
		for name, value := range c {
			b.fill(field(i, name), value)
		}
	}
	b.send("Save the columns")
	b.says("This schema is complete")
	b.look("schema")
	b.fill("text", "[[attribute]]\ncolumn = \"a\"\nvalues = [1")
	b.until("remark on the text", `!/checked while/.test(document.getElementById("text-state").textContent)`)
	b.says("the text:3: ")
	b.open("schema-edit?file=clinic.toml")
	b.send("Check, for the curator only")
	b.until("end of the check", `/2000 rows/.test(document.body.innerText)`)
	b.look("check")

	b.open("budget")
	b.look("budget-new")
	b.fill("of", "patients of the clinic, 2026")
	b.tick("synthetic", "yes")
	b.fill("epsilon", "5")
	b.send("Open the new ledger")
	b.says("The remaining budget suffices for")

	b.open("plan")
	b.fill("rows", "2000")
	b.send("Compare these")
	b.says("What a model can be")
	b.fill("slider", "2")
	b.until("plan of the slider", `/A model at ε = 2/.test(document.getElementById("live").innerText)`)
	b.until("example", `/MADE-UP DATA/.test(document.getElementById("example").innerText)`)
	b.says("were generated from the schema alone")
	b.look("plan")
	b.send("show") // the example at ε = 0.3 in the table
	b.says("from made-up rows, at ε = 0.3")
	b.look("example")

	b.open("release")
	b.look("release")
	b.fill("class", "scorecard")
	b.fill("rows", "2000")
	b.send("Review the release")
	b.says("What it protects")
	b.look("confirm")
	b.send("Spend this and release")
	b.finished()
	b.look("result")
	pages := b.another()
	b.published(pages)
	pages.says("Back in hospital within a month?")
	pages.shoot("model-page")
	pages.close()

	b.open("result?file=model.json")
	b.send("Evaluate it privately")
	b.look("release-evaluation")
	b.fill("epsilon", "0.5")
	b.send("Review the release")
	b.send("Spend this and release")
	b.until("evaluation", `/Open the page with its curves/.test(document.body.innerText)`)
	b.look("result-evaluation")
	pages = b.another()
	pages.run(chromedp.Navigate(b.base + "page?file=evaluation.json"))
	pages.says("Sensitivity and specificity of every threshold")
	pages.says("Stated and observed risks")
	pages.look("evaluation-page")
	pages.close()

	b.open("release")
	b.tick("what", "synthetic")
	b.fill("epsilon", "1")
	b.fill("file", "synthetic")
	b.fill("pad", "10s")
	b.send("Review the release")
	b.send("Spend this and release")
	b.look("running")
	b.run(chromedp.Reload()) // nothing is released twice
	b.until("result", `/synthetic data in the file/.test(document.body.innerText)`)
	b.look("result-synthetic")
	b.fill("rows", "100")
	b.fill("where", "age ≥ 60")
	b.send("Draw the rows")
	b.until("more rows", `/100 rows are in the file/.test(document.body.innerText)`)
	b.look("more-rows")

	b.open("results")
	b.says("synthetic.csv and synthetic.json")
	b.look("results")
	b.open("budget")
	b.look("budget")
	b.fill("of", "patients of the clinic, 2026, again")
	b.fill("besides", "budget.db")
	b.tick("synthetic", "no")
	b.fill("file", "more.db")
	b.send("Open the new ledger")
	b.says("Both together")
	b.look("budget-beside")
	b.open("data")
	b.holds("clinic.toml", "budget.db", "model.json", "evaluation.json", "synthetic.json", "synthetic.csv", "more.csv", "more.db")
	if text := b.text(); strings.Contains(text, "defect") {
		t.Error(text)
	}
}

func field(i int, name string) string { return fmt.Sprintf("c%d.%s", i, name) }
