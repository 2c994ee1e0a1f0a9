package table

import (
	"context"
	"slices"
)

// An Axis is one dimension of a marginal (a contingency table): a column of the private table whose category codes are
// grouped into cells.
type Axis struct {
	Column int      // the index of an attribute, or the number of attributes for the outcome
	Cells  []uint16 // by code, its cell, which is below Size; nil if each code is a cell of its own
	Size   int      // the number of cells
}

// Cell returns the index of the cell that contains the given category code.
func (a Axis) Cell(code int) int {
	if a.Cells == nil {
		return code
	}
	return int(a.Cells[code])
}

// same reports whether two axes have the same column and group its codes into the same cells.
func (a Axis) same(b Axis) bool {
	return a.Column == b.Column && a.Size == b.Size && slices.Equal(a.Cells, b.Cells)
}

// Enter returns the index of an axis in a list of distinct axes, after appending the axis if the list does not contain
// it. The second result is the extended list.
func Enter(axes []Axis, a Axis) (at int, all []Axis) {
	if at = slices.IndexFunc(axes, a.same); at >= 0 {
		return at, axes
	}
	return len(axes), append(axes, a)
}

// Cells returns the number of cells of a marginal with the given axes, the product of the axes' sizes.
func Cells(axes []Axis) int {
	n := 1
	for _, a := range axes {
		n *= a.Size
	}
	return n
}

// A Term is a condition on a record: its code in the axis's column lies in the given cell of the axis. A conjunction is
// a list of terms.
type Term struct {
	Axis int // an index in a list of axes
	Cell uint16
}

// A Card is an additive score of records: each category of each attribute has a number of points, and the total of a
// record is the sum of the points of its categories. All totals must fit into int64.
type Card struct {
	Points [][]int64
}

// Columns returns the indices of the attributes that have a category with non-zero points.
func (c Card) Columns() (columns []int) {
	for j, points := range c.Points {
		if slices.ContainsFunc(points, func(p int64) bool { return p != 0 }) {
			columns = append(columns, j)
		}
	}
	return columns
}

// Counts answers the queries that mechanisms send to private data. The answers are exact, and all of them refer to the
// same state of the data.
//
// Counts are sums of integer weights, in units. If the schema has a Person, the used rows of a person together have the
// weight Weight; otherwise each row has this weight. Null records, which have a value outside the domain of an
// attribute or of the label, are in no cell of a marginal, satisfy no term and have no total.
//
// All answers are private. Under the add-remove relation, the number of rows and the number of null records are
// private, too. An answer depends only on the rows and the query, not on the implementation (a table, a database or a
// file of counts).
//
// The errors are those of the context, and failures of the source such as a lost connection. Errors never depend on the
// contents of records. The caller owns returned slices.
type Counts interface {
	Sizes() []int  // the number of categories of each attribute; read only
	Outcomes() int // the number of outcomes
	Weight() int64 // the units of a row, or of a person
	Rows() int64   // the number of rows or persons, null records included
	Nulls() int64  // the sum of the units of null records

	// Marginals returns the counts of each marginal as a dense array in row-major order, in which the last axis
	// varies fastest. A marginal has at least one axis, and its axes have different columns.
	Marginals(ctx context.Context, of [][]Axis) ([][]int64, error)
	// Supports returns, for each conjunction, the number of units of the records that satisfy all its terms. A
	// conjunction has at least one term.
	Supports(ctx context.Context, axes []Axis, of [][]Term) ([]int64, error)
	// Totals returns, for each total of points that some record has (see Card), the number of units of the records
	// with each outcome.
	Totals(ctx context.Context, c Card) (map[int64][]int64, error)
	// Weighted returns, for each category of each given attribute, the sum over its records of the weight that w
	// assigns to the record times the number of units of the record.
	Weighted(ctx context.Context, attributes []int, w Weights) ([][]int64, error)
	// Moments returns two lists of weighted sums over all records (see Moments): the sum of each coordinate, and the
	// sum of the product of coordinates j and k for all k ≤ j, which lists this lower triangle row by row.
	Moments(ctx context.Context, m Moments) (first, second []int64, err error)
}

var _ Counts = (*Table)(nil)

const partRecords = 1 << 16 // the number of records of a parallel task

// parts returns the number of parts into which the table's records are divided for parallel processing. Each part has
// at most partRecords records.
func (t *Table) parts() int { return (t.Len() + partRecords - 1) / partRecords }

// units copies the counts of consecutive records, in units (see Counts), into a slice. The first element is the count
// of the record with the index i.
func (t *Table) units(i int, into []int64) {
	for k := range into {
		into[k] = t.records.count(i + k)
	}
}
