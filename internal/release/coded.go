package release

import (
	"context"
	"errors"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Coded is data that is a table already, without persons.
type Coded struct{ Of *table.Table }

// Ready refuses a table of another schema, and a schema that tells persons apart.
func (c Coded) Ready(_ context.Context, s *table.Schema, _ table.Asks) error {
	switch {
	case c.Of == nil:
		return errors.New("there is no table of codes")
	case s.Person != nil:
		return errors.New("coded records do not say whose they are, as the schema's [person] asks for")
	case !slices.Equal(c.Of.Sizes(), s.Sizes()) || c.Of.Outcomes() != s.Outcomes():
		return errors.New("the coded records have other categories or outcomes than the schema")
	}
	return nil
}

// Table returns the table.
func (c Coded) Table(context.Context, *table.Schema) (*table.Table, error) { return c.Of, nil }

// Records fails: a table has no order.
func (c Coded) Records(context.Context, *table.Schema, func(source.Row) error) error {
	return errors.New("coded records have no order")
}
