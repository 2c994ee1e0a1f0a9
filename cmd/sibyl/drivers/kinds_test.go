package drivers

import (
	"context"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/source"
)

// A kind is a type of a database's columns, with values of it as SQL has them and their
// plain texts.
type kind struct {
	column string
	values texts
}

type texts map[string]string

// testKinds fills a column of each type with its values, each another number of times, and
// with a null; and holds what is counted in the database and what is read row by row to the
// same texts in a file.
func testKinds(t *testing.T, location string, kinds []kind, execute func(statement string) error) {
	for _, k := range kinds {
		statements := []string{"DROP TABLE IF EXISTS kinds", "CREATE TABLE kinds (a " + k.column + ")"}
		rows, listed := []string{"(NULL)"}, []string{`"none"`}
		var file strings.Builder
		lines := csv.NewWriter(&file)
		lines.Write([]string{"a", "nothing"})
		lines.Write([]string{"", ""})
		for literal, text := range k.values {
			for range len(rows) + 1 {
				rows = append(rows, "("+literal+")")
				lines.Write([]string{text, ""})
			}
			if text != "" {
				listed = append(listed, tomlText(text))
			}
		}
		lines.Flush()
		for _, statement := range append(statements, "INSERT INTO kinds VALUES "+strings.Join(rows, ", ")) {
			if err := execute(statement); err != nil {
				t.Fatalf("%s: %v", k.column, err)
			}
		}
		s := mustParse(t, "[[attribute]]\ncolumn = \"a\"\nvalues = ["+strings.Join(listed, ", ")+"]\nother = \"other\"")
		want, err := source.Read(context.Background(), "-", s, source.Options{Stdin: strings.NewReader(file.String())})
		if err != nil {
			t.Fatal(err)
		}
		o := source.Options{Query: "SELECT a FROM kinds"}
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

// tomlText writes a text of TOML.
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
