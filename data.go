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

// Data is a private table that has not been opened yet. It has one row per person, unless the
// schema names the column that identifies the person. Every release rejects the zero value.
//
// Before a release charges an account, it makes those checks of the data that need no row: that a
// file exists and has the schema's columns, or that a database accepts the query.
type Data struct{ data release.Data }

// File returns the table in a file. The file is delimited text with a header (possibly compressed with gzip), a sheet
// of an .xlsx workbook, or Parquet. A program that reads Parquet imports _ "github.com/sibyl-dp/sibyl/parquet".
func File(path string) Data { return Data{release.From{Location: path}} }

// FileIn returns the table in the file with the given path in fsys. The file may have any format that the function File
// accepts. A Parquet file or a workbook is read into memory if its fs.File does not implement io.ReaderAt.
func FileIn(fsys fs.FS, path string) Data {
	if fsys == nil {
		return Data{}
	}
	return Data{release.From{Location: path, Options: source.Options{FS: fsys}}}
}

// Query returns the table that a SELECT statement yields in an open database. Columns are matched by name.
//
// SQLite (driver modernc.org/sqlite), PostgreSQL (github.com/jackc/pgx/v5/stdlib) and DuckDB
// (github.com/duckdb/duckdb-go/v2) count the distinct records themselves and send only the counts. Other databases
// send all rows.
func Query(db *sql.DB, query string) Data {
	if db == nil {
		return Data{}
	}
	return Data{release.From{Options: source.Options{DB: db, Query: query}}}
}

// Database returns the table that a SELECT statement yields in the SQLite, PostgreSQL, MySQL or
// DuckDB database at a URL. The database is opened for reading. The program imports its driver.
func Database(url, query string) Data {
	return Data{release.From{Location: url, Options: source.Options{Query: query}}}
}

// Slice returns a table in memory with one row for each struct. The struct's tags name the columns, as described at
// SchemaOf. A nil pointer field is a missing value.
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

// Rows returns a table in memory whose columns are named by the header. Each time the table is
// read, the sequence is iterated once. A row is used only until the next one is yielded, so the
// sequence may reuse the slice.
func Rows(header []string, rows iter.Seq[[]string]) Data {
	return Data{source.Memory{Header: header, Rows: source.Sure(rows)}}
}

// Coded returns a table of records that are already encoded. A record has one code for each attribute of the schema:
// the number of the category, counted from 0. The label of a record is the number of its class, counted from 0. If
// the label has two classes, class 1 is the positive one.
//
// A record with an unknown code, or with too few or too many codes, is counted as a null record. A record is used
// only until the sequence yields the next one.
func Coded(records iter.Seq2[[]uint16, int]) Data { return Data{coded{records}} }

// coded is the data that Coded returns. It groups the records into a table once the schema is
// known.
type coded struct{ records iter.Seq2[[]uint16, int] }

func (c coded) Ready(ctx context.Context, s *table.Schema, queries table.Queries) error {
	if c.records == nil {
		return errors.New("the sequence of records is nil; pass a sequence, which may be empty")
	}
	return release.Coded{Of: s.Builder().Table()}.Ready(ctx, s, queries)
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
		if inDomain(record, outcome, s) {
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

// inDomain reports whether a record has a valid code for each attribute of the schema s, and a
// valid outcome.
func inDomain(record []uint16, outcome int, s *table.Schema) bool {
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

// malformed is data of an unsupported type. Every method returns err.
type malformed struct{ err error }

func (m malformed) Ready(context.Context, *table.Schema, table.Queries) error { return m.err }
func (m malformed) Table(context.Context, *table.Schema) (*table.Table, error) {
	return nil, m.err
}
func (m malformed) Records(context.Context, *table.Schema, func(source.Row) error) error {
	return m.err
}
