package drivers

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
	_ "github.com/sibyl-dp/sibyl/internal/testing/memoryfiles"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
)

// Guarantees assume that each row is counted by a fixed function of this row alone (docs/explanation/proofs/sql.md). The
// tests that use this file check this for every engine. A table has a column of each type, with values that engines
// may treat as equal. One row is added, changed or removed. The codes of all other rows must not change, and all
// counts must equal those of the plain texts that are read row by row.

// A columnType is a type of an engine's columns.
type columnType struct {
	columns string   // definitions of the table's columns, including the column v that is tested
	into    string   // the column into which values are inserted
	values  []string // SQL expressions; NULL is always added
}

// typed returns the type of a column v with the given declaration.
func typed(declaration string, values ...string) columnType {
	return columnType{"v " + declaration, "v", values}
}

// A rowwise compares the counts of an engine with those of the rows that are read one by one.
type rowwise struct {
	location string
	db       *sql.DB // where it is read if not nil, in place of location
	execute  func(t testing.TB, statements ...string)
	from     string   // the relation of the query: rowsTable or a view of it
	options  string   // table options of rowsTable
	also     []string // statements to execute after the creation of rowsTable
	random   *rand.Rand
	types    int // the number of types tested so far
	values   int
}

// rowsTable is the name of a table that only this process uses.
var rowsTable = fmt.Sprint("rows_", os.Getpid())

func newRowwise(location string, execute func(t testing.TB, statements ...string)) *rowwise {
	return &rowwise{location: location, execute: execute, from: rowsTable, random: rand.New(rand.NewPCG(20, 1))}
}

// connected makes e read from a PostgreSQL database that stays open (openReadOnly).
func (e *rowwise) connected(t testing.TB) *rowwise {
	e.db = openReadOnly(t, e.location)
	return e
}

// onOneConnection returns a function that executes statements on a single connection. The statements first are executed
// on it before.
func onOneConnection(db *sql.DB, first ...string) func(t testing.TB, statements ...string) {
	return func(t testing.TB, statements ...string) {
		t.Helper()
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for _, statement := range slices.Concat(first, statements) {
			if _, err := conn.ExecContext(context.Background(), statement); err != nil {
				t.Fatalf("%.300s: %v", statement, err)
			}
		}
	}
}

// hold runs the comparison for columns of all the given types.
func (e *rowwise) hold(t *testing.T, all []columnType) {
	for _, c := range all {
		t.Run(c.columns, func(t *testing.T) { e.holdType(t, c) })
	}
	t.Logf("%d types of columns, %d values", e.types, e.values)
}

// insert returns a statement that inserts a row with a value of v.
func (e *rowwise) insert(c columnType, id int, value string) string {
	return fmt.Sprintf("INSERT INTO %s (id, z, y, %s) VALUES (%d, %d, '%s', %s)", rowsTable, c.into, id, e.random.IntN(6), []string{"no", "yes"}[e.random.IntN(2)], value)
}

