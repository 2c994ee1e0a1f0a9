package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// attribute returns an [[attribute]] on column a whose third line is the text.
func attribute(text string) string { return "[[attribute]]\ncolumn = \"a\"\n" + text + "\n" }

var malformed = []struct{ text, want string }{
	{"", `s.toml: a schema needs at least one [[attribute]]`},
	{"name", `s.toml:1: the schema is not TOML: expected '=' after key`},
	{"\nleast = 01.02.2023", `s.toml:2: the schema is not TOML: integers cannot have leading zeroes; write a date as 2020-01-31`},
	{"cuts = [2020-01-01, 1.02.2023]", `s.toml:1: the schema is not TOML: expected ',' or ']' after array value; write a date as 2020-01-31`},
	{"name = \"1.2.2023", `s.toml:1: the schema is not TOML: unterminated basic string`},
	{"name = \"a\"\nname = \"b\"", `s.toml:2: name is given twice`},
	{"name = 3", `s.toml:1: the schema's name must be a string, not a number`},
	{"name = \"a\xff\"", `s.toml:1: the schema is not UTF-8 text`},
	{"attributes = 1", `s.toml:1: unknown key "attributes" in the schema, whose keys are name, file, label, person, attribute, rule, profile and public`},
	{"[extra.part]", `s.toml:1: unknown key "extra" in the schema, whose keys are name, file, label, person, attribute, rule, profile and public`},
	{"[attribute]\ncolumn = \"a\"", `s.toml:1: attributes must be written [[attribute]], with two brackets`},
	{"[file]\n[file]", `s.toml:2: [file] is given twice`},
	{"file.trim = true\n[file]", `s.toml:2: [file] is given twice`},
	{"[\"a\\nb\"]\n[\"a\\nb\"]", `s.toml:2: ["a\nb"] is given twice`},
	{"\"a\\u001b\" = 1\n\"a\\u001b\" = 2", `s.toml:2: "a\x1b" is given twice`},
	{"\"a\\u202eb\" = 1", `s.toml:1: unknown key "a\u202eb" in the schema, whose keys are name, file, label, person, attribute, rule, profile and public`},
	{"3 = 1\n[5]", `s.toml:1: unknown key "3" in the schema, whose keys are name, file, label, person, attribute, rule, profile and public`},
	{strings.Repeat("a", 100) + " = 1", `s.toml:1: unknown key "` + strings.Repeat("a", 40) + `"…"` + strings.Repeat("a", 20) + `" in the schema, whose keys are name, file, label, person, attribute, rule, profile and public`},
	{"a" + strings.Repeat(".a", 10) + " = 1", `s.toml:1: a key has more than 10 parts`},
	{"[a" + strings.Repeat(".a", 10) + "]", `s.toml:1: a key has more than 10 parts`},
	{"name = [" + strings.Repeat(",", 1<<22+1), `s.toml: the schema is too large: it has more than 4194304 lines, commas and points`},
	{"#" + strings.Repeat(".", 1<<22+1), `s.toml: the schema is too large: it has more than 4194304 lines, commas and points`},
	{"#" + strings.Repeat("\n,.", 1<<22/3) + "\n.", `s.toml: the schema is too large: it has more than 4194304 lines, commas and points`},
	{"#" + strings.Repeat(".", 1<<22), `s.toml: a schema needs at least one [[attribute]]`},
	{"x = " + strings.Repeat("[", 20000), `s.toml:1: the schema is not TOML: arrays and inline tables are nested more than the maximum of 10000 levels deep`},
	{"file = 1", `s.toml:1: [file] must be a table, not a number`},
	{"[file]\nseparator = \";\"", `s.toml:2: unknown key "separator" in [file], whose keys are header, delimiter, decimal, encoding, trim, comment, sheet and columns`},
	{"[file]\nheader = \"no\"", `s.toml:2: "header" in [file] must be true or false, not a string`},
	{"[file]\ndelimiter = \";;\"", `s.toml:2: the delimiter must be one ASCII character, but not a quote, a line break or another control character except a tab`},
	{"[file]\ndelimiter = \"\\\"\"", `s.toml:2: the delimiter must be one ASCII character, but not a quote, a line break or another control character except a tab`},
	{"[file]\ndelimiter = \"\"", `s.toml:2: the delimiter must be one ASCII character, but not a quote, a line break or another control character except a tab`},
	{"[file]\ndecimal = \";\"", `s.toml:2: the decimal mark must be "." or ","`},
	{"[file]\ndecimal = \"\"", `s.toml:2: the decimal mark must be "." or ","`},
	{"[file]\nencoding = \"ansi1\"", `s.toml:2: encoding "ansi1" is unknown; usual ones are utf-8, windows-1252, iso-8859-15 and utf-16le`},
	{"[file]\nencoding = \"\"", `s.toml:2: "encoding" in [file] is empty`},
	{"[file]\ndelimiter = \"\\t\"\ntrim = true", `s.toml:3: "trim" cannot be true if the delimiter is a space or a tab`},
	{"[file]\ncomment = \"\"", `s.toml:2: "comment" in [file] is empty; remove the key if the file has no comments`},
	{"[file]\ncomment = \",\"", `s.toml:2: "comment" must not start with a quote or the delimiter, nor contain a line break`},
	{"[file]\nheader = false", `s.toml:1: [file] has header = false, so its key "columns" must list the columns in order`},
	{"[file]\ncolumns = []", `s.toml:2: "columns" in [file] is empty`},
	{"[file]\ncolumns = [\"a\",\n\"a\"]", `s.toml:3: column "a" is listed twice in the columns of [file]`},
	{"[file]\ncolumns = [\"a\", 2]", `s.toml:2: "columns" in [file] must be a list of strings, so write "2" in quotes`},
	{"[file]\ncolumns = [\"b\"]\n" + attribute(`values = ["x"]`), `s.toml:4: column "a" of attribute "a" is not among the columns of [file]`},
	{"[file]\ncolumns = [\"a\"]\n[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n" + attribute(`values = ["x"]`), `s.toml:4: the label's column "y" is not among the columns of [file]`},
	{"[label]\npositive = [\"1\"]\nnegative = [\"0\"]", `s.toml:1: [label] needs the key "column"`},
	{"[label]\ncolumn = \"y\"\npositive = [\"1\"]", `s.toml:1: [label] needs at least one value in "negative", or "at_least" if the label is a number`},
	{"[label]\ncolumn = \"y\"\nat_least = \"1\"\npositive = [\"1\"]", `s.toml:3: [label] must have either "at_least", or "positive" and "negative"`},
	{"[label]\ncolumn = \"y\"\nat_least = \"1e3\"", `s.toml:3: "at_least" in [label] must be a plain decimal number such as "10000" or "0.5"`},
	{"[label]\ncolumn = \"y\"\nat_least = 1e3", `s.toml:3: "at_least" in [label] must be a plain decimal number such as "10000" or "0.5"`},
	{"[label]\ncolumn = \"y\"\nat_least = \"\"", `s.toml:3: "at_least" in [label] must be a plain decimal number such as "10000" or "0.5"`},
	{"[label]\ncolumn = \"y\"\nat_least = true", `s.toml:3: "at_least" in [label] must be a plain decimal number such as "10000" or "0.5"`},
	{"[label]\ncolumn = \"y\"\nat_least = [1]", `s.toml:3: "at_least" in [label] must be a plain decimal number such as "10000" or "0.5"`},
	{"[label]\ncolumn = \"y\"\nmany = 3", `s.toml:3: unknown key "many" in [label], whose keys are column, positive, negative, at_least, values, groups, cuts, decimal, thousands, unit, missing, draw, places, least, most, kind and public`},
	{"[label]\ncolumn = \"y\"\nvalues = [\"1\", \"2\", \"3\"]\nat_least = 2", `s.toml:1: [label] must have only one of the following: "positive" with "negative", "at_least", "values", "groups", "cuts"`},
	{"[label]\ncolumn = \"y\"\nvalues = [\"1\", \"2\", \"3\"]\nnegative = [\"2\"]", `s.toml:1: [label] must have only one of the following: "positive" with "negative", "at_least", "values", "groups", "cuts"`},
	{"[label]\ncolumn = \"y\"\nvalues = [\"1\"]", `s.toml:1: [label] has 1 classes, but "values", "groups" and "cuts" need 3 to 64; for two classes give "positive" and "negative", or "at_least"`},
	{"[label]\ncolumn = \"y\"\ncuts = [4]", `s.toml:1: [label] has 2 classes, but "values", "groups" and "cuts" need 3 to 64; for two classes give "positive" and "negative", or "at_least"`},
	{"[label]\ncolumn = \"y\"\n" + manyValues(65), `s.toml:1: [label] has 65 classes, but "values", "groups" and "cuts" need 3 to 64; for two classes give "positive" and "negative", or "at_least"`},
	{"[label]\ncolumn = \"y\"\nvalues = [\"1\", \"2\",\n\"1\"]", `s.toml:4: [label] lists value "1" twice`},
	{"[label]\ncolumn = \"y\"\nvalues = []", `s.toml:3: "values" in [label] is empty`},
	{"[label]\ncolumn = \"y\"\ngroups = { a = [\"1\"], b = [\"2\"], c = [\"3\", \"1\"] }", `s.toml:3: [label] lists value "1" in two groups, "a" and "c"`},
	{"[label]\ncolumn = \"y\"\ncuts = [2,\n1]", `s.toml:4: the cuts of [label] must increase, but 1 follows 2`},
	{"[label]\ncolumn = \"y\"\nvalues = [\"1\", \"2\", \"3\"]\nother = \"rest\"", `s.toml:4: unknown key "other" in [label], whose keys are column, positive, negative, at_least, values, groups, cuts, decimal, thousands, unit, missing, draw, places, least, most, kind and public`},
	{"[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\",\n\"1\"]", `s.toml:5: value "1" of [label] is listed both in "positive" and in "negative"`},
	{"[label]\ncolumn = \"y\"\npositive = [\"1\", \"1\"]\nnegative = [\"0\"]", `s.toml:3: value "1" is listed twice in "positive" of [label]`},
	{"[label]\ncolumn = \"y\"\npositive = [1]\nnegative = [\"0\"]", `s.toml:3: "positive" in [label] must be a list of strings, so write "1" in quotes`},
	{"[label]\ncolumn = \"a\"\npositive = [\"1\"]\nnegative = [\"0\"]\n" + attribute(`values = ["x"]`), `s.toml:6: column "a" is already the label's column and cannot be an attribute too`},
	{"[[attribute]]\nvalues = [\"x\"]", `s.toml:1: attribute 1 needs the key "column"`},
	{attribute(``), `s.toml:1: attribute "a" must have exactly one of the keys "values", "groups" and "cuts", and this key must not be empty`},
	{attribute(`values = ["x"]` + "\ncuts = [1]"), `s.toml:1: attribute "a" must have exactly one of the keys "values", "groups" and "cuts", and this key must not be empty`},
	{attribute(`value = ["x"]`), `s.toml:3: unknown key "value" in attribute "a", whose keys are name, column, values, groups, cuts, other, format, part, age_at, ordered, decimal, thousands, unit, draw, places, least, most, missing, kind and public`},
	{attribute(`values = []`), `s.toml:3: "values" of attribute "a" is empty`},
	{attribute(`values = "x"`), `s.toml:3: "values" of attribute "a" must be a list of strings, not a string`},
	{attribute("values = [\"x\",\n\"y\",\n\"x\"]"), `s.toml:5: attribute "a" lists value "x" twice`},
	{attribute(`values = ["x", ""]`), `s.toml:3: attribute "a" lists an empty value; missing values belong to the category "other" or make the record null`},
	{attribute(`values = ["x"]` + "\nother = \"x\""), `s.toml:4: attribute "a" already has a category "x"; give "other" another name`},
	{attribute(`values = ["x"]` + "\nother = \"\""), `s.toml:4: "other" of attribute "a" is empty`},
	{attribute(`groups = ["x"]`), `s.toml:3: "groups" of attribute "a" must be a table such as { low = ["a", "b"], high = ["c"] }, not a list`},
	{attribute(`groups = {}`), `s.toml:3: "groups" of attribute "a" is empty`},
	{attribute(`groups = { g = [] }`), `s.toml:3: group "g" in "groups" of attribute "a" is empty`},
	{attribute(`groups = { g = ["x"], g = ["y"] }`), `s.toml:3: g is given twice`},
	{attribute("groups = { g = [\"x\"], 0 = [\"y\"], h = [\n\"x\"] }"), `s.toml:4: attribute "a" lists value "x" in two groups, "g" and "h"`},
	{attribute("cuts = [\"2020-01-01\"]"), `s.toml:3: "cuts" of attribute "a" are dates, so attribute "a" needs "format", which states how its dates are written, such as "iso" or "d.m.y", and must have neither "part" nor "age_at"`},
	{attribute("format = \"iso\"\ncuts = [\"2020-01-01\",\n\"2019-01-01\"]"), `s.toml:5: the cuts of attribute "a" must increase, but 2019-01-01 follows 2020-01-01`},
	{attribute("format = \"iso\"\ncuts = [\"2023-02-29\"]"), `s.toml:4: "cuts" of attribute "a" has a date that does not exist, "2023-02-29"`},
	{attribute("format = \"y\"\ncuts = [\"2020-01-01\"]"), `s.toml:3: "format" of attribute "a" must be "iso", "d.m.y", "m/d/y" or "epoch", not "y"`},
	{attribute("format = \"iso\"\npart = \"year\"\nvalues = [\"0\"]"), `s.toml:1: attribute "a year" lists "0", but its values are numbers from 1 to 9999: the year of a date`},
	{attribute(`groups = { g = ["x"], h = ["x"] }`), `s.toml:3: attribute "a" lists value "x" in two groups, "g" and "h"`},
	{attribute(`cuts = []`), `s.toml:3: "cuts" of attribute "a" is empty`},
	{attribute(`cuts = ["1"]`), `s.toml:3: "cuts" of attribute "a" must be a list of plain decimal numbers such as 26 or 0.5`},
	{attribute(`cuts = [1e3]`), `s.toml:3: "cuts" of attribute "a" must be a list of plain decimal numbers such as 26 or 0.5`},
	{attribute(`cuts = [inf]`), `s.toml:3: "cuts" of attribute "a" must be a list of plain decimal numbers such as 26 or 0.5`},
	{attribute("cuts = [2,\n1]"), `s.toml:4: the cuts of attribute "a" must increase, but 1 follows 2`},
	{attribute(`cuts = [0.5, 0.50]`), `s.toml:3: the cuts of attribute "a" must increase, but 0.5 follows 0.5`},
	{attribute(`values = ["x"]`) + attribute(`values = ["x"]`), `s.toml:4: two attributes are named "a"; give one of them another name`},
	{attribute(manyValues(table.MaxCategories + 1)), `s.toml:1: attribute "a" has 65536 categories, but at most 65535 are supported`},
	{attribute("values = [\"x\"]\ndraw = \"integer\""), `s.toml:4: "draw" of attribute "a" is not supported for its kind of categories: "integer", "uniform" and lists are for cuts, "first" is for groups`},
	{attribute("cuts = [2]\ndraw = \"first\""), `s.toml:4: "draw" of attribute "a" is not supported for its kind of categories: "integer", "uniform" and lists are for cuts, "first" is for groups`},
	{attribute("groups = { x = [\"1\"] }\ndraw = [1]"), `s.toml:4: "draw" of attribute "a" is not supported for its kind of categories: "integer", "uniform" and lists are for cuts, "first" is for groups`},
	{attribute("cuts = [2]\nleast = 0"), `s.toml:1: "least" and "most" of attribute "a" require draw = "integer" or draw = "uniform"; add one of them, or delete "least" and "most"`},
	{attribute("cuts = [2]\ndraw = \"integer\"\nleast = 0"), `s.toml:1: attribute "a" has the key "draw", so it also needs the keys "least" and "most", the least and the greatest number to draw`},
	{attribute("cuts = [2]\ndraw = \"integers\""), `s.toml:4: "draw" of attribute "a" must be "integer", "uniform", "day", "first" or a list of numbers`},
	{attribute("cuts = [2]\ndraw = 1"), `s.toml:4: "draw" of attribute "a" must be a string, not a number`},
	{attribute("cuts = [2]\ndraw = \"integer\"\nleast = 2\nmost = 9"), `s.toml:1: the interval "<2" of attribute "a" contains no number to draw; change its keys "least", "most" or "places"`},
	{attribute("cuts = [-3, 1.5, 9, 12.5, 90]\ndraw = \"uniform\"\nplaces = 1\nleast = 1\nmost = 9"), `s.toml:1: the interval "<-3" of attribute "a" contains no number to draw; delete the cuts -3, 12.5 and 90, or change its keys "least", "most" or "places"`},
	{attribute("cuts = [2, 2.5, 2.7]\ndraw = \"integer\"\nleast = 1\nmost = 9"), `s.toml:1: the interval "[2.5,2.7)" of attribute "a" contains no number to draw; delete the cut 2.7, or change its keys "least", "most" or "places"`},
	{attribute("cuts = [2]\ndraw = \"integer\"\nleast = 1\nmost = 2000000000000000000"), `s.toml:1: attribute "a" has numbers that are too large to draw; change its keys "least", "most" or "places"`},
	{attribute("cuts = [2]\ndraw = \"integer\"\nleast = 1\nmost = 9\nplaces = 1"), `s.toml:7: "places" of attribute "a" requires draw = "uniform"; set it, or delete "places"`},
	{attribute("cuts = [2]\ndraw = \"uniform\"\nleast = 1\nmost = 9\nplaces = 10"), `s.toml:7: "places" of attribute "a" is 10, but it must be within 1..9`},
	{attribute("cuts = [2]\ndraw = \"uniform\"\nleast = 1\nmost = 9\nplaces = 0"), `s.toml:7: "places" of attribute "a" must be an integer of at least 1`},
	{attribute("cuts = [2]\ndraw = []"), `s.toml:4: "draw" of attribute "a" is empty`},
	{attribute("cuts = [2]\ndraw = [1, 3, 2]"), `s.toml:4: the numbers in "draw" of attribute "a" must increase, but 2 follows 3`},
	{attribute("cuts = [2]\ndraw = [2, 3]"), `s.toml:4: "draw" of attribute "a" has no number in the interval "<2"; add one`},
	{attribute("values = [\"x\"]\nmissing = \"?\""), `s.toml:4: "missing" of attribute "a" requires the key "other", the category that synthetic rows write as this text; add it, or delete "missing"`},
	{attribute("values = [\"x\"]\nother = \"rest\"\nmissing = \"x\""), `s.toml:5: "missing" of attribute "a" is a value of another category; give a value that is read as "other"`},
	{attribute("cuts = [1]\nmissing = [\"-1\", \"1e3\"]"), `s.toml:4: "missing" of attribute "a" has the number "1e3", which must be a plain decimal such as -999 or 0.5`},
	{attribute("cuts = [1]\nmissing = [\"-1\", \"-1\"]"), `s.toml:4: "missing" of attribute "a" lists "-1" twice`},
	{attribute("cuts = [1]\nmissing = [-1]"), `s.toml:4: "missing" of attribute "a" must be a list of strings, so write "-1" in quotes`},
	{attribute("cuts = [1]\nordered = true"), `s.toml:4: "ordered" of attribute "a" is for values and groups, because intervals are always ordered; leave it out`},
	{attribute("values = [\"x\"]\nordered = 1"), `s.toml:4: "ordered" of attribute "a" must be true or false, not a number`},
	{"[label]\ncolumn = \"y\"\nat_least = 1\ndraw = \"integer\"\nleast = 1\nmost = 3\n" + attribute(`values = ["x"]`), `s.toml:1: the interval "<1" of [label] contains no number to draw; change its keys "least", "most" or "places"`},
	{"rule = 1\n" + attribute(`values = ["x"]`), `s.toml:1: rules must be written [[rule]], with two brackets`},
	{ruled(`forbids = {}`), `s.toml:11: unknown key "forbids" in [[rule]], whose keys are forbid, at_most, function, of, table and otherwise`},
	{ruled(``), `s.toml:10: a [[rule]] must have exactly one of the keys "forbid", "at_most" and "function"`},
	{ruled("forbid = { a = [\"1\"] }\nat_most = [\"a\", \"b\"]"), `s.toml:10: a [[rule]] must have exactly one of the keys "forbid", "at_most" and "function"`},
	{ruled(`forbid = { c = ["1"] }`), `s.toml:11: unknown attribute "c" in a [[rule]]`},
	{ruled(`forbid = { a = ["4"] }`), `s.toml:11: unknown category "4" of attribute "a" in a [[rule]]`},
	{ruled(`forbid = { a = ["1", "2", "3"] }`), `s.toml:10: no row was found that satisfies all rules; leave one of them out`},
	{ruled(`at_most = ["a"]`), `s.toml:11: "at_most" of [[rule]] needs at least two attributes, the one with the least number first`},
	{ruled(`at_most = ["a", "a"]`), `s.toml:11: a [[rule]] names "a" twice`},
	{ruled(`at_most = ["a", "w"]`), `s.toml:11: "at_most" of [[rule]] needs numbers, but attribute "w" has other values`},
	{ruled(`at_most = ["a", "b"]`), `s.toml:11: "at_most" of [[rule]] needs numbers, but attribute "b" does not have draw = "integer" or draw = "uniform" with "least" and "most"`},
	{ruled(`function = "a"`), `s.toml:10: a [[rule]] with the key "function" needs the key "of", the list of the attributes on which the function depends`},
	{ruled("function = \"a\"\nof = [\"w\"]\ntable = [[\"x\", \"1\"]]"), `s.toml:10: "table" of [[rule]] does not define "a" for all categories; add the missing lines, or the key "otherwise"`},
	{ruled("function = \"a\"\nof = [\"w\"]\ntable = [[\"x\"]]"), `s.toml:13: a line in "table" of [[rule]] has 1 categories, but needs 2: one for each attribute in "of", and then the category of the function`},
	{ruled("function = \"a\"\nof = [\"w\"]\ntable = [[\"x\", \"1\"], [\"x\", \"2\"]]"), `s.toml:13: "table" of [[rule]] for "a" has two lines for the same categories`},
	{ruled("function = \"a\"\nof = [\"a\"]\notherwise = \"1\""), `s.toml:10: the rules define "a" as a function of itself; leave one of them out`},
	{ruled("function = \"a\"\nof = [\"w\"]\ntable = 1"), "s.toml:13: \"table\" of [[rule]] must be a list of lists such as [\"Bonn\", \"NW\"], not a number"},
	{ruled("of = [\"w\"]\nforbid = { a = [\"1\"] }"), `s.toml:10: the keys "of", "table" and "otherwise" of a [[rule]] require the key "function"; add it, or delete them`},
	{ruled("function = \"a\"\nof = [\"w\"]\notherwise = \"1\"\n[[rule]]\nfunction = \"a\"\nof = [\"b\"]\notherwise = \"1\""), `s.toml:15: two rules define "a" as a function; leave one of them out`},
	{ruled("forbid = { a = [\"1\"] }\n[[attribute]]\ncolumn = \"a\"\nname = \"d\"\nvalues = [\"1\"]"), `s.toml:10: [[rule]] is not supported for this schema: two attributes have the column "a", so its values could not be written; leave one of them out`},
}

// ruled returns a schema with the attributes a, b and w and, from line 10, a rule.
func ruled(rule string) string {
	return "[[attribute]]\ncolumn = \"a\"\nvalues = [\"1\", \"2\", \"3\"]\n[[attribute]]\ncolumn = \"b\"\ncuts = [2]\n[[attribute]]\ncolumn = \"w\"\nvalues = [\"x\", \"y\"]\n[[rule]]\n" + rule + "\n"
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

// An endless is a file that never ends, such as /dev/zero.
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
			s.Attributes[i].Coder(nil)
		}
	})
}
