package browser

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A loanColumn is a column of a generated table: how its values are made, and how a user completes it in the form.
type loanColumn struct {
	name string
	draw func(r *rand.Rand) string
	form map[string]string
}

func oneOf(values ...string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return values[r.IntN(len(values))] }
}

// between draws a whole number from least to most, or a code of a missing value in about one of ten rows.
func between(least, most int, codes ...string) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		if len(codes) > 0 && r.IntN(10) == 0 {
			return codes[r.IntN(len(codes))]
		}
		return fmt.Sprint(least + r.IntN(most-least+1))
	}
}

func date(format string) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return fmt.Sprintf(format, 1950+r.IntN(50), 1+r.IntN(12), 1+r.IntN(28)) }
}

// number and category return what a user enters for a column.
func number(cuts, missing string) map[string]string {
	form := map[string]string{"kind": "number", "cuts": cuts, "whole": "yes"}
	if strings.Contains(cuts, ".") {
		form["whole"] = "2"
	}
	if missing != "" {
		form["missing"], form["other"] = missing, "unknown"
	}
	return form
}

func category(values, other string) map[string]string {
	return map[string]string{"kind": "category", "values": values, "other": other}
}

var loans = []loanColumn{
	{"loan id", between(100_000, 999_999), map[string]string{"kind": "drop"}},
	{"Branch", oneOf("North", "South", "Müller & Söhne", "O'Hare"), category("North\nSouth\nMüller & Söhne\nO'Hare", "")},
	{"opened", date("%d-%02d-%02d"), map[string]string{"kind": "date"}},
	{"birth date", date("%[3]d.%[2]d.%[1]d"), map[string]string{"kind": "date", "format": "d.m.y", "use": "age", "age-at": "2026-01-01", "cuts": "40, 65"}},
	{"sex", oneOf("m", "f", "x"), category("m\nf", "another")},
	{"Region (ZIP2)", between(10, 99), number("30, 60", "")},
	{"income €", between(600, 9000, "-999"), number("1500, 3000", "-999")},
	{"employment", oneOf("salaried", "self-employed", "retired", "student", ""), category("works := salaried | self-employed\nretired", "none or unknown")},
	{"years_in_job", between(0, 40, ""), map[string]string{"kind": "number", "cuts": "2, 10", "other": "unknown"}},
	{"home", oneOf("rent", "own", "mortgage"), category("rent\nown\nmortgage", "")},
	{"children", between(0, 5), number("1, 3", "")},
	{"amount", between(500, 40_000), number("5000, 15000", "")},
	{"term", oneOf("12", "24", "36", "48"), category("12\n24\n36\n48", "")},
	{"rate %", func(r *rand.Rand) string { return fmt.Sprintf("%.2f", 2+16*r.Float64()) }, number("5, 10.5", "")},
	{"purpose", oneOf("car", "house", "education", "debt", "n/a"), category("car\nhouse\neducation\ndebt", "n/a")},
	{"prior loans", between(0, 5), number("1", "")},
	{"late 12m", between(0, 3, "99"), number("1, 2", "99")},
	{"score_ext", between(300, 850, "NA"), number("450, 650", "NA")},
	{"contact", oneOf("email", "phone", "post"), map[string]string{"kind": "drop"}},
	{"default", nil, map[string]string{"kind": "label", "positive": "Y", "negative": "N"}},
}

// loanTable returns a table with a header. Loans of applicants who were late default more often.
func loanTable(rows int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range rows + 1 {
		late := false
		for j, c := range loans {
			if j > 0 {
				b.WriteByte(',')
			}
			switch {
			case i == 0:
				b.WriteString(c.name)
			case c.draw == nil:
				b.WriteString(map[bool]string{true: "Y", false: "N"}[r.IntN(10) < 2 || late && r.IntN(2) == 0])
			default:
				value := c.draw(r)
				b.WriteString(value)
				late = late || c.name == "late 12m" && (value == "2" || value == "3")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestTwentyColumns follows the path of a new user with a table of 20 columns: numbers, categories, dates and codes of
// missing values. It ends with the page of a card and its calculator, after twelve pages.
func TestTwentyColumns(t *testing.T) {
	b := browse(t, serve(t))
	b.server.put("loans.csv", loanTable(5000))
	b.signIn()
	b.fill("location", "loans.csv")
	b.look("loans-1-data")
	b.send("Use this table")

	b.tick("declare", "yes")
	b.fill("file", "loans")
	b.fill("title", "Will this loan default?")
	b.fill("public", "the form of applications, 2026")
	b.look("loans-2-schemas")
	b.send("Make the schema")
	for i, c := range loans {
		b.fill(field(i, "kind"), c.form["kind"])
		for name, value := range c.form {
			b.fill(field(i, name), value)
		}
	}
	b.look("loans-3-columns")
	b.send("Save the columns")
	b.says("1 part is still open")
	b.look("loans-4-open")
	opened := slices.IndexFunc(loans, func(c loanColumn) bool { return c.name == "opened" })
	b.fill(field(opened, "format"), "iso")
	b.fill(field(opened, "cuts"), "1970-01-01, 1990-01-01")
	b.fill(field(opened, "first"), "1.1.1950")
	b.send("Save the columns")
	b.says(`the first possible date is "1.1.1950", but must be a date such as 2020-01-31`)
	b.fill(field(opened, "first"), "1950-01-01")
	b.fill(field(opened, "last"), "2025-12-31")
	b.look("loans-5-dates")
	b.send("Save the columns")
	b.says("This schema is complete")
	b.look("loans-5-schema")

	b.terms("applicants, 2026", "no", "2")
	b.look("loans-6-budget")
	b.send("Open the new ledger")
	b.look("loans-7-ledger")

	b.open("plan")
	b.fill("rows", "5000")
	b.send("Compare these")
	b.says("What a model can be")
	b.look("loans-8-plan")
	b.send("Next: make a release")

	b.fill("class", "sparse") // a card of few attributes, whose time is bounded
	b.look("loans-9-release")
	b.send("Review the release")
	b.says("Is 5000 the exact number of rows?") // from the plan
	b.look("loans-10-confirm")
	b.send("Spend this and release")
	b.finished()
	b.look("loans-11-result")
	b.published(b)
	b.says("Will this loan default?")
	b.look("loans-12-page")
	b.holds("model.json")
}
