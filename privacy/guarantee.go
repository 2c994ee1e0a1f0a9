package privacy

import (
	"errors"
	"fmt"
	"slices"
)

// ErrParameter is returned by the constructors of guarantees for a parameter
// outside its range.
var ErrParameter = errors.New("invalid privacy parameter")

// A Guarantee is what a mechanism promises about every pair of neighbours. It
// does not depend on data.
//
// The implementations in this package are immutable. Their zero values promise
// nothing: they have no relation and a Delta of 1.
type Guarantee interface {
	// Relation is the neighbour relation the promise is about.
	Relation() Relation
	// Delta returns an upper bound on the privacy curve at eps ≥ 0, rounded
	// upward: for neighbours with output laws P and P′ and every event A,
	// P(A) ≤ exp(eps)·P′(A) + Delta(eps). It is 1 where eps is negative or NaN.
	Delta(eps float64) float64
	// Assumes lists what the promise rests on, sorted, in a slice of the
	// caller's. An empty list means that it holds whatever any solver does.
	Assumes() []Assumption
}

// terms are what every guarantee states beside its numbers.
type terms struct {
	relation Relation
	assumes  []Assumption // sorted, distinct
}

func newTerms(r Relation, assumes []Assumption) (terms, error) {
	if !r.valid() {
		return terms{}, fmt.Errorf("%v: %w", r, ErrRelation)
	}
	for _, a := range assumes {
		if a.Text() == "" {
			return terms{}, fmt.Errorf("%w: %.60q", ErrAssumption, string(a))
		}
	}
	assumes = slices.Clone(assumes)
	slices.Sort(assumes)
	return terms{r, slices.Compact(assumes)}, nil
}

// Relation is the neighbour relation the promise is about.
func (t terms) Relation() Relation { return t.relation }

// Assumes lists what the promise rests on, sorted.
func (t terms) Assumes() []Assumption { return append([]Assumption{}, t.assumes...) }

// silent reports that nothing is promised at eps.
func (t terms) silent(eps float64) bool { return !t.relation.valid() || !(eps >= 0) }
