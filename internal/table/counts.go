package table

import (
	"context"
	"slices"
)

// An Axis is a column of a table, with its codes put into cells.
type Axis struct {
	Column int      // an attribute by its place in the schema; the number of attributes: the outcome
	Cells  []uint16 // the cell of each code, below Size; nil: each code is a cell of its own
	Size   int      // how many cells there are
}

// Cell returns the cell of a code.
func (a Axis) Cell(code int) int {
	if a.Cells == nil {
		return code
	}
	return int(a.Cells[code])
}

// same tells whether both are of the same cells of the same column.
func (a Axis) same(b Axis) bool {
	return a.Column == b.Column && a.Size == b.Size && slices.Equal(a.Cells, b.Cells)
}

// Enter returns the place of an axis among distinct ones, with it if it was not among them.
func Enter(axes []Axis, a Axis) (at int, all []Axis) {
	if at = slices.IndexFunc(axes, a.same); at >= 0 {
		return at, axes
	}
	return len(axes), append(axes, a)
}

// Cells returns the number of cells of a sub-table.
func Cells(axes []Axis) int {
	n := 1
	for _, a := range axes {
		n *= a.Size
	}
	return n
}

// A Term says that a record lies in a cell of an axis.
type Term struct {
	Axis int // its place among axes that are listed beside
	Cell uint16
}

// A Card gives each code of each attribute points, of either sign; the total of a record fits
// into 64 bits.
type Card struct {
	Points [][]int64
}

// Columns returns the attributes on which totals depend: those that have a code with points.
func (c Card) Columns() (columns []int) {
	for j, points := range c.Points {
		if slices.ContainsFunc(points, func(p int64) bool { return p != 0 }) {
			columns = append(columns, j)
		}
	}
	return columns
}

// Counts answers what mechanisms ask of private data: exact counts of sub-tables. All answers
// are of one state of the data, and in units: a row weighs Weight, or a person. Null records,
// with a value outside its domain in any attribute or in the label, lie in no cell, satisfy no
// term and have no total.
//
// All of it is private, and under the add-remove relation so are the numbers of rows. An answer
// is a function of the rows and of what is asked, never of who answers: a table, a database or a
// file. Errors are the context's, or one sentence of the source, such as a connection that is
// lost; none depends on what the records are. Slices returned are the caller's.
type Counts interface {
	Sizes() []int  // categories of each attribute; read only
	Outcomes() int // that records may have
	Weight() int64
	Rows() int64  // or persons, those of null records included
	Nulls() int64 // units of null records

	// Marginals returns the counts of each sub-table, dense, row-major, the last axis fastest.
	// A sub-table has at least one axis, and those it has are of different columns.
	Marginals(ctx context.Context, of [][]Axis) ([][]int64, error)
	// Supports returns how many units satisfy all terms of each conjunction, which has at
	// least one.
	Supports(ctx context.Context, axes []Axis, of [][]Term) ([]int64, error)
	// Totals returns the units of each total that some record has, by outcome.
	Totals(ctx context.Context, c Card) (map[int64][]int64, error)
}

var _ Counts = (*Table)(nil)

const partRecords = 1 << 16 // that a thread takes at a time

// parts is how many times so many records there are, the last of them fewer.
func (t *Table) parts() int { return (t.Len() + partRecords - 1) / partRecords }

// cells sets into to the cells on an axis of the records from the i-th on.
func (t *Table) cells(a Axis, i int, into []uint16) {
	t.Codes(a.Column, i, into)
	if a.Cells != nil {
		for k, code := range into {
			into[k] = a.Cells[code]
		}
	}
}

// units sets into to the counts of the records from the i-th on.
func (t *Table) units(i int, into []int64) {
	for k := range into {
		into[k] = t.records.count(i + k)
	}
}