func (e *rowwise) holdType(t *testing.T, c columnType) {
	values := append([]string{"NULL"}, c.values...)
	e.types++
	e.values += len(values)
	statements := []string{"DROP TABLE IF EXISTS " + rowsTable, "CREATE TABLE " + rowsTable + " (id INTEGER PRIMARY KEY, z INTEGER, y TEXT, " + c.columns + ")" + e.options}
	statements = append(statements, e.also...)
	ids := 0
	for _, v := range values {
		for range 1 + e.random.IntN(2) {
			statements = append(statements, e.insert(c, ids, v))
			ids++
		}
	}
	e.execute(t, statements...)
	rows := e.read(t)
	if len(rows) != ids {
		t.Fatalf("%d rows, not %d", len(rows), ids)
	}
	schemas := e.schemas(t, rows)
	before := e.counts(t, rows, schemas, true)
	at, value := e.random.IntN(ids), values[e.random.IntN(len(values))]
	changed, statement := 2, fmt.Sprintf("UPDATE %s SET %s = %s WHERE id = %d", rowsTable, c.into, value, at)
	switch e.types % 3 {
	case 1:
		changed, statement = 1, fmt.Sprintf("DELETE FROM %s WHERE id = %d", rowsTable, at)
	case 2:
		changed, statement = 1, e.insert(c, ids, value)
		at = ids
	}
	e.execute(t, statement)
	now := e.read(t)
	its := func(r readRow) bool { return r.id == at }
	if !slices.Equal(slices.DeleteFunc(slices.Clone(rows), its), slices.DeleteFunc(slices.Clone(now), its)) {
		t.Fatalf("%s changed other rows: %+v became %+v", statement, rows, now)
	}
	after := e.counts(t, now, schemas, heavy.On())
	for i, s := range schemas {
		most := int64(changed)
		if s.Person != nil { // the row may move between two persons, and the other rows of both then have another weight
			most *= 2 * s.Weight()
		}
		if n := difference(before[i], after[i]); n > most {
			t.Fatalf("%s moved %d units of one marginal of %+v, %+v", statement, n, s.Label, s.Attributes)
		}
	}
}

// difference returns the L1 distance between two answers for a marginal, maximized over the marginals.
func difference(a, b [][]int64) (most int64) {
	for m := range a {
		n := int64(0)
		for cell := range a[m] {
			n += max(a[m][cell]-b[m][cell], b[m][cell]-a[m][cell])
		}
		most = max(most, n)
	}
	return most
}

// A readRow is a row of rowsTable, with the plain text of its column v.
type readRow struct {
	id, z, y int
	text     string
}

