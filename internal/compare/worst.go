package compare

import (
	"errors"

	"github.com/sibyl-dp/sibyl/internal/rule"
)

// A Worst is the query on which two tables differ most, among the queries of a class that the search evaluated.
type Worst struct {
	Query           rule.Body // a decision by a rule.All or rule.Odd of conditions, or rule.Points; it predicts 1 for the records that satisfy the query
	Real, Synthetic int64     // the units of rows that satisfy the query, see Pair.Satisfied
	Error           float64   // the absolute difference of the shares, |p_A - p_B|
	// Certified reports whether a checker proved that no query of the class has a greater difference.
	Certified bool
	// Order is the maximum number of columns of the queries for which this is proved. For conjunctions it is less
	// than the requested number if the search reached its limit on steps.
	Order int
}

// errRefuted is the error of a checker that refutes the result of the search, which means that the program has a
// defect.
var errRefuted = errors.New("compare: the check of the search failed")

// worst counts the rows of both tables that satisfy a query, one by one, and returns the query with the results.
func (p *Pair) worst(q rule.Body) Worst {
	w := Worst{Query: q}
	w.Real, w.Synthetic = p.count(q)
	w.Error = p.share(p.difference(w.Real, w.Synthetic))
	return w
}

// count returns, for each table, the number of units (see table.Counts) of the records that satisfy a query. It
// tests the records one by one.
func (p *Pair) count(q rule.Body) (real, synthetic int64) {
	record := make([]uint16, len(p.columns))
	for i := range p.Len() {
		for j := range record {
			record[j] = p.codes[j][i]
		}
		if q.Outcome(record) == 1 {
			real += p.counts[0][i]
			synthetic += p.counts[1][i]
		}
	}
	return real, synthetic
}

// difference returns the difference between the tables on a query, as an absolute sum of weights (see
// Pair.weigh), given the number of units (see table.Counts) of the records in each table that satisfy the query.
func (p *Pair) difference(real, synthetic int64) int64 {
	return abs(real*p.unit[0] - synthetic*p.unit[1])
}

func abs(x int64) int64 { return max(x, -x) }
