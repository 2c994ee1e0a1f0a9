package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/table"
)

// attribute writes an [[attribute]] on column a, whose third line is the text.
func attribute(text string) string { return "[[attribute]]\ncolumn = \"a\"\n" + text + "\n" }

var malformed = []struct{ text, want string }{
	{"", `s.toml: a schema needs at least one [[attribute]]`},
	{"name", `s.toml:1: the schema is not TOML: expected '=' after key`},
	{"name = \"a\"\nname = \"b\"", `s.toml:2: name is given twice`},
	{"name = 3", `s.toml:1: the schema's name must be a string, not a number`},
	{"name = \"a\xff\"", `s.toml:1: the schema is not UTF-8 text`},
	{"attributes = 1", `s.toml:1: unknown key "attributes" in the schema, whose keys are name, file, label, person and attribute`},
	{"[extra.part]", `s.toml:1: unknown key "extra" in the schema, whose keys are name, file, label, person and attribute`},
	{"[attribute]\ncolumn = \"a\"", `s.toml:1: attributes must be written [[attribute]], with two brackets`},
	{"[file]\n[file]", `s.toml:2: [file] is given twice`},
	{"file.trim = true\n[file]", `s.toml:2: [file] is given twice`},
	{"[\"a\\nb\"]\n[\"a\\nb\"]", `s.toml:2: ["a\nb"] is given twice`},
	{"\"a\\u001b\" = 1\n\"a\\u001b\" = 2", `s.toml:2: "a\x1b" is given twice`},
	{"\"a\\u202eb\" = 1", `s.toml:1: unknown key "a\u202eb" in the schema, whose keys are name, file, label, person and attribute`},
	{"3 = 1\n[5]", `s.toml:1: unknown key "3" in the schema, whose keys are name, file, label, person and attribute`},
	{strings.Repeat("a", 100) + " = 1", `s.toml:1: unknown key "` + strings.Repeat("a", 40) + `"…"` + strings.Repeat("a", 20) + `" in the schema, whose keys are name, file, label, person and attribute`},
	{"a" + strings.Repeat(".a", 10) + " = 1", `s.toml:1: a key has more than 10 parts`},
	{"[a" + strings.Repeat(".a", 10) + "]", `s.toml:1: a key has more than 10 parts`},
	{"name = [" + strings.Repeat(",", 1<<22+1), `s.toml: the schema has more than 4194304 lines, commas and points`},
	{"x = " + strings.Repeat("[", 20000), `s.toml:1: the schema is not TOML: arrays and inline tables are nested more than the maximum of 10000 levels deep`},
	{"file = 1", `s.toml:1: [file] must be a table, not a number`},
	{"[file]\nseparator = \";\"", `s.toml:2: unknown key "separator" in [file], whose keys are header, delimiter, decimal, encoding, trim, comment and columns`},
	{"[file]\nheader = \"no\"", `s.toml:2: header in [file] must be true or false, not a string`},
	{"[file]\ndelimiter = \";;\"", `s.toml:2: the delimiter must be one ASCII character, but not a quote, a line break or another control character except a tab`},
	{"[file]\ndelimiter = \"\\\"\"", `s.toml:2: the delimiter must be one ASCII character, but not a quote, a line break or another control character except a tab`},
	{"[file]\ndelimiter = \"\"", `s.toml:2: the delimiter must be one ASCII character, but not a quote, a line break or another control character except a tab`},
	{"[file]\ndecimal = \";\"", `s.toml:2: the decimal mark must be "." or ","`},
	{"[file]\ndecimal = \"\"", `s.toml:2: the decimal mark must be "." or ","`},
	{"[file]\nencoding = \"ansi1\"", `s.toml:2: encoding "ansi1" is unknown; usual ones are utf-8, windows-1252, iso-8859-15 and utf-16le`},
	{"[file]\nencoding = \"\"", `s.toml:2: encoding in [file] is empty`},
	{"[file]\ndelimiter = \"\\t\"\ntrim = true", `s.toml:3: trim cannot be true where the delimiter is a space or a tab`},
	{"[file]\ncomment = \"\"", `s.toml:2: comment in [file] is empty; leave the key out where there are no comments`},
	{"[file]\ncomment = \",\"", `s.toml:2: a comment must not start with a quote or the delimiter, nor hold a line break`},
	{"[file]\nheader = false", `s.toml:1: [file] has header = false, so it must list the columns in order`},
	{"[file]\ncolumns = []", `s.toml:2: columns in [file] is empty`},
	{"[file]\ncolumns = [\"a\",\n\"a\"]", `s.toml:3: column "a" is listed twice in the columns of [file]`},
	{"[file]\ncolumns = [\"a\", 2]", `s.toml:2: columns in [file] must be a list of strings, so write "2" in quotes`},
	{"[file]\ncolumns = [\"b\"]\n" + attribute(`values = ["x"]`), `s.toml:4: column "a" of attribute "a" is not among the columns of [file]`},
	{"[file]\ncolumns = [\"a\"]\n[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n" + attribute(`values = ["x"]`), `s.toml:4: the label's column "y" is not among the columns of [file]`},
	{"[label]\npositive = [\"1\"]\nnegative = [\"0\"]", `s.toml:1: [label] needs a column`},
	{"[label]\ncolumn = \"y\"\npositive = [\"1\"]", `s.toml:1: [label] needs at least one value in negative, or at_least where the outcome is a number`},
	{"[label]\ncolumn = \"y\"\nat_least = \"1\"\npositive = [\"1\"]", `s.toml:3: [label] must have either at_least, or positive and negative`},
	{"[label]\ncolumn = \"y\"\nat_least = \"1e3\"", `s.toml:3: at_least in [label] must be a plain decimal number such as "10000" or "0.5"`},
	{"[label]\ncolumn = \"y\"\nat_least = 1e3", `s.toml:3: at_least in [label] must be a plain decimal number such as "10000" or "0.5"`},
	{"[label]\ncolumn = \"y\"\nat_least = \"\"", `s.toml:3: at_least in [label] must be a plain decimal number such as "10000" or "0.5"`},
	{"[label]\ncolumn = \"y\"\nat_least = true", `s.toml:3: at_least in [label] must be a plain decimal number such as "10000" or "0.5"`},
	{"[label]\ncolumn = \"y\"\nat_least = [1]", `s.toml:3: at_least in [label] must be a plain decimal number such as "10000" or "0.5"`},
	{"[label]\ncolumn = \"y\"\nmost = 3", `s.toml:3: unknown key "most" in [label], whose keys are column, positive, negative, at_least, values, groups and cuts`},
	{"[label]\ncolumn = \"y\"\nvalues = [\"1\", \"2\", \"3\"]\nat_least = 2", `s.toml:1: [label] must have only one of positive with negative, at_least, values, groups and cuts`},
	{"[label]\ncolumn = \"y\"\nvalues = [\"1\", \"2\", \"3\"]\nnegative = [\"2\"]", `s.toml:1: [label] must have only one of positive with negative, at_least, values, groups and cuts`},
	{"[label]\ncolumn = \"y\"\nvalues = [\"1\"]", `s.toml:1: [label] has 1 outcomes; values, groups and cuts are for 3 to 64 of them, and two are written positive and negative, or at_least`},
	{"[label]\ncolumn = \"y\"\ncuts = [4]", `s.toml:1: [label] has 2 outcomes; values, groups and cuts are for 3 to 64 of them, and two are written positive and negative, or at_least`},
	{"[label]\ncolumn = \"y\"\n" + manyValues(65), `s.toml:1: [label] has 65 outcomes; values, groups and cuts are for 3 to 64 of them, and two are written positive and negative, or at_least`},
	{"[label]\ncolumn = \"y\"\nvalues = [\"1\", \"2\",\n\"1\"]", `s.toml:4: [label] lists value "1" twice`},
	{"[label]\ncolumn = \"y\"\nvalues = []", `s.toml:3: values in [label] is empty`},
	{"[label]\ncolumn = \"y\"\ngroups = { a = [\"1\"], b = [\"2\"], c = [\"3\", \"1\"] }", `s.toml:3: [label] lists value "1" in two groups, "a" and "c"`},
	{"[label]\ncolumn = \"y\"\ncuts = [2,\n1]", `s.toml:4: the cuts of [label] must increase, but 1 follows 2`},
	{"[label]\ncolumn = \"y\"\nvalues = [\"1\", \"2\", \"3\"]\nother = \"rest\"", `s.toml:4: unknown key "other" in [label], whose keys are column, positive, negative, at_least, values, groups and cuts`},
	{"[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\",\n\"1\"]", `s.toml:5: value "1" of [label] cannot be both positive and negative`},
	{"[label]\ncolumn = \"y\"\npositive = [\"1\", \"1\"]\nnegative = [\"0\"]", `s.toml:3: value "1" is listed twice in positive of [label]`},
	{"[label]\ncolumn = \"y\"\npositive = [1]\nnegative = [\"0\"]", `s.toml:3: positive in [label] must be a list of strings, so write "1" in quotes`},
	{"[label]\ncolumn = \"a\"\npositive = [\"1\"]\nnegative = [\"0\"]\n" + attribute(`values = ["x"]`), `s.toml:6: column "a" is the label's and cannot serve an attribute too`},
	{"[[attribute]]\nvalues = [\"x\"]", `s.toml:1: attribute 1 needs a column`},
	{attribute(``), `s.toml:1: attribute "a" must have exactly one of values, groups and cuts, and not an empty one`},
	{attribute(`values = ["x"]` + "\ncuts = [1]"), `s.toml:1: attribute "a" must have exactly one of values, groups and cuts, and not an empty one`},
	{attribute(`value = ["x"]`), `s.toml:3: unknown key "value" in attribute "a", whose keys are name, column, values, groups, cuts and other`},
	{attribute(`values = []`), `s.toml:3: values of attribute "a" is empty`},
	{attribute(`values = "x"`), `s.toml:3: values of attribute "a" must be a list of strings, not a string`},
	{attribute("values = [\"x\",\n\"y\",\n\"x\"]"), `s.toml:5: attribute "a" lists value "x" twice`},
	{attribute(`values = ["x", ""]`), `s.toml:3: attribute "a" lists an empty value; missing values belong to other or make the record null`},
	{attribute(`values = ["x"]` + "\nother = \"x\""), `s.toml:4: attribute "a" has a category "x" already, so other needs another name`},
	{attribute(`values = ["x"]` + "\nother = \"\""), `s.toml:4: other of attribute "a" is empty`},
	{attribute(`groups = ["x"]`), `s.toml:3: groups of attribute "a" must be a table such as { low = ["a", "b"], high = ["c"] }, not a list`},
	{attribute(`groups = {}`), `s.toml:3: groups of attribute "a" is empty`},
	{attribute(`groups = { g = [] }`), `s.toml:3: group "g" in groups of attribute "a" is empty`},
	{attribute(`groups = { g = ["x"], g = ["y"] }`), `s.toml:3: g is given twice`},
	{attribute("groups = { g = [\"x\"], 0 = [\"y\"], h = [\n\"x\"] }"), `s.toml:4: attribute "a" lists value "x" in two groups, "g" and "h"`},
	{attribute(`groups = { g = ["x"], h = ["x"] }`), `s.toml:3: attribute "a" lists value "x" in two groups, "g" and "h"`},
	{attribute(`cuts = []`), `s.toml:3: cuts of attribute "a" is empty`},
	{attribute(`cuts = ["1"]`), `s.toml:3: cuts of attribute "a" must be a list of plain decimal numbers such as 26 or 0.5`},
	{attribute(`cuts = [1e3]`), `s.toml:3: cuts of attribute "a" must be a list of plain decimal numbers such as 26 or 0.5`},
	{attribute(`cuts = [inf]`), `s.toml:3: cuts of attribute "a" must be a list of plain decimal numbers such as 26 or 0.5`},
	{attribute("cuts = [2,\n1]"), `s.toml:4: the cuts of attribute "a" must increase, but 1 follows 2`},
	{attribute(`cuts = [0.5, 0.50]`), `s.toml:3: the cuts of attribute "a" must increase, but 0.5 follows 0.5`},
	{attribute(`values = ["x"]`) + attribute(`values = ["x"]`), `s.toml:4: two attributes are named "a"; give one of them another name`},
	{attribute(manyValues(table.MaxCategories + 1)), `s.toml:1: attribute "a" has 65536 categories, but at most 65535 are possible`},
}

