package schema_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
)

var profiled = table.Profile{Columns: []string{"age", "pay"}, Epsilon: "0.2", Delta: "0", Relation: "replace", Release: strings.Repeat("0a", 16)}

func TestComplete(t *testing.T) {
	d, err := schema.New([]string{"age", "job", "pay"}, &table.File{}, schema.Known{Public: "the registry", Number: []string{"age", "pay"}, Category: []string{"job"}})
	if err != nil {
		t.Fatal(err)
	}
	drafted, _ := text(t, d)
	drafted = strings.Replace(drafted, `kind = "category"         # missing: values or groups`, `values = ["x", "y"] # no kind`, 1)
	drafted = strings.Replace(drafted, "# missing: cuts\n", "# missing: cuts, or for a profile draw, least and most\n", 1)
	open, err := table.ParseOpenSchema("s.toml", strings.NewReader(drafted))
	if err != nil {
		t.Fatal(err)
	}
	got, err := schema.Complete([]byte(drafted), open, map[int]schema.Domain{0: {Cuts: []table.Decimal{"18", "30.5"}}, 2: {Cuts: []table.Decimal{"-1"}}}, profiled)
	if err != nil {
		t.Fatal(err)
	}
	const want = `# Some cuts were chosen from private data with differential privacy; [[profile]] at the end names their columns.
# Missing numbers and dates are the category that the key "other" names. Without this key, rows with a missing value are left out.

public = "names and kinds of the columns: the registry"

[file]
header = true

[[attribute]]
column = "age"
kind = "number"
cuts = [18, 30.5]
other = "missing"

[[attribute]]
column = "job"
values = ["x", "y"] # no kind

[[attribute]]
column = "pay"
kind = "number"
cuts = [-1]
other = "missing"

[[profile]]
columns = ["age", "pay"]
epsilon = "0.2"
delta = "0"
relation = "replace"
release = "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A second profile, of the completed schema with another open column, is added to the first.
	again := strings.Replace(string(got), "cuts = [-1]\n", "", 1)
	open, err = table.ParseOpenSchema("s.toml", strings.NewReader(again))
	if err != nil {
		t.Fatal(err)
	}
	got, err = schema.Complete([]byte(again), open, map[int]schema.Domain{2: {Cuts: []table.Decimal{"7"}}}, table.Profile{Columns: []string{"pay"}, NotPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := table.ParseSchema("s.toml", bytes.NewReader(got))
	if err != nil || len(s.Profiles) != 2 || !s.Profiles[1].NotPrivate || s.Attributes[2].Cuts[0] != "7" {
		t.Errorf("%+v, %v", s, err)
	}
}

// Texts in which the place of an attribute is unclear are refused, and never changed elsewhere.
func TestCompleteUnclear(t *testing.T) {
	for _, text := range []string{
		`attribute = [{column = "a", kind = "number"}, {column = "b", kind = "number"}]`,
		"[[attribute]]\ncolumn = \"\"\"a\n[[attribute]]\"\"\"\nkind = \"number\"\n[[attribute]]\ncolumn = \"b\"\nkind = \"number\"",
	} {
		open, err := table.ParseOpenSchema("s.toml", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := schema.Complete([]byte(text), open, map[int]schema.Domain{0: {Cuts: []table.Decimal{"1"}}, 1: {Cuts: []table.Decimal{"2"}}}, profiled); err == nil || !strings.Contains(err.Error(), "begin each attribute with a line [[attribute]]") {
			t.Errorf("%q: %v\n%s", text, err, got)
		}
	}
	for _, text := range []string{
		"[[attribute]]\r\ncolumn = \"a\"\r\nkind = \"number\"\r\n\r\n[[attribute]]\r\nkind = \"number\"\r\ncolumn = \"b\"",
		"[[ attribute ]] # first\nkind = \"number\"\ncolumn = \"a\"\n[[attribute]]\ncolumn = \"b\"\n\"kind\" = \"number\"\n[person]\ncolumn = \"p\"\nmost = 2",
	} {
		open, err := table.ParseOpenSchema("s.toml", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := schema.Complete([]byte(text), open, map[int]schema.Domain{0: {Cuts: []table.Decimal{"1"}}, 1: {Cuts: []table.Decimal{"2"}}}, profiled); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
