package table_test

import (
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const openSchema = `public = "column names: the curator"
[person]
column = "patient"
most = "?"
public = "the curator"
[label]
column = "ill"
kind = "?"
[[attribute]]
column = "age"
kind = "number"
public = "the data dictionary"
draw = "integer"
least = 0
most = 120
other = "missing"
[[attribute]]
column = "job"
kind = "category"
[[attribute]]
column = "since"
kind = "date"
[[attribute]]
column = "sex"
kind = "category"
values = ["f", "m"]
`

// Only ParseOpenSchema accepts open columns. It keeps their statements.
func TestParseOpenSchema(t *testing.T) {
	s, err := table.ParseOpenSchema("o.toml", strings.NewReader(openSchema))
	if err != nil {
		t.Fatal(err)
	}
	var open []string
	for j := range s.Attributes {
		if a := &s.Attributes[j]; a.Open() {
			open = append(open, a.Name+" "+a.Kind)
		}
	}
	if got := strings.Join(open, ", "); got != "age number, job category, since date" || !s.Label.Open() || s.Person.Most != 0 {
		t.Errorf("open are %s, label %v, person %v", got, s.Label.Open(), s.Person)
	}
	if a := s.Attributes[0]; a.Public != "the data dictionary" || a.Least != "0" || a.Most != "120" || s.Public != "column names: the curator" || s.Person.Public != "the curator" {
		t.Errorf("%+v", s)
	}
	if _, err := table.ParseSchema("o.toml", strings.NewReader(openSchema)); err == nil || err.Error() !=
		`o.toml:8: [label] has kind = "?" and is still open: write positive and negative, at_least, values, groups or cuts; only check and a private profile accept open columns` {
		t.Error(err)
	}
}

// A complete schema may keep kind and public. Neither changes the domain.
func TestDescribed(t *testing.T) {
	described := strings.NewReplacer("column = \"age\"", "column = \"age\"\nkind = \"number\"\npublic = \"us\"", "column = \"work\"", "column = \"work\"\nkind = \"category\"",
		"column = \"bought\"", "column = \"bought\"\nkind = \"category\"\npublic = \"us\"", "name = \"people\"", "name = \"people\"\npublic = \"us\"").Replace(people)
	plain, s := tabletest.Schema(t, people), tabletest.Schema(t, described)
	if s.Attributes[0].Kind != "number" || s.Public != "us" {
		t.Errorf("%+v", s)
	}
	one, err := plain.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if two, err := s.MarshalJSON(); err != nil || string(two) != string(one) || s.Digest() != plain.Digest() {
		t.Errorf("%s, %v", two, err)
	}
}

func TestMalformedOpenSchema(t *testing.T) {
	for text, want := range map[string]string{
		"kind = \"numeric\"":                                         `a.toml:3: "kind" of attribute "a" must be "number", "category", "date", "text", or "?" where it is unknown`,
		"kind = 1":                                                   `a.toml:3: "kind" of attribute "a" must be "number", "category", "date", "text", or "?" where it is unknown`,
		"kind = \"?\"\nvalues = [\"x\"]":                             `a.toml:3: attribute "a" has categories, so its kind is known: delete kind = "?"`,
		"kind = \"number\"\nvalues = [\"x\"]":                        `a.toml:3: attribute "a" has kind = "number", but no cuts; write kind = "category"`,
		"kind = \"date\"\ncuts = [1]":                                `a.toml:3: attribute "a" has kind = "date" and cuts, so it needs "format": how its dates are written, such as "iso" or "d.m.y"`,
		"public = \"\"\nkind = \"?\"":                                `a.toml:3: "public" of attribute "a" is empty`,
		"kind = \"category\"\ndraw = \"integer\"":                    `a.toml:4: "draw" of attribute "a" must go with kind = "number"`,
		"kind = \"number\"\nleast = 1":                               `a.toml:1: "least" and "most" of attribute "a" require draw = "integer" or draw = "uniform"; add one of them, or delete "least" and "most"`,
		"kind = \"number\"\ndraw = [1, 2]":                           `a.toml:4: "draw" of attribute "a" is a list of numbers, which needs cuts`,
		"kind = \"number\"\ndraw = \"integer\"\nleast = 2\nmost = 1": `a.toml:1: the key "least" of attribute "a" exceeds the key "most", so no number can be drawn`,
		"format = \"iso\"":                                           `a.toml:1: attribute "a" has dates, but no cuts: write cuts that are dates, such as cuts = [2020-01-01, 2022-01-01]; or write kind = "date", and draw = "day" with "least" and "most", for a private profile`,
		"kind = \"date\"\nformat = \"iso\"\ndraw = \"day\"\nleast = 2020-01-31":                    `a.toml:1: attribute "a" has draw = "day", so it needs "least" and "most", the first and the last possible date`,
		"kind = \"date\"\nformat = \"iso\"\ndraw = \"day\"\nleast = 2020-01-31\nmost = 2020-01-30": `a.toml:7: "most" of attribute "a" must not be before its "least"`,
		"kind = \"date\"\nformat = \"iso\"\npart = \"year\"":                                       `a.toml:1: attribute "a year" has a part of a date or an age, but no categories: write cuts that are numbers, or values or groups`,
		"kind = \"number\"\ndraw = \"integer\"\nplaces=2\nleast = 2\nmost = 3":                     `a.toml:5: "places" of attribute "a" requires draw = "uniform"; set it, or delete "places"`,
	} {
		if _, err := table.ParseOpenSchema("a.toml", strings.NewReader("[[attribute]]\ncolumn = \"a\"\n"+text)); err == nil || err.Error() != want {
			t.Errorf("%q\n got  %v\n want %s", text, err, want)
		}
	}
	// A model's schema accepts neither key and no open column.
	for _, key := range []string{"kind", "public"} {
		if err := new(table.Schema).UnmarshalJSON([]byte(`{"attribute": [{"column": "a", "values": ["x"], "` + key + `": "category"}]}`)); err == nil || !strings.Contains(err.Error(), "unknown key") {
			t.Errorf("%s: %v", key, err)
		}
	}
}
