package table

import (
	"context"
	"slices"
	"sync"
)

// A Streamed answers the queries of the interface Counts by reading all rows again for each query, so it needs little
// memory for any number of rows. The answers equal those of a Table with the same rows. Schemas with a Person are not
// supported.
type Streamed struct {
	sizes       []int
	outcomes    int
	read        ReadRows
	rows, nulls int64
}

// ReadRows is a function that reads all rows once, in several goroutines. Each goroutine calls the function start
// once, and then calls the returned function for each batch of rows. A batch is given by columns: the codes of each
// attribute, and then the outcomes. A row with a code or an outcome out of range is a null record. The called
// function may overwrite the codes.
type ReadRows func(ctx context.Context, start func() func(columns [][]uint16)) error

// NewStreamed returns a Streamed for the rows that the function read supplies. It calls this function once, to count
// the rows and the null records.
func NewStreamed(ctx context.Context, s *Schema, read ReadRows) (*Streamed, error) {
	if s.Person != nil {
		panic("table: the rows of persons cannot be streamed")
	}
	d := &Streamed{sizes: s.Sizes(), outcomes: s.Outcomes(), read: read}
	var lock sync.Mutex
	return d, read(ctx, func() func([][]uint16) {
		b := d.batch()
		return func(columns [][]uint16) {
			nulls := b.load(columns)
			lock.Lock()
			defer lock.Unlock()
			d.rows, d.nulls = d.rows+int64(len(columns[0])), d.nulls+int64(nulls)
		}
	})
}

// Sizes returns the number of categories of each attribute. The result must not be modified.
func (d *Streamed) Sizes() []int { return d.sizes }

// Outcomes returns the number of possible outcomes of the label.
func (d *Streamed) Outcomes() int { return d.outcomes }

// Weight returns the weight of a row, which is 1 unit (see Counts).
func (d *Streamed) Weight() int64 { return 1 }

// Rows returns the number of rows, including null records, which have a value outside the domain.
func (d *Streamed) Rows() int64 { return d.rows }

// Nulls returns the number of null records, which have a value outside the domain.
func (d *Streamed) Nulls() int64 { return d.nulls }

// mostStreamedCells is the maximum number of cells that are counted in one pass over the rows, summed over all
// marginals of the pass.
var mostStreamedCells = 1 << 21

// Marginals implements Counts: it returns the counts of each marginal. The only possible errors are those of the
// context and of the function that reads the rows.
func (d *Streamed) Marginals(ctx context.Context, of [][]Axis) ([][]int64, error) {
	all := make([]int, len(of))
	for m := range all {
		all[m] = m
	}
	counts := make([][]int64, len(of))
	for groups := group(of, all); len(groups) > 0; {
		n, cells := 0, 0
		for n < len(groups) && (n == 0 || cells+groupSize(groups[n], of) <= mostStreamedCells) {
			cells += groupSize(groups[n], of)
			n++
		}
		counters, err := gather(ctx, d.visit, func() counters { return newCounters(groups[:n], of) })
		if err != nil {
			return nil, err
		}
		for _, own := range counters {
			for _, c := range own {
				c.addTo(counts)
			}
		}
		groups = groups[n:]
	}
	for m, axes := range of { // of no rows
		if counts[m] == nil {
			counts[m] = make([]int64, Cells(axes))
		}
	}
	return counts, ctx.Err()
}

// groupSize returns the total number of cells of the marginals with the given indices.
func groupSize(group []int, of [][]Axis) (cells int) {
	for _, m := range group {
		cells += Cells(of[m])
	}
	return cells
}

// A counters computes several groups of marginals in one pass over the rows.
type counters []*counter

func newCounters(groups [][]int, of [][]Axis) (all counters) {
	for _, g := range groups {
		all = append(all, newCounter(g, of))
	}
	return all
}

func (all counters) add(r records, from, to int) {
	for _, c := range all {
		c.add(r, from, to)
	}
}

// Supports implements Counts: it returns, for each conjunction, the number of units (see Counts) of the records that
// satisfy all its terms. The only possible errors are those of the context and of the function that reads the rows.
func (d *Streamed) Supports(ctx context.Context, axes []Axis, of [][]Term) ([]int64, error) {
	return supports(ctx, d.visit, axes, of)
}

// Totals implements Counts: it returns, for each total of points that some record has (see Card), the number of units
// (see Counts) of the records with each outcome. The only possible errors are those of the context and of the
// function that reads the rows.
func (d *Streamed) Totals(ctx context.Context, c Card) (map[int64][]int64, error) {
	return totals(ctx, d.visit, c, d.outcomes)
}

// Weighted implements Counts: it returns, for each category of each given attribute, the sum over its records of the
// weight times the number of units (see Counts). The only possible errors are those of the context and of the
// function that reads the rows.
func (d *Streamed) Weighted(ctx context.Context, attributes []int, w Weights) ([][]int64, error) {
	return weighted(ctx, d.visit, attributes, w)
}

// Moments implements Counts: it returns the weighted sums of coordinates and of products that the query m describes.
// The only possible errors are those of the context and of the function that reads the rows.
func (d *Streamed) Moments(ctx context.Context, m Moments) (first, second []int64, err error) {
	return moments(ctx, d.visit, &m)
}

var _ Counts = (*Streamed)(nil)

// visit makes a pass over all rows: each goroutine that reads rows calls the function start once, and then calls the
// returned visitor for each batch of rows.
func (d *Streamed) visit(ctx context.Context, start func() visitor) error {
	return d.read(ctx, func() func([][]uint16) {
		visit, b := start(), d.batch()
		return func(columns [][]uint16) {
			nulls := b.load(columns)
			visit(b, 0, len(columns[0])-nulls)
		}
	})
}

// A batch is a list of rows, stored by column: the codes of each attribute, and then the outcomes. Each row has the
// weight of one unit.
type batch struct {
	most    []uint16 // by column, the greatest code
	columns [][]uint16
}

func (d *Streamed) batch() *batch {
	b := &batch{}
	for _, size := range d.sizes {
		b.most = append(b.most, uint16(size-1))
	}
	b.most = append(b.most, uint16(d.outcomes-1))
	return b
}

// load stores the columns of a batch. It moves the rows that are not null records to the beginning, and returns the
// number of null records.
func (b *batch) load(columns [][]uint16) (nulls int) {
	b.columns = columns
	clean := true
	for j, column := range columns {
		clean = clean && slices.Max(column) <= b.most[j]
	}
	if clean {
		return 0
	}
	kept, rows := 0, len(columns[0])
	for i := range rows {
		if b.null(i) {
			continue
		}
		for _, column := range columns {
			column[kept] = column[i]
		}
		kept++
	}
	return rows - kept
}

// null reports whether the row with index i is a null record: whether one of its codes is out of range.
func (b *batch) null(i int) bool {
	for j, column := range b.columns {
		if column[i] > b.most[j] {
			return true
		}
	}
	return false
}

func (b *batch) Codes(attribute, i int, into []uint16) { copy(into, b.columns[attribute][i:]) }

func (b *batch) units(_ int, into []int64) {
	for k := range into {
		into[k] = 1
	}
}