// read reads the table row by row.
func (e *rowwise) read(t *testing.T) []readRow {
	t.Helper()
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	s, err := table.NewSchema(table.Schema{
		Label:      &table.Label{Column: "y", Positive: []string{"yes"}, Negative: []string{"no"}},
		Attributes: []table.Attribute{{Column: "id", Values: ids}, {Column: "z", Values: ids[:6]}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []readRow
	o := source.Options{DB: e.db, Query: "SELECT * FROM " + e.from, Keep: "v"}
	err = source.Records(context.Background(), e.location, s, o, func(r source.Row) error {
		all = append(all, readRow{int(r.Record[0]), int(r.Record[1]), r.Outcome, string(r.Kept)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b readRow) int { return a.id - b.id })
	return all
}

// schemas returns schemas with categories from the texts of rows. In some, the column v is an attribute; in others it is
// the label or the person column.
func (e *rowwise) schemas(t *testing.T, rows []readRow) []*table.Schema {
	t.Helper()
	var listed []string
	cuts := []table.Decimal{"0", "0.1", "12"}
	for _, r := range rows {
		if len(listed) < heavy.Pick(20, 60) && r.text != "" && utf8.ValidString(r.text) && !strings.Contains(r.text, "\x00") {
			listed = append(listed, r.text)
		}
		if d, ok := table.ParseDecimal(r.text); ok && len(cuts) < 40 {
			cuts = append(cuts, d)
		}
	}
	slices.Sort(listed)
	listed = append(slices.Compact(listed), "neither", "nor")
	e.random.Shuffle(len(listed), func(i, j int) { listed[i], listed[j] = listed[j], listed[i] })
	few := slices.DeleteFunc(slices.Clone(cuts), func(d table.Decimal) bool { return len(d) > 12 })
	var fine []table.Decimal // cuts of z, so many that one statement cannot return all records
	for i := range 16 {
		fine = append(fine, table.Decimal(fmt.Sprint(i)))
	}
	var wide []table.Attribute
	for i := range 4 {
		wide = append(wide, table.Attribute{Name: fmt.Sprint("wide ", i), Column: "z", Cuts: fine})
	}
	yes := &table.Label{Column: "y", Positive: []string{"yes"}, Negative: []string{"no"}}
	of := []table.Schema{
		{Label: yes, Attributes: append([]table.Attribute{
			{Name: "each", Column: "v", Values: listed, Other: "other"},
			{Name: "some", Column: "v", Values: listed[:1+len(listed)/2], Other: "none"},
			{Name: "few", Column: "v", Cuts: increasing(few), Other: "no number"},
		}, wide...)},
		{Attributes: []table.Attribute{{Name: "number", Column: "v", Cuts: increasing(cuts)}, {Column: "z", Cuts: fine[:3]}}},
		{Person: &table.Person{Column: "v", Most: 2}, Label: yes, Attributes: wide},
		{Person: &table.Person{Column: "y", Most: 10}, Attributes: append([]table.Attribute{{Name: "each", Column: "v", Values: listed, Other: "other"}}, wide...)},
		{Label: &table.Label{Column: "v", Positive: listed[:1], Negative: listed[1:]}, Attributes: wide},
		{Person: &table.Person{Column: "v", Most: 1}, Attributes: []table.Attribute{{Column: "z", Cuts: fine[:5]}}},
	}
	var all []*table.Schema
	for _, s := range of[:heavy.Pick(4, len(of))] {
		schema, err := table.NewSchema(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, schema)
	}
	return all
}

// counts returns, for each schema, the engine's marginals of each column, alone and with the label, and the number
// of null rows. It fails the test unless the engine's records equal those of a file with the same rows. If all is set,
// it also fails the test unless tabletest.Agree finds that the engine's counts equal those of the file.
func (e *rowwise) counts(t *testing.T, rows []readRow, schemas []*table.Schema, all bool) (marginals [][][]int64) {
	t.Helper()
	var texts [][]string
	for _, r := range rows {
		texts = append(texts, []string{fmt.Sprint(r.z), []string{"no", "yes"}[r.y], r.text})
	}
	file := filepath.Join(t.TempDir(), "rows.parquet")
	if err := made.WriteTexts(file, []string{"z", "y", "v"}, texts); err != nil {
		t.Fatal(err)
	}
	o := source.Options{DB: e.db, Query: "SELECT * FROM " + e.from}
	for _, s := range schemas {
		want, err := source.Read(context.Background(), file, s, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := source.Read(context.Background(), e.location, s, o)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Equal(want) {
			t.Fatalf("%+v, %+v, %+v: collapsed to %v, not %v", s.Person, s.Label, s.Attributes, units(got), units(want))
		}
		counts, end, err := source.Counts(context.Background(), e.location, s, table.Queries{}, o)
		if err != nil {
			t.Fatal(err)
		}
		if all {
			tabletest.Agree(t, counts, tabletest.Scan{Table: want}, heavy.Pick(1, 2), e.random.Uint64())
		}
		var of [][]table.Axis
		for j, size := range s.Sizes() {
			of = append(of, []table.Axis{{Column: j, Size: size}}, []table.Axis{{Column: j, Size: size}, {Column: len(s.Attributes), Size: s.Outcomes()}})
		}
		cells, err := counts.Marginals(context.Background(), of)
		end()
		if err != nil {
			t.Fatal(err)
		}
		marginals = append(marginals, append(cells, []int64{counts.Nulls()}))
	}
	return marginals
}

// typesKnown checks every type that an engine lists. Either the tests test it, as held reports, or it is refused before
// data is read, with an error that names the type.
func typesKnown(t *testing.T, location string, columns map[string]string, held func(name string) bool) {
	t.Helper()
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\nvalues = [\"x\"]\nother = \"y\"")
	refused := 0
	for name, query := range columns {
		_, err := source.Read(context.Background(), location, s, source.Options{Query: query})
		switch {
		case err == nil && !held(name):
			t.Errorf("%s is read, and not tested", name)
		case err != nil && (held(name) || !strings.Contains(err.Error(), `column "v" has the type`)):
			t.Errorf("%s: %v", name, err)
		case err != nil:
			refused++
		}
	}
	t.Logf("%d types, %d of them refused", len(columns), refused)
}

// textsOf returns the result of a query with one column of texts.
func textsOf(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
