package schema

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A draft holds a schema of this form as a whole, and Edit reports schemas that it cannot hold.
func TestEdit(t *testing.T) {
	const rest = "[[attribute]]\ncolumn = \"age\"\n"
	for _, c := range []struct {
		text string
		all  bool
	}{
		{rest + "kind = \"number\"\n", true},
		{rest + "kind = \"?\"\n", true},
		{rest + "cuts = [40, 60.5]\n", true},
		{rest + "cuts = [40, 60]\ndraw = \"integer\"\nleast = 0\nmost = 99\nother = \"none\"\nmissing = [\"NA\", \"-9\"]\n", true},
		{rest + "cuts = [40, 60]\ndraw = \"integer\"\n", true},
		{rest + "kind = \"number\"\ndraw = \"integer\"\n", true},
		{rest + "cuts = [40, 60]\ndraw = \"uniform\"\nplaces = 3\nleast = 0\nmost = 99\n", true},
		{rest + "values = [\"a\", \"b\"]\nordered = true\n", true},
		{rest + "groups = { \"x\" = [\"a\", \"b\"], \"y\" = [\"c\"] }\nother = \"rest\"\n", true},
		{"name = \"N\"\npublic = \"me\"\n[file]\nheader = true\ndelimiter = \";\"\ndecimal = \",\"\n[person]\ncolumn = \"id\"\nmost = 3\n[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\", \"2\"]\n" + rest + "cuts = [1]\n", true},
		{"[file]\nencoding = \"utf-16le\"\ncomment = \"#\"\nsheet = \"Patients\"\ntrim = true\n" + rest + "cuts = [1]\n", true},
		{"[label]\ncolumn = \"y\"\nvalues = [\"a\", \"b\", \"c\"]\n" + rest + "cuts = [1]\n", true},
		{"[label]\ncolumn = \"y\"\nat_least = 3\n" + rest + "cuts = [1]\n", false},
		{rest + "name = \"years\"\ncuts = [1]\n", false},
		{rest + "format = \"iso\"\ncuts = [1969-12-31, 2020-01-01]\n", true},
		{rest + "format = \"d.m.y\"\ncuts = [2020-01-01]\ndraw = \"day\"\nleast = 1969-12-31\nmost = 2025-12-31\nother = \"unknown\"\n", true},
		{rest + "kind = \"date\"\nformat = \"iso\"\ndraw = \"day\"\nleast = 2020-01-01\nmost = 2020-01-01\n", true},
		{rest + "format = \"d.m.y\"\nage_at = 2026-01-01\ncuts = [18, 40]\nother = \"unknown\"\nmissing = \"1.1.1900\"\n", true},
		{rest + "format = \"epoch\"\npart = \"weekday\"\ngroups = { \"weekend\" = [\"6\", \"7\"], \"work\" = [\"1\", \"2\"] }\nordered = true\n", true},
		{rest + "kind = \"date\"\n", true},
		{rest + "cuts = [1]\ndraw = [0, 5]\n", false},
		{rest + "values = [\"a\", \"b\"]\nordered = false\n", false},
		{rest + "values = [\"a\", \"b\"]\n[[profile]]\ncolumns = [\"age\"]\nnot_private = true\n", false},
	} {
		s, err := table.ParseOpenSchema("s", strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		d, all := Edit(s)
		if all != c.all {
			t.Errorf("%s: the draft holds all of it: %v", c.text, all)
		}
		if !all {
			continue
		}
		text, err := d.TOML()
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		again, err := table.ParseOpenSchema("s", bytes.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if twice, all := Edit(again); !all || len(twice.Columns) != len(d.Columns) {
			t.Errorf("%s: it cannot be edited again", text)
		}
	}
}
