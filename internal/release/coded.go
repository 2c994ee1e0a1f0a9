package release

import (
	"context"
	"errors"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Coded is data in memory whose rows are already category codes. It does not support schemas with a Person.
type Coded struct{ Of *table.Table }

// Ready returns an error if the table does not fit the schema, or if the schema has a Person.
func (c Coded) Ready(_ context.Context, s *table.Schema, _ table.Queries) error {
	switch {
	case c.Of == nil:
		return errors.New("the table of coded records is nil; pass a table")
	case s.Person != nil:
		return errors.New("the schema's [person] requires a person for each row, but coded records do not identify persons; use another data source")
	case !slices.Equal(c.Of.Sizes(), s.Sizes()) || c.Of.Outcomes() != s.Outcomes():
		return errors.New("the coded records do not fit the schema, which has other numbers of categories or outcomes; code them with this schema")
	}
	return nil
}

// Table returns the table of category codes.
func (c Coded) Table(context.Context, *table.Schema) (*table.Table, error) { return c.Of, nil }

// Records returns an error, because a table has no order of rows.
func (c Coded) Records(context.Context, *table.Schema, func(source.Row) error) error {
	return errors.New("this release needs the order of the rows, but coded records have none; use another data source")
}
