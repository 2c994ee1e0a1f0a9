package compare

import (
	"errors"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Pair holds a real and a synthetic table with the same schema, for a comparison. Several goroutines may use it at
// the same time.
type Pair struct {
	columns []table.Attribute
	sizes   []int
	codes   [][]uint16 // by column, the code of each distinct record of the two tables
	counts  [2][]int64 // by record, its units in the real and in the synthetic table
	weight  [2]int64   // the units of a row, or of a person, in each table
	rows    [2]int64   // the units inside the domain
	nulls   [2]int64   // the units outside the domain, which are not compared
	persons bool       // whether the real table counts persons
	unit    [2]int64   // by table, the weight of one unit: N/n_A and N/n_B (see the package comment)
	total   int64      // N, the common denominator of all shares
}

// mostTotal is the maximum common denominator of the shares of rows in both tables. It ensures that all sums of
// weights fit into 62 bits.
const mostTotal = 1 << 60

// ErrRows and ErrSchema are the errors of New.
var (
	ErrRows   = errors.New("compare: the two numbers of rows are too large to compare shares exactly; compare smaller tables, or tables with equal numbers of rows")
	ErrSchema = errors.New("compare: both tables must be read with a schema from Schema.Flat, the synthetic table also with Schema.ByRow")
)

// New returns a Pair for comparing a real with a synthetic table. Both must have been read with a flat schema (see
// table.Schema.Flat), in which the label is an ordinary column. If the schema has a Person, the real table counts
// persons, who all have the same weight. The synthetic table must then be read with Schema.ByRow, because each of its
// rows represents a person. Rows outside the domain are left out.
//
// The errors of New are ErrRows and ErrSchema. Its running time is proportional to the number of distinct records
// times the number of columns.
func New(s *table.Schema, real, synthetic *table.Table) (*Pair, error) {
	p := &Pair{columns: s.Attributes, sizes: s.Sizes(), weight: [2]int64{s.Weight(), 1}, persons: s.Person != nil}
	for side, t := range []*table.Table{real, synthetic} {
		if s.Label != nil || t.Weight() != p.weight[side] || !slices.Equal(t.Sizes(), p.sizes) {
			return nil, ErrSchema
		}
		p.nulls[side] = t.Nulls()
		p.rows[side] = t.Rows()*t.Weight() - t.Nulls()
	}
	var ok bool
	if p.total, ok = multiple(max(p.rows[0], 1), max(p.rows[1], 1)); !ok {
		return nil, ErrRows
	}
	for side := range p.unit {
		p.unit[side] = p.total / max(p.rows[side], 1)
	}
	p.merge(real, synthetic)
	return p, nil
}

// multiple returns the least common multiple of two numbers, and reports whether it is at most mostTotal.
func multiple(a, b int64) (int64, bool) {
	g, r := a, b
	for r != 0 {
		g, r = r, g%r
	}
	if a/g > mostTotal/b {
		return 0, false
	}
	return a / g * b, true
}

// merge combines the distinct records of both tables into one list. The tables must have their records in the same
// order.
func (p *Pair) merge(real, synthetic *table.Table) {
	p.codes = make([][]uint16, len(p.columns))
	var x, y table.Record
	for i, k := 0, 0; i < real.Len() || k < synthetic.Len(); {
		if i < real.Len() {
			x = real.Record(i, x)
		}
		if k < synthetic.Len() {
			y = synthetic.Record(k, y)
		}
		order := 0
		switch {
		case k == synthetic.Len():
			order = -1
		case i == real.Len():
			order = 1
		default:
			order = slices.Compare(x, y)
		}
		var counts [2]int64
		if order <= 0 {
			p.add(x)
			counts[0] = real.Count(i)
			i++
		} else {
			p.add(y)
		}
		if order >= 0 {
			counts[1] = synthetic.Count(k)
			k++
		}
		for side := range counts {
			p.counts[side] = append(p.counts[side], counts[side])
		}
	}
}

// add appends the codes of a record to the columns of the pair.
func (p *Pair) add(record table.Record) {
	for j, code := range record {
		p.codes[j] = append(p.codes[j], code)
	}
}

// Persons reports whether the real table counts persons instead of rows.
func (p *Pair) Persons() bool { return p.persons }

// Rows returns the number of compared rows or persons in each table, rounded to an integer. Together with the numbers
// that Nulls returns, they sum to the sizes of the tables.
func (p *Pair) Rows() (real, synthetic int64) {
	real, synthetic = p.whole([2]int64{p.rows[0] + p.nulls[0], p.rows[1] + p.nulls[1]})
	outside, outsideSynthetic := p.Nulls()
	return real - outside, synthetic - outsideSynthetic
}

// Nulls returns the number of rows or persons outside the domain in each table, rounded to an integer.
func (p *Pair) Nulls() (real, synthetic int64) { return p.whole(p.nulls) }

// Satisfied returns, for each table, the number of rows or persons that satisfy the query, rounded to an integer, and
// their share.
func (p *Pair) Satisfied(w Worst) (rows [2]int64, shares [2]float64) {
	rows[0], rows[1] = p.whole([2]int64{w.Real, w.Synthetic})
	for side, units := range []int64{w.Real, w.Synthetic} {
		shares[side] = float64(units) / float64(max(p.rows[side], 1))
	}
	return rows, shares
}

// whole converts numbers of units (see table.Counts), one for each table, to numbers of rows or persons, rounded to
// integers.
func (p *Pair) whole(units [2]int64) (real, synthetic int64) {
	return (units[0] + p.weight[0]/2) / p.weight[0], (units[1] + p.weight[1]/2) / p.weight[1]
}

// Columns returns the attributes that are compared. They must not be changed.
func (p *Pair) Columns() []table.Attribute { return p.columns }

// Len returns the number of distinct records of both tables together.
func (p *Pair) Len() int { return len(p.counts[0]) }

// weigh returns the weight of the record with index i: the share of rows equal to the record in the real table, minus
// the share in the synthetic table, times the common denominator N of all shares. It is an integer.
func (p *Pair) weigh(i int) int64 {
	return p.counts[0][i]*p.unit[0] - p.counts[1][i]*p.unit[1]
}

// share converts a sum of weights (see weigh) to a difference of shares, by dividing it by the common denominator of
// the shares.
func (p *Pair) share(w int64) float64 { return float64(w) / float64(p.total) }

// Shares returns, for each value of a column, the share of rows with this value in each table.
func (p *Pair) Shares(column int) (real, synthetic []float64) {
	shares := [2][]float64{make([]float64, p.sizes[column]), make([]float64, p.sizes[column])}
	for side, of := range shares {
		rows := make([]int64, len(of))
		for i, code := range p.codes[column] {
			rows[code] += p.counts[side][i]
		}
		for v, n := range rows {
			of[v] = float64(n) / float64(max(p.rows[side], 1))
		}
	}
	return shares[0], shares[1]
}
