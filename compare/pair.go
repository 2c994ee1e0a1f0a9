package compare

import (
	"cmp"
	"errors"
	"slices"

	"github.com/sibyl-dp/sibyl/table"
)

// A Pair is two tables over one schema, laid out to be compared. A label is a column like
// any other, the last one. It is safe for concurrent use.
type Pair struct {
	columns []table.Attribute
	sizes   []int
	codes   [][]uint16 // of each column, by distinct record of either table
	counts  [2][]int64 // rows of the real table and of the synthetic one, by record
	rows    [2]int64   // inside the domain
	nulls   [2]int64   // outside, which are not compared
	unit    [2]int64   // N/n
	total   int64      // N
}

// mostTotal bounds N, so that all sums of weights are within 62 bits.
const mostTotal = 1 << 60

// Errors of New.
var (
	ErrRows   = errors.New("compare: the shares of these numbers of rows have no common denominator up to 2^60; compare tables of fewer rows, or of as many as each other")
	ErrSchema = errors.New("compare: the tables are not of the schema's records, with one a row")
)

// New returns the pair of a real table and a synthetic one, which were read by the schema,
// without persons. Rows outside the domain are left out. It fails with ErrRows or
// ErrSchema. It takes one step for each code of each distinct record.
func New(s *table.Schema, real, synthetic *table.Table) (*Pair, error) {
	p := &Pair{columns: slices.Clone(s.Attributes)}
	if s.Label != nil {
		p.columns = append(p.columns, outcome(s.Label))
	}
	for j := range p.columns {
		p.sizes = append(p.sizes, p.columns[j].Len())
	}
	for side, t := range []*table.Table{real, synthetic} {
		if !slices.Equal(t.Sizes(), s.Sizes()) || t.Outcomes() != s.Outcomes() || t.Weight() != 1 {
			return nil, ErrSchema
		}
		p.nulls[side] = t.Nulls()
		p.rows[side] = t.Rows() - t.Nulls()
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

// multiple returns the least common multiple, and whether that is at most mostTotal.
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

// outcome is the label as an attribute, whose categories are the outcomes in the order of
// their codes.
func outcome(l *table.Label) table.Attribute {
	a := table.Attribute{Name: l.Column, Column: l.Column, Values: l.Values, Groups: l.Groups, Cuts: l.Cuts}
	switch {
	case l.AtLeast != "":
		a.Cuts = []table.Decimal{l.AtLeast}
	case len(l.Positive) > 0:
		a.Groups = []table.Group{group(l.Negative), group(l.Positive)}
	}
	return a
}

// group is a category of some values, named by the first.
func group(values []string) table.Group {
	name := values[0]
	if len(values) > 1 {
		name += ", …"
	}
	return table.Group{Name: name, Values: values}
}

// merge lays out the distinct records of both tables, which are sorted alike.
func (p *Pair) merge(real, synthetic *table.Table) {
	p.codes = make([][]uint16, len(p.columns))
	for i, k := 0, 0; i < real.Len() || k < synthetic.Len(); {
		order := 0
		switch {
		case k == synthetic.Len():
			order = -1
		case i == real.Len():
			order = 1
		default:
			order = cmp.Or(slices.Compare(real.Record(i), synthetic.Record(k)), cmp.Compare(real.Outcome(i), synthetic.Outcome(k)))
		}
		var counts [2]int64
		if order <= 0 {
			p.add(real, i)
			counts[0] = real.Count(i)
			i++
		} else {
			p.add(synthetic, k)
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

// add appends the codes of a record.
func (p *Pair) add(t *table.Table, i int) {
	record := t.Record(i)
	for j, code := range record {
		p.codes[j] = append(p.codes[j], code)
	}
	if len(p.columns) > len(record) {
		p.codes[len(record)] = append(p.codes[len(record)], uint16(t.Outcome(i)))
	}
}

// Rows returns the numbers of rows that are compared.
func (p *Pair) Rows() (real, synthetic int64) { return p.rows[0], p.rows[1] }

// Nulls returns how many rows of either table lie outside the domain.
func (p *Pair) Nulls() (real, synthetic int64) { return p.nulls[0], p.nulls[1] }

// Columns returns the columns that are compared: the attributes, and the label as the last
// one where the schema has one. They must not be changed.
func (p *Pair) Columns() []table.Attribute { return p.columns }

// Len returns the number of distinct records of both tables together.
func (p *Pair) Len() int { return len(p.counts[0]) }

// weight returns w of record i.
func (p *Pair) weight(i int) int64 {
	return p.counts[0][i]*p.unit[0] - p.counts[1][i]*p.unit[1]
}

// share is so many N-ths.
func (p *Pair) share(w int64) float64 { return float64(w) / float64(p.total) }
