package source

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Memory is a source of rows in memory. It consists of a header with the names of the fields, and a sequence of
// rows. Fields are read like the fields of delimited text.
type Memory struct {
	Header []string
	// Rows yields each row, which is valid until the next one. An error ends the sequence.
	Rows iter.Seq2[[]string, error]
	// Plain states that numbers are plain decimals, whatever the schema's [file] states.
	Plain bool
}

// Sure converts a sequence of rows that cannot fail to the type of Memory.Rows. It converts nil to nil.
func Sure(rows iter.Seq[[]string]) iter.Seq2[[]string, error] {
	if rows == nil {
		return nil
	}
	return func(yield func([]string, error) bool) {
		for row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// coding returns the coding of the fields for a schema. If the parameter keep is not "", it names a column whose
// text is kept for each record.
func (m Memory) coding(s *table.Schema, keep string) *coding {
	file := &s.File
	if m.Plain {
		file = nil
	}
	return newCoding(s, s.Label != nil, keep, file)
}

// Ready returns an error if the header lacks a column of the schema or contains a column twice.
func (m Memory) Ready(_ context.Context, s *table.Schema, _ table.Queries) error {
	if m.Rows == nil {
		return errors.New("the rows of the data are nil; pass a sequence of rows")
	}
	_, err := m.places(m.coding(s, s.PersonColumn()))
	return err
}

// Table reads all rows and counts equal records in a table.
func (m Memory) Table(ctx context.Context, s *table.Schema) (*table.Table, error) {
	c := m.coding(s, s.PersonColumn())
	workers := newWorkers(1, s, c)
	defer closeAll(workers)
	w := &workers[0]
	if err := m.visit(ctx, w.codes, func(codes []uint16) error { return w.visit(codes, 0) }); err != nil {
		return nil, err
	}
	return merged(ctx, s, workers)
}

// Records calls the function row for each row, in order.
func (m Memory) Records(ctx context.Context, s *table.Schema, row func(Row) error) error {
	c := m.coding(s, "")
	return m.visit(ctx, c, func(codes []uint16) error {
		last := len(codes) - 1
		r := Row{Record: codes[:last], Null: null(codes)}
		r.setOutcome(codes[last])
		return row(r)
	})
}

// places returns the index in the header of each column that the coding c reads.
func (m Memory) places(c *coding) ([]int, error) {
	places := make([]int, len(c.columns))
	for k, column := range c.columns {
		at := slices.Index(m.Header, column)
		switch {
		case at < 0:
			return nil, fmt.Errorf("column %s %w", quote.Word(column), ErrNoColumn)
		case slices.Contains(m.Header[at+1:], column):
			return nil, fmt.Errorf("column %s occurs twice", quote.Word(column))
		}
		places[k] = at
	}
	return places, nil
}

// visit calls the function visit for each row, with the codes that the coding c computes.
func (m Memory) visit(ctx context.Context, c *coding, visit func(codes []uint16) error) error {
	places, err := m.places(c)
	if err != nil {
		return err
	}
	codes := make([]uint16, c.width)
	number := 0
	for fields, err := range m.Rows {
		number++
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(fields) != len(m.Header) {
			return fmt.Errorf("row %d has %d fields, but the header has %d; each row must have one field for each name in the header", number, len(fields), len(m.Header))
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
