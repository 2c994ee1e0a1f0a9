package table_test

import (
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// TestDigest checks that the digest depends on the settings that determine cells and weights, and
// on nothing else.
func TestDigest(t *testing.T) {
	const schema = `
name = "Stays"
[file]
delimiter = ";"
[label]
column = "back"
positive = ["yes"]
negative = ["no"]
[person]
column = "patient"
most = 2
[[attribute]]
name = "ward"
column = "w"
values = ["a", "b"]
other = "else"
[[attribute]]
column = "age"
cuts = [18, 65]
draw = "integer"
least = 0
most = 120
[[rule]]
forbid = { ward = ["a"], age = ["<18"] }
`
	digest := func(text string) string {
		s := tabletest.Schema(t, text)
		return s.Digest()
	}
	want := digest(schema)
	for _, same := range [][2]string{
		{`"Stays"`, `"Visits"`}, {`delimiter = ";"`, "encoding = \"windows-1252\"\ncolumns = [\"w\", \"age\", \"back\", \"patient\"]"},
		{"most = 120", "most = 130"}, {`ward = ["a"], `, ""},
	} {
		if digest(strings.Replace(schema, same[0], same[1], 1)) != want {
			t.Errorf("%s for %s is another domain", same[1], same[0])
		}
	}
	for _, other := range [][2]string{
		{`["yes"]`, `["yes", "y"]`}, {"most = 2", "most = 3"}, {`"patient"`, `"p"`}, {`["a", "b"]`, `["a", "c"]`},
		{`"else"`, `"rest"`}, {"[18, 65]", "[18, 66]"}, {`column = "w"`, `column = "v"`}, {"[person]\ncolumn = \"patient\"\nmost = 2\n", ""},
		{`column = "back"`, `column = "b"`},
	} {
		if digest(strings.Replace(schema, other[0], other[1], 1)) == want {
			t.Errorf("%s for %s is the same domain", other[1], other[0])
		}
	}
}
