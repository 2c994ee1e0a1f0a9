package compare

import "errors"

// A Query is a question to one record: a Conjunction, a Parity or a Card.
type Query interface {
	// Holds tells whether a record satisfies it, a category's number for each column.
	Holds(record []uint16) bool
}

// A Worst is the query of a class on which two tables differ most, as far as is known.
type Worst struct {
	Query           Query
	Real, Synthetic int64   // the units of rows that satisfy it, see Pair.Satisfied
	Error           float64 // |p_A - p_B|
	// Certified tells that no query of the class has a greater one, which a checker proved.
	Certified bool
	// Order is up to how many columns of a query that is proved: of a conjunction, fewer
	// than asked for where the search gave up.
	Order int
}

// errRefuted reports a defect: a checker refutes what was found.
var errRefuted = errors.New("compare: the checker refutes the search")

// worst returns what the definition says of a query.
func (p *Pair) worst(q Query) Worst {
	w := Worst{Query: q}
	w.Real, w.Synthetic = p.count(q)
	w.Error = p.share(p.difference(w.Real, w.Synthetic))
	return w
}

// count returns how many units of either table satisfy a query, row by row.
func (p *Pair) count(q Query) (real, synthetic int64) {
	record := make([]uint16, len(p.columns))
	for i := range p.Len() {
		for j := range record {
			record[j] = p.codes[j][i]
		}
		if q.Holds(record) {
			real += p.counts[0][i]
			synthetic += p.counts[1][i]
		}
	}
	return real, synthetic
}

// difference is |Σ w| of so many rows.
func (p *Pair) difference(real, synthetic int64) int64 {
	return abs(real*p.unit[0] - synthetic*p.unit[1])
}

func abs(x int64) int64 { return max(x, -x) }
