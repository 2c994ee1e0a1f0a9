package synthetic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const questioned = `
[label]
column = "income>50K"
positive = ["1"]
negative = ["0"]
[[attribute]]
column = "sex"
values = ["Male", "Female"]
[[attribute]]
column = "sex at birth"
values = ["f", "m", "rock and roll", "a,b", "}", "say \"x\""]
other = "rest"
[[attribute]]
column = "hours-per-week"
cuts = [35, 41]
draw = "integer"
least = 1
most = 99
[[attribute]]
column = "income"
values = [">50K", "<=50K"]
`

func flatOf(t testing.TB, text string) *table.Schema {
	t.Helper()
	s := tabletest.Schema(t, text)
	f, err := s.Flat()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestParseQuestion(t *testing.T) {
	flat := flatOf(t, questioned)
	for text, want := range map[string]string{
		"sex = Female and hours-per-week ≥ 41":             "sex = Female and hours-per-week ≥ 41: [0 2] [[0 1] [0 0 1]]",
		"sex=Female AND hours-per-week>=38":                "sex = Female and hours-per-week ≥ 38: [0 2] [[0 1] [0 0.5 1]]",
		"hours-per-week ≥ 35 and hours-per-week < 41":      "hours-per-week ≥ 35 and hours-per-week < 41: [2] [[0 1 0]]",
		"sex at birth = f":                                 "sex at birth = f: [1] [[1 0 0 0 0 0 0]]",
		`sex at birth = "rock and roll"`:                   `sex at birth = "rock and roll": [1] [[0 0 1 0 0 0 0]]`,
		`sex at birth in {f, "a,b", "}", "say ""x"""}`:     `sex at birth in {f, "a,b", "}", "say ""x"""}: [1] [[1 0 0 1 1 1 0]]`,
		`"sex at birth" not in {f,m} and sex != Male`:      `sex at birth not in {f, m} and sex ≠ Male: [0 1] [[0 1] [0 0 1 1 1 1 1]]`,
		`sex at birth = ""`:                                `sex at birth = "": [1] [[0 0 0 0 0 0 1]]`,
		"income>50K = 1 and income = >50K":                 `"income>50K" = 1 and income = ">50K": [3 4] [[1 0] [0 1]]`,
		"income = \"<=50K\" and sex == Male and sex<>Male": `income = "<=50K" and sex = Male and sex ≠ Male: [0 3] [[0 0] [0 1]]`,
	} {
		q, err := ParseQuestion(flat, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := fmt.Sprintf("%v: %v %v", q, q.columns, q.shares); got != want {
			t.Errorf("%s\n got  %s\n want %s", text, got, want)
		}
		again, err := ParseQuestion(flat, q.String())
		if err != nil || again.String() != q.String() {
			t.Errorf("%s is read again as %v, %v", q, again, err)
		}
	}
	for text, says := range map[string]string{
		"":                          "the question is empty or ends with",
		"sex = Male and":            "the question is empty or ends with",
		"age = 3":                   `at "age" the question must have an attribute`,
		`"age" = 3`:                 `at "age" the question must have an attribute`,
		"sex Female":                `at "sex" the question must have an attribute of the schema and an operator`,
		`"sex" ~ Female`:            `after "sex" an operator is missing`,
		"sex = ":                    `after "sex" = a value is missing`,
		"sex = Neither":             `attribute "sex" has no value "Neither"`,
		"sex < Male":                `attribute "sex" cannot be compared with "Male"`,
		`sex = "Male`:               "a quotation mark in the question is not closed; add the closing one",
		`sex = "Male" or sex = "x"`: "must be joined by the word and",
		"sex in Male":               "write the values in braces",
		"sex in {Male":              "a list in braces is not closed",
		"sex in {Male, }":           "a value in braces is missing",
		"sex in {}":                 "a value in braces is missing",
		`sex in {"Male" "Female"}`:  "not separated by commas",
		"hours-per-week ≥ many":     `attribute "hours-per-week" has numbers, but "many" is neither a number, such as 1.5, nor a category`,
	} {
		if q, err := ParseQuestion(flat, text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v", text, q, err)
		}
	}
}

// The error for an unknown name lists the known ones, and for an unknown value the categories of the attribute.
func TestErrorsListKnownNames(t *testing.T) {
	flat := flatOf(t, questioned)
	_, err := ParseQuestion(flat, "no such = 3")
	for _, a := range flat.Attributes {
		if err == nil || !strings.Contains(err.Error(), quote.Word(a.Name)) {
			t.Errorf("%v does not list %s", err, a.Name)
		}
		if len(a.Cuts) > 0 {
			continue
		}
		_, wrong := ParseQuestion(flat, fmt.Sprintf("%q = no such", a.Name))
		for _, name := range a.Categories() {
			if wrong == nil || !strings.Contains(wrong.Error(), quote.Word(name)) {
				t.Errorf("%v does not list %s", wrong, name)
			}
		}
	}
}

// FuzzParseQuestion looks for a question that makes the parser panic, or whose canonical spelling is not parsed as the
// same question.
func FuzzParseQuestion(f *testing.F) {
	flat := flatOf(f, questioned)
	f.Add("sex = Female and hours-per-week ≥ 41")
	f.Add(`sex at birth in {f, "a,b", "say ""x"""} and income>50K=1`)
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuestion(flat, text)
		if err != nil {
			return
		}
		again, err := ParseQuestion(flat, q.String())
		if err != nil || again.String() != q.String() {
			t.Fatalf("%q is %s, which is read as %v, %v", text, q, again, err)
		}
	})
}
