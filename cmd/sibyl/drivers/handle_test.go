package drivers

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// If the calling program has opened a database with a known driver, the database counts the records; with another
// driver, it returns all rows. In both cases the result equals that of a file with the same rows, and no transaction
// remains open.
func TestHandles(t *testing.T) {
	schema := "[label]\ncolumn = \"y\"\npositive = [\"yes\"]\nnegative = [\"no\"]\n"
	for _, column := range []string{"a", "b", "c"} {
		schema += fmt.Sprintf("[[attribute]]\ncolumn = %q\ncuts = [%s]\n", column, "1,2,3,4,5,6,7,8,9")
		for d := range 4 {
			schema += fmt.Sprintf("[[attribute]]\nname = \"%s%d\"\ncolumn = %q\ncuts = [%d]\n", column, d, column, 2*d+1)
		}
	}
	s := tabletest.Schema(t, schema)
	text := "a,b,c,y\n"
	statements := []string{"CREATE TABLE people (a INTEGER, b INTEGER, c INTEGER, y VARCHAR(9))"}
	for i := range 200 {
		row := []any{i * i % 11, i % 7, i % 13, [...]string{"yes", "no", "?"}[i*i%17%3]}
		text += fmt.Sprintf("%d,%d,%d,%s\n", row...)
		statements = append(statements, fmt.Sprintf("INSERT INTO people VALUES (%d, %d, %d, '%s')", row...))
	}
	want, err := source.Read(t.Context(), "-", s, source.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	inDirectory(t)
	for name, open := range map[string]func(testing.TB) (string, *sql.DB){
		"sqlite": func(t testing.TB) (string, *sql.DB) {
			db, err := sql.Open("sqlite", "file:people.db")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return "", db
		},
		"postgres": openPostgres, "mysql": openMySQL,
	} {
		t.Run(name, func(t *testing.T) {
			_, db := open(t)
			execute(t, db, statements...)
			o := source.Options{DB: db, Query: "SELECT * FROM people"}
			if err := source.Ready(t.Context(), "", s, table.Queries{}, o); err != nil {
				t.Fatal(err)
			}
			whole, err := source.Read(t.Context(), "", s, o)
			if err != nil || !whole.Equal(want) {
				t.Errorf("%v, not %v: %v", whole, want, err)
			}
			counts, done, err := source.Counts(t.Context(), "", s, table.Queries{}, o)
			if err != nil {
				t.Fatal(err)
			}
			if of := fmt.Sprintf("%T", counts); (of == "*table.Table") != (name == "mysql") {
				t.Errorf("counts are of %s", of)
			}
			ask := [][]table.Axis{{{Column: 0, Size: 10}, {Column: len(s.Attributes), Size: 2}}, {{Column: 5, Size: 10}, {Column: 11, Size: 2}}}
			got, err := counts.Marginals(t.Context(), ask)
			all, err2 := want.Marginals(t.Context(), ask)
			if fmt.Sprint(got) != fmt.Sprint(all) || err != nil || err2 != nil || counts.Rows() != want.Rows() || counts.Nulls() != want.Nulls() {
				t.Errorf("%v, not %v; %v, %v", got, all, err, err2)
			}
			done()
			if n := db.Stats().InUse; n != 0 {
				t.Errorf("%d connections are in use", n)
			}
			counts, done, err = source.Counts(t.Context(), "", s, table.Queries{Any: 1}, o)
			if err != nil {
				t.Fatal(err)
			}
			if n := db.Stats().InUse; n != 0 {
				t.Errorf("%d connections are in use for a %T", n, counts)
			}
			done()
		})
	}
}
