package source

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Memory is data in memory: rows of fields, with the names of the fields in the header.
// Fields mean what they would in a file of delimited text, whose decimal mark is that of
// the schema's [file].
type Memory struct {
	Header []string
	Rows   iter.Seq[[]string] // each is looked at until the next comes
}

// Ready refuses a header that lacks a column of the schema, or has it twice.
func (m Memory) Ready(_ context.Context, s *table.Schema, _ table.Asks) error {
	_, err := m.places(newCoding(s, s.Label != nil, s.PersonColumn(), s.File.Decimal))
	return err
}

// Table reads all of it.
func (m Memory) Table(ctx context.Context, s *table.Schema) (*table.Table, error) {
	c := newCoding(s, s.Label != nil, s.PersonColumn(), s.File.Decimal)
	workers := newWorkers(1, s, c)
	defer closeAll(workers)
	w := &workers[0]
	if err := m.visit(ctx, w.codes, func(codes []uint16) error { return w.visit(codes, 0) }); err != nil {
		return nil, err
	}
	return merged(ctx, s, workers)
}

// Records visits the rows in their order.
func (m Memory) Records(ctx context.Context, s *table.Schema, row func(Row) error) error {
	c := newCoding(s, s.Label != nil, "", s.File.Decimal)
	return m.visit(ctx, c, func(codes []uint16) error {
		last := len(codes) - 1
		r := Row{Record: codes[:last], Null: null(codes)}
		r.setOutcome(codes[last])
		return row(r)
	})
}

// places returns where the columns of the coding are in the header.
func (m Memory) places(c *coding) ([]int, error) {
	places := make([]int, len(c.columns))
	for k, column := range c.columns {
		at := slices.Index(m.Header, column)
		switch {
		case at < 0:
			return nil, fmt.Errorf("column %s %w", quote.Word(column), ErrNoColumn)
		case slices.Contains(m.Header[at+1:], column):
			return nil, fmt.Errorf("column %s is there twice", quote.Word(column))
		}
		places[k] = at
	}
	return places, nil
}

// visit visits the codes of every row.
func (m Memory) visit(ctx context.Context, c *coding, visit func(codes []uint16) error) error {
	places, err := m.places(c)
	if err != nil {
		return err
	}
	codes := make([]uint16, c.width)
	number := 0
	for fields := range m.Rows {
		number++
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(fields) != len(m.Header) {
			return fmt.Errorf("row %d has %d fields, the header has %d", number, len(fields), len(m.Header))
		}
		for k, at := range places {
			c.field(k, []byte(fields[at]), codes)
		}
		if err := visit(codes); err != nil {
			return err
		}
	}
	return nil
}
