package table_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

const people = `name = "people"
[label]
column = "bought"
positive = ["yes"]
negative = ["no"]
[[attribute]]
column = "age"
cuts = [26, 35.5]
[[attribute]]
column = "age"
name = "adult"
cuts = [18]
other = "unknown"
[[attribute]]
column = "work"
groups = { z-office = ["clerk", "boss"], a-trade = ["smith"] }
other = "rest"
`

func TestParseSchema(t *testing.T) {
	got := tabletest.Schema(t, people)
	want := &table.Schema{
		Name:  "people",
		File:  table.File{Delimiter: ',', Decimal: '.'},
		Label: &table.Label{Column: "bought", Positive: []string{"yes"}, Negative: []string{"no"}},
		Attributes: []table.Attribute{
			{Name: "age", Column: "age", Cuts: []table.Decimal{"26", "35.5"}},
			{Name: "adult", Column: "age", Cuts: []table.Decimal{"18"}, Other: "unknown"},
			{Name: "work", Column: "work", Other: "rest", Groups: []table.Group{
				{Name: "z-office", Values: []string{"clerk", "boss"}}, {Name: "a-trade", Values: []string{"smith"}}}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got, want := got.Columns(), []string{"age", "work", "bought"}; !reflect.DeepEqual(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
	if got, want := got.Sizes(), []int{3, 3, 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("sizes %v, want %v", got, want)
	}
	built, err := table.NewSchema(*want)
	if err != nil || !reflect.DeepEqual(built, want) {
		t.Errorf("NewSchema: %+v, %v", built, err)
	}
}

func TestCategories(t *testing.T) {
	want := [][]string{{"<26", "[26,35.5)", "≥35.5"}, {"<18", "≥18", "unknown"}, {"z-office", "a-trade", "rest"}}
	for j, a := range tabletest.Schema(t, people).Attributes {
		if got := a.Categories(); !reflect.DeepEqual(got, want[j]) {
			t.Errorf("attribute %s: %q, want %q", a.Name, got, want[j])
		}
	}
}

func checkJSON(t *testing.T, s *table.Schema) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back table.Schema
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&back, s) {
		t.Errorf("%s: got  %+v\nwant %+v", s.Name, &back, s)
	}
}

func TestSchemaJSON(t *testing.T) { checkJSON(t, tabletest.Schema(t, people)) }

// A numeric label may be a number or a text in TOML, and is written as a text in canonical form.
func TestNumericLabel(t *testing.T) {
	for _, written := range []string{`"+10000.50"`, `10000.5`} {
		s := tabletest.Schema(t, "[label]\ncolumn = \"charges\"\nat_least = "+written+"\n[[attribute]]\ncolumn = \"age\"\ncuts = [26]\n")
		if want := (table.Label{Column: "charges", AtLeast: "10000.5"}); !reflect.DeepEqual(*s.Label, want) {
			t.Errorf("%s: %+v", written, *s.Label)
		}
		checkJSON(t, s)
		if text, err := json.Marshal(s); err != nil || !strings.Contains(string(text), `"label":{"column":"charges","at_least":"10000.5"}`) {
			t.Errorf("%s, %v", text, err)
		}
	}
	if s, err := table.NewSchema(table.Schema{Label: &table.Label{Column: "y", AtLeast: "1e3"}}); err == nil || err.Error() != `"at_least" of [label] is not a plain decimal such as 10000 or 0.5` {
		t.Errorf("%v, %v", s, err)
	}
}

// The classes of a multiclass label are written and encoded like the categories of an attribute.
func TestOutcomes(t *testing.T) {
	for _, w := range []struct {
		written  string
		json     string
		outcomes []string
		values   []string // and their codes
	}{
		{`values = ["low", "mid", "high"]`, `"values":["low","mid","high"]`, []string{"low", "mid", "high"}, []string{"low", "mid", "high"}},
		{`groups = { z = ["1", "2"], a = ["3"], m = ["4"] }`, `"groups":{"z":["1","2"],"a":["3"],"m":["4"]}`, []string{"z", "a", "m"}, []string{"2", "3", "4"}},
		{`cuts = [0.50, 4]`, `"cuts":[0.5,4]`, []string{"<0.5", "[0.5,4)", "≥4"}, []string{"-1", "0.5", "4.0"}},
	} {
		s := tabletest.Schema(t, "[label]\ncolumn = \"grade\"\n"+w.written+"\n[[attribute]]\ncolumn = \"age\"\ncuts = [26]\n")
		if got := s.Label.Outcomes(); s.Outcomes() != 3 || !reflect.DeepEqual(got, w.outcomes) {
			t.Errorf("%s: %d outcomes, %q", w.written, s.Outcomes(), got)
		}
		coder := s.Label.Coder(nil)
		for want, v := range w.values {
			if got, ok := coder.Code([]byte(v)); got != want || !ok {
				t.Errorf("%s: %q has the code %d, %v", w.written, v, got, ok)
			}
		}
		for _, v := range []string{"", "other"} {
			if _, ok := coder.Code([]byte(v)); ok {
				t.Errorf("%s: %q has a code", w.written, v)
			}
		}
		checkJSON(t, s)
		if text, err := json.Marshal(s); err != nil || !strings.Contains(string(text), `"label":{"column":"grade",`+w.json+`}`) {
			t.Errorf("%s, %v", text, err)
		}
		built, err := table.NewSchema(*s)
		if err != nil || !reflect.DeepEqual(built, s) {
			t.Errorf("NewSchema: %+v, %v", built, err)
		}
	}
	if two := tabletest.Schema(t, people); two.Outcomes() != 2 || two.Label.Outcomes() != nil {
		t.Error(two.Outcomes(), two.Label.Outcomes())
	}
}

func TestSharedSchemasJSON(t *testing.T) {
	for _, name := range []string{"adult/adult-7.toml", "adult/adult-12.toml", "adult-discrete/binned.toml", "adult-discrete/full.toml"} {
		text, err := os.ReadFile(shareddata.Path(t, name))
		if err != nil {
			t.Fatal(err)
		}
		checkJSON(t, tabletest.Schema(t, string(text)))
	}
}

func TestMalformedJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"attribute": [{"column": "a", "values": ["x"]}], "more": 1}`: `the schema is malformed: unknown key "more" in the schema, whose keys are name, file, label, person, attribute, rule and profile`,
		`{"name": "a", "name": "b"}`:                                   `the schema is not JSON: key "name" is given twice; remove one of the two`,
		`{}`:                                                           `the schema is malformed: a schema needs at least one [[attribute]]`,
		`{"attribute": [{"column": null, "values": ["x"]}]}`: `the schema is malformed: "column" of attribute 1 must be a string, not a value of another type`,
		`{"Name": "a"}`:        `the schema is malformed: unknown key "Name" in the schema, whose keys are name, file, label, person, attribute, rule and profile`,
		`{"name": null}`:       `the schema is malformed: the schema's name must be a string, not a value of another type`,
		`{"name": "\ud800"}`:   `the schema is not JSON: byte 11 starts half of a surrogate pair; write both halves, or remove the escape`,
		"{\"name\": \"\xff\"}": `the schema is not JSON: byte 11 is not UTF-8 text; write the text in UTF-8`,
		`{} {}`:                `the schema is not JSON: text follows the end of the JSON value; remove it`,
		`{"attribute": [{"column": "a", "groups": {"g": ["x"], "g": ["y"]}}]}`: `the schema is not JSON: key "g" is given twice in attribute.1.groups; remove one of the two`,
		`{"attribute": [{"column": "a", "values": ["x", null]}]}`:              `the schema is malformed: every value of "values" of attribute "a" must be a string, not a value of another type`,
	} {
		if err := new(table.Schema).UnmarshalJSON([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s\n got  %v\n want %s", text, err, want)
		}
	}
}

