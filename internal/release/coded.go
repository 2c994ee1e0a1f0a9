package release

import (
	"context"
	"errors"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Coded is data in the form of a table, without persons.
type Coded struct{ Of *table.Table }

// Ready refuses a table of another schema, and a schema with persons.
func (c Coded) Ready(_ context.Context, s *table.Schema, _ table.Asks) error {
	switch {
	case c.Of == nil:
		return errors.New("the table of coded records is nil")
	case s.Person != nil:
		return errors.New("the schema's [person] requires a person for each row, which coded records do not have")
	case !slices.Equal(c.Of.Sizes(), s.Sizes()) || c.Of.Outcomes() != s.Outcomes():
		return errors.New("the numbers of categories and outcomes of the coded records must be those of the schema")
	}
	return nil
}

// Table returns the table.
func (c Coded) Table(context.Context, *table.Schema) (*table.Table, error) { return c.Of, nil }

// Records fails: a table has no order.
func (c Coded) Records(context.Context, *table.Schema, func(source.Row) error) error {
	return errors.New("coded records have no order, which this release needs")
}
