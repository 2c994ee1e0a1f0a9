package table

import (
	"context"
	"slices"
)

// An Axis is a column of a marginal, with its codes grouped into cells.
type Axis struct {
	Column int      // the index of an attribute, or the number of attributes for the outcome
	Cells  []uint16 // the cell of each code, below Size; nil if each code is a cell
	Size   int      // the number of cells
}

// Cell returns the cell of a code.
func (a Axis) Cell(code int) int {
	if a.Cells == nil {
		return code
	}
	return int(a.Cells[code])
}

// same reports whether both axes have the same column and the same cells.
func (a Axis) same(b Axis) bool {
	return a.Column == b.Column && a.Size == b.Size && slices.Equal(a.Cells, b.Cells)
}

// Enter returns the index of an axis in a list of distinct axes. It appends the axis if the list does
// not contain it.
func Enter(axes []Axis, a Axis) (at int, all []Axis) {
	if at = slices.IndexFunc(axes, a.same); at >= 0 {
		return at, axes
	}
	return len(axes), append(axes, a)
}

// Cells returns the number of cells of a marginal with the given axes.
func Cells(axes []Axis) int {
	n := 1
	for _, a := range axes {
		n *= a.Size
	}
	return n
}

// A Term is the condition that a record is in a cell of an axis.
type Term struct {
	Axis int // an index in a list of axes
	Cell uint16
}

// A Card gives points to each code of each attribute. The total of a record is the sum of the points of
// its codes. All totals must fit into int64.
type Card struct {
	Points [][]int64
}

// Columns returns the attributes that have a code with non-zero points.
func (c Card) Columns() (columns []int) {
	for j, points := range c.Points {
		if slices.ContainsFunc(points, func(p int64) bool { return p != 0 }) {
			columns = append(columns, j)
		}
	}
	return columns
}

// Counts answers queries of mechanisms on private data with exact counts. All answers are for the same
// state of the data. They are in units: each row has Weight units, or each person if the schema has a
// Person. Null records, with a value of an attribute or the label outside its domain, are in no cell,
// satisfy no term and have no total.
//
// All answers are private, and under the add-remove relation so are the numbers of rows. An answer
// depends only on the rows and the query, not on the implementation: a table, a database or a file.
// Errors are the context's, or describe a failure of the source, such as a lost connection; they never
// depend on the contents of records. The caller owns returned slices.
type Counts interface {
	Sizes() []int  // the number of categories of each attribute; read only
	Outcomes() int // the number of outcomes
	Weight() int64 // units per row or person
	Rows() int64   // the number of rows or persons, null records included
	Nulls() int64  // units of null records

	// Marginals returns the counts of each marginal as a dense array, row-major with the last
	// axis fastest. A marginal has at least one axis, and its axes have different columns.
	Marginals(ctx context.Context, of [][]Axis) ([][]int64, error)
	// Supports returns the number of units that satisfy all terms of each conjunction. A
	// conjunction has at least one term.
	Supports(ctx context.Context, axes []Axis, of [][]Term) ([]int64, error)
	// Totals returns, for each total that occurs, the number of units of each outcome.
	Totals(ctx context.Context, c Card) (map[int64][]int64, error)
	// Weighted returns, for each of the given attributes, the sum of the weights of the units in each of its
	// categories.
	Weighted(ctx context.Context, attributes []int, w Weights) ([][]int64, error)
	// Moments returns the weighted sums of the coordinates, and those of the products of the
	// coordinates j and k for all k ≤ j, as a lower triangle row by row.
	Moments(ctx context.Context, m Moments) (first, second []int64, err error)
}

var _ Counts = (*Table)(nil)

const partRecords = 1 << 16 // the number of records of a parallel task

// parts returns the number of parallel tasks of at most partRecords records.
func (t *Table) parts() int { return (t.Len() + partRecords - 1) / partRecords }

// cells sets into[k] to the cell of record i+k on an axis.
func (t *Table) cells(a Axis, i int, into []uint16) {
	t.Codes(a.Column, i, into)
	if a.Cells != nil {
		for k, code := range into {
			into[k] = a.Cells[code]
		}
	}
}

// units sets into[k] to the count of record i+k.
func (t *Table) units(i int, into []int64) {
	for k := range into {
		into[k] = t.records.count(i + k)
	}
}
