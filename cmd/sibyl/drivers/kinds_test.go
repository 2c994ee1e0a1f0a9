package drivers

import (
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// A kind is a column type of a database, with values. A value is an SQL literal and its plain text.
type kind struct {
	column string
	values texts
}

type texts map[string]string

// rows returns a null and the values, as SQL literals and as plain texts. Each occurs a different number of times.
func (k kind) rows() (literals, plain []string) {
	literals, plain = []string{"(NULL)"}, []string{""}
	for _, literal := range slices.Sorted(maps.Keys(k.values)) {
		for range len(literals) + 1 {
			literals, plain = append(literals, "("+literal+")"), append(plain, k.values[literal])
		}
	}
	return literals, plain
}

// fillKinds creates a table for each type: kinds0, kinds1, …. The column a of a table has this type.
func fillKinds(t *testing.T, kinds []kind, execute func(statement string) error) {
	t.Helper()
	for i, k := range kinds {
		literals, _ := k.rows()
		name := fmt.Sprint("kinds", i)
		for _, statement := range []string{
			"DROP TABLE IF EXISTS " + name, "CREATE TABLE " + name + " (a " + k.column + ")",
			"INSERT INTO " + name + " VALUES " + strings.Join(literals, ", "),
		} {
			if err := execute(statement); err != nil {
				t.Fatalf("%s: %v", k.column, err)
			}
		}
	}
}

// checkKinds compares the counts of the database, and the rows that are read one by one, with those of a file with the
// same texts.
func checkKinds(t *testing.T, location string, kinds []kind) {
	t.Helper()
	for i, k := range kinds {
		_, plain := k.rows()
		var file strings.Builder
		lines := csv.NewWriter(&file)
		lines.Write([]string{"a", "nothing"})
		listed := []string{`"none"`}
		for j, text := range plain {
			lines.Write([]string{text, ""})
			if text != "" && text != plain[j-1] {
				listed = append(listed, tomlText(text))
			}
		}
		lines.Flush()
		s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\nvalues = ["+strings.Join(listed, ", ")+"]\nother = \"other\"\n"+
			"[[attribute]]\ncolumn = \"a\"\nname = \"cut\"\ncuts = [-129, -7, 0, 0.05, 1, 2000, 99999999999999999999]\nother = \"other\"\n"+
			"[[attribute]]\ncolumn = \"a\"\nname = \"first\"\nvalues = [\"a\", \"0\", \"0.1\", \"true\", \"12.50\", \"2024-02-29\", \"2024-02-29T01:02:03.5Z\"]\nother = \"other\"")
		want, err := source.Read(context.Background(), "-", s, source.Options{Stdin: strings.NewReader(file.String())})
		if err != nil {
			t.Fatal(err)
		}
		o := source.Options{Query: fmt.Sprintf("SELECT a FROM kinds%d", i)}
		got, err := source.Read(context.Background(), location, s, o)
		if err != nil {
			t.Errorf("%s: %v", k.column, err)
			continue
		}
		if !got.Equal(want) {
			t.Errorf("%s: %d texts of %d rows where they are counted, %d of %d in a file", k.column, got.Len(), got.Rows(), want.Len(), want.Rows())
		}
		b := s.Builder()
		err = source.Records(context.Background(), location, s, o, func(r source.Row) error {
			return b.Add(r.Record, r.Label, 1)
		})
		if err != nil {
			t.Errorf("%s: %v", k.column, err)
		} else if !b.Table().Equal(want) {
			t.Errorf("%s: other texts where rows are read one by one", k.column)
		}
	}
}

// tomlText quotes a text for TOML.
func tomlText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		if r < ' ' || r == '"' || r == '\\' {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
