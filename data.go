package sibyl

import (
	"database/sql"
	"errors"
	"io/fs"
	"iter"
	"reflect"

	"context"

	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Data is a private table that has not been opened yet, one row per person unless the schema
// says whose a row is. The zero value is no data, which every release refuses. Before an account
// is charged a release checks what can be checked without reading a row: that a file is there and
// names the schema's columns, and that a database accepts the query.
type Data struct{ data release.Data }

// File is the table in a file: delimited text with a header, also compressed with gzip, or
// Parquet, for which a program imports _ "github.com/sibyl-dp/sibyl/parquet".
func File(path string) Data { return Data{release.From{Location: path}} }

// FileIn is the table in a file of a file system, as of File. A file of Parquet that cannot be
// read at any place is held in memory.
func FileIn(fsys fs.FS, path string) Data {
	if fsys == nil {
		return Data{}
	}
	return Data{release.From{Location: path, Options: source.Options{FS: fsys}}}
}

// Query is the table that a query selects in an open database. Columns are found by their names.
// SQLite (driver modernc.org/sqlite), PostgreSQL (github.com/jackc/pgx/v5/stdlib) and DuckDB
// (github.com/duckdb/duckdb-go/v2) count themselves: what travels is only counts. Of other
// databases the rows are read.
func Query(db *sql.DB, query string) Data {
	if db == nil {
		return Data{}
	}
	return Data{release.From{Options: source.Options{DB: db, Query: query}}}
}

// Database is the table that a query selects in the SQLite, PostgreSQL, MySQL or DuckDB database
// at a URL, which is opened for reading. The program imports its driver.
func Database(url, query string) Data {
	return Data{release.From{Location: url, Options: source.Options{Query: query}}}
}

// Slice is a table in memory: a struct for each row, whose tags name the columns, as of SchemaOf.
// A nil pointer is a missing value.
func Slice[T any](rows []T) Data {
	columns, err := columnsOf(reflect.TypeFor[T]())
	if err != nil {
		return Data{malformed{err}}
	}
	m := source.Memory{Plain: true, Rows: func(yield func([]string, error) bool) {
		fields := make([]string, len(columns))
		for i := range rows {
			row := reflect.ValueOf(&rows[i]).Elem()
			for k := range columns {
				fields[k] = columns[k].text(row)
			}
			if !yield(fields, nil) {
				return
			}
		}
	}}
	for _, c := range columns {
		m.Header = append(m.Header, c.name)
	}
	return Data{m}
}

// Rows is a table in memory, whose fields have the names in the header. Rows are visited once
// each time that the table is read, and a row only until the next one.
func Rows(header []string, rows iter.Seq[[]string]) Data {
	return Data{source.Memory{Header: header, Rows: source.Sure(rows)}}
}

// Coded is a table of records in the codes of a schema: the number of a category for each
// attribute, from 0, and that of the label's outcome, which of two is 1 for the positive one. A
// record that has another number of codes, or a code of no category, is a null record. A record
// is valid until the next one.
func Coded(records iter.Seq2[[]uint16, int]) Data { return Data{coded{records}} }

// coded are records that are counted when the schema is known.
type coded struct{ records iter.Seq2[[]uint16, int] }

func (c coded) Ready(ctx context.Context, s *table.Schema, asks table.Asks) error {
	if c.records == nil {
		return errors.New("there are no records: they are nil")
	}
	return release.Coded{Of: s.Builder().Table()}.Ready(ctx, s, asks)
}

func (c coded) Table(ctx context.Context, s *table.Schema) (*table.Table, error) {
	b := s.Builder()
	for record, outcome := range c.records {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.Label == nil {
			outcome = 0
		}
		var err error
		if fits(record, outcome, s) {
			err = b.AddOutcome(record, outcome, 1)
		} else {
			err = b.AddNull(1)
		}
		if err != nil {
			return nil, err
		}
	}
	return b.Table(), nil
}

// fits reports whether a record has a category for each attribute, and one of the outcomes.
func fits(record []uint16, outcome int, s *table.Schema) bool {
	if len(record) != len(s.Attributes) || outcome < 0 || outcome >= s.Outcomes() {
		return false
	}
	for j, code := range record {
		if int(code) >= s.Attributes[j].Len() {
			return false
		}
	}
	return true
}

func (c coded) Records(ctx context.Context, s *table.Schema, row func(source.Row) error) error {
	return release.Coded{}.Records(ctx, s, row)
}

// malformed is data that cannot be read, by the error of its type.
type malformed struct{ err error }

func (m malformed) Ready(context.Context, *table.Schema, table.Asks) error { return m.err }
func (m malformed) Table(context.Context, *table.Schema) (*table.Table, error) {
	return nil, m.err
}
func (m malformed) Records(context.Context, *table.Schema, func(source.Row) error) error {
	return m.err
}