func manyValues(n int) string {
	var b strings.Builder
	b.WriteString("values = [")
	for i := range n {
		fmt.Fprintf(&b, "\"%d\",", i)
	}
	return b.String() + "]"
}

func TestMalformedSchemas(t *testing.T) {
	for _, m := range malformed {
		s, err := table.ParseSchema("s.toml", strings.NewReader(m.text))
		if err == nil || err.Error() != m.want || s != nil {
			t.Errorf("%.200s\n got  %v\n want %s", m.text, err, m.want)
		}
	}
}

// An endless is a file without an end, such as /dev/zero.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	clear(p)
	e.read += int64(len(p))
	return len(p), nil
}

func TestEndlessSchema(t *testing.T) {
	e := &endless{}
	s, err := table.ParseSchema("s.toml", e)
	if err == nil || err.Error() != "s.toml: the schema cannot be read: it is longer than 64 MiB" || s != nil {
		t.Error(err)
	}
	if e.read > 2*table.MostBytes {
		t.Errorf("%d bytes were read", e.read)
	}
}

func FuzzParseSchema(f *testing.F) {
	f.Add(people)
	for _, m := range malformed[:len(malformed)-1] {
		f.Add(m.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := table.ParseSchema("s.toml", strings.NewReader(text))
		if (s == nil) == (err == nil) {
			t.Fatalf("schema %v and error %v", s, err)
		}
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("not one line: %q", err)
			}
			return
		}
		if _, err := table.NewSchema(*s); err != nil {
			t.Fatalf("parsed but refused: %v", err)
		}
		j, err := s.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(table.Schema).UnmarshalJSON(j); err != nil {
			t.Fatalf("%s: %v", j, err)
		}
		for i := range s.Attributes {
			s.Attributes[i].Coder('.')
		}
	})
}
