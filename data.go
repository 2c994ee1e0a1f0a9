package sibyl

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Data is a private table that has not been opened yet, one row per person unless
// the schema tells whose a row is.
type Data = release.Data

// File is the table in a file: delimited text with a header, also compressed with gzip, or
// Parquet.
func File(path string) Data { return release.From{Location: path} }

// Database is the table that a query selects from the SQLite or PostgreSQL database at a
// URL.
func Database(url, query string) Data {
	return release.From{Location: url, Options: source.Options{Query: query}}
}

// Rows is the table of rows in memory, whose fields have the names in the header. Rows are
// visited once each time that the table is read, and a row only until the next one.
func Rows(header []string, rows iter.Seq[[]string]) Data {
	return source.Memory{Header: header, Rows: rows}
}

// Codes is the table of records that are coded already: a category's number for each
// attribute of the schema, in its order, from 0. NewTable helps to make one.
func Codes(t *table.Table) Data { return coded{t} }

// NewTable returns a builder of tables over the schema. Add takes a record's codes, its
// label, and how many rows are so, AddOutcome the number of one of more than two outcomes;
// AddNull takes rows with a value outside the schema's domain.
func NewTable(s *Schema) *table.Builder { return s.Builder() }

type coded struct{ table *table.Table }

// Table returns the table, or refuses one that is of another schema, or that should tell
// persons apart.
func (c coded) Table(_ context.Context, s *table.Schema) (*table.Table, error) {
	if s.Person != nil {
		return nil, errors.New("a table of codes does not say whose its rows are, as the schema's [person] asks for")
	}
	if !slices.Equal(c.table.Sizes(), s.Sizes()) || c.table.Outcomes() != s.Outcomes() {
		return nil, errors.New("the table of codes has other categories or outcomes than the schema; make it with NewTable")
	}
	return c.table, nil
}

// Records fails: a table has no order.
func (c coded) Records(context.Context, *table.Schema, func(source.Row) error) error {
	return errors.New("a table of codes has no order of rows")
}

// A Schema is the public domain of a table.
type Schema = table.Schema

// ReadSchema reads a schema with a label from a TOML file (docs/formats.md). An error says
// in one sentence where and what is wrong.
func ReadSchema(path string) (*Schema, error) { return release.ReadSchema(path) }