func ExampleParseSchema() {
	s, err := table.ParseSchema("people.toml", strings.NewReader(`
[[attribute]]
column = "age"
cuts = [26, 36]
[[attribute]]
column = "work"
values = ["clerk", "smith"]
other = "rest"
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range s.Attributes {
		fmt.Println(a.Name, strings.Join(a.Categories(), " "))
	}
	// Output:
	// age <26 [26,36) ≥36
	// work clerk smith rest
}

// TestPerson reads [person] from TOML and JSON, and checks the errors for invalid ones.
func TestPerson(t *testing.T) {
	with := func(person string) string {
		return "[person]\n" + person + "\n" + people[strings.Index(people, "[label]"):]
	}
	s := tabletest.Schema(t, with("column = \"patient\"\nmost = 3"))
	if want := (table.Person{Column: "patient", Most: 3}); *s.Person != want {
		t.Errorf("%+v", *s.Person)
	}
	checkJSON(t, s)
	if got, want := s.Columns(), []string{"age", "work", "bought"}; !reflect.DeepEqual(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
	if rows := s.ByRow(); rows.Person != nil || rows.Weight() != 1 || s.Weight() != 6 || s.Person == nil {
		t.Errorf("%+v", rows)
	}
	for text, want := range map[string]string{
		"column = \"p\"\nmost = \"?\"":      "people.toml:3: [person] has most = \"?\" and is still open: write the maximum number of rows counted per person; only check and a private profile accept open columns",
		"most = 3":                          `people.toml:1: [person] needs the key "column"`,
		"column = \"p\"":                    "people.toml:1: [person] needs \"most\", the maximum number of rows per person, within 1..10",
		"column = \"p\"\nmost = 11":         "people.toml:3: [person] needs \"most\", the maximum number of rows per person, within 1..10",
		"column = \"p\"\nmost = -1":         "people.toml:3: [person] needs \"most\", the maximum number of rows per person, within 1..10",
		"column = \"p\"\nmost = 1.5":        "people.toml:3: the key \"most\" in [person] must be an integer",
		"column = \"p\"\nmost = \"3\"":      "people.toml:3: the key \"most\" in [person] must be an integer",
		"column = \"age\"\nmost = 3":        "people.toml:9: column \"age\" is already the column of [person] and cannot be an attribute too",
		"column = \"bought\"\nmost = 3":     "people.toml:2: column \"bought\" of [person] is already the label's column; choose another column",
		"column = \"p\"\nmost = 3\nkey = 1": "people.toml:4: unknown key \"key\" in [person], whose keys are column, most and public",
		"column = \"p\"\nmost = 3\n[file]\ncolumns = [\"age\", \"work\", \"bought\"]": "people.toml:2: the column \"p\" of [person] is not among the columns of [file]",
	} {
		if _, err := table.ParseSchema("people.toml", strings.NewReader(with(text))); err == nil || err.Error() != want {
			t.Errorf("%q\n got  %v\n want %s", text, err, want)
		}
	}
}

// The weight of a person is the least common multiple of the possible numbers of rows.
func TestWeight(t *testing.T) {
	for most, want := range []int64{1: 1, 1, 2, 6, 12, 60, 60, 420, 840, 2520, 2520}[1:] {
		if most == 0 {
			continue
		}
		if got := table.Weight(most); got != want {
			t.Errorf("Weight(%d) is %d, want %d", most, got, want)
		}
		for m := int64(1); m <= int64(most); m++ {
			if table.Weight(most)%m != 0 {
				t.Errorf("%d rows do not share a weight of %d", m, table.Weight(most))
			}
		}
	}
}

// Unit names: rows or persons, singular and plural. Only a schema of persons has a person column.
func TestUnits(t *testing.T) {
	rows, persons := tabletest.Schema(t, people), tabletest.Schema(t, "[person]\ncolumn = \"patient\"\nmost = 3\n"+people[strings.Index(people, "[label]"):])
	for _, n := range []int64{0, 1, 2, 7} {
		want := []string{"rows", "persons"}
		if n == 1 {
			want = []string{"row", "person"}
		}
		if got := []string{rows.Unit(n), persons.Unit(n)}; !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %q, not %q", n, got, want)
		}
	}
	if rows.PersonColumn() != "" || persons.PersonColumn() != "patient" || rows.Weight() != 1 || persons.Weight() != 6 {
		t.Errorf("columns %q and %q, weights %d and %d", rows.PersonColumn(), persons.PersonColumn(), rows.Weight(), persons.Weight())
	}
}

// NewSchema returns the same errors as ParseSchema for invalid domains.
func TestNewSchemaRefusesDomains(t *testing.T) {
	for says, a := range map[string]table.Attribute{
		`attribute "a" has a group without a name`:                                        {Groups: []table.Group{{Name: "g", Values: []string{"x"}}, {Values: []string{"y"}}}},
		`attribute "a" has two groups named "g"`:                                          {Groups: []table.Group{{Name: "g", Values: []string{"x"}}, {Name: "g", Values: []string{"y"}}}},
		`group "g" of attribute "a" is empty`:                                             {Groups: []table.Group{{Name: "g"}, {Name: "h", Values: []string{"y"}}}},
		`attribute "a" lists value "x" twice`:                                             {Values: []string{"x", "y", "x"}},
		`attribute "a" lists value "x" in two groups, "g" and "h"`:                        {Groups: []table.Group{{Name: "g", Values: []string{"x"}}, {Name: "h", Values: []string{"x"}}}},
		`attribute "a" has the cut "2e1", which is not a plain decimal such as 26 or 0.5`: {Cuts: []table.Decimal{"1", "2e1"}},
		`the cuts of attribute "a" must increase, but 1 follows 2`:                        {Cuts: []table.Decimal{"2", "1"}},
	} {
		a.Column = "a"
		if _, err := table.NewSchema(table.Schema{Attributes: []table.Attribute{a}}); err == nil || err.Error() != says {
			t.Errorf("%v, where it should say %s", err, says)
		}
	}
}
