package privacy

import (
	"errors"
	"fmt"
	"slices"
)

// ErrParameter is returned for a parameter outside its range.
var ErrParameter = errors.New("invalid privacy parameter")

// A Guarantee bounds the change of a mechanism's output distribution between neighbouring tables. It does not depend
// on data.
//
// The implementations in this package are immutable. Their zero values guarantee nothing: they have no relation, and
// Delta returns 1.
type Guarantee interface {
	// Relation returns the neighbour relation of the guarantee.
	Relation() Relation
	// Delta returns an upper bound on the privacy curve at eps ≥ 0, rounded upward. Let P and
	// P′ be the output distributions on any two neighbours. For every event A,
	// P(A) ≤ exp(eps)·P′(A) + Delta(eps). Delta returns 1 if eps is negative or NaN.
	Delta(eps float64) float64
	// Assumes returns the assumptions of the guarantee, sorted, in a new slice. If there are
	// none, the guarantee does not depend on the correctness of any external solver.
	Assumes() []Assumption
}

// terms holds what all guarantees have in common: the neighbour relation and the assumptions.
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

// Relation returns the neighbour relation of the guarantee.
func (t terms) Relation() Relation { return t.relation }

// Assumes returns the assumptions of the guarantee, sorted, in a new slice.
func (t terms) Assumes() []Assumption { return append([]Assumption{}, t.assumes...) }

// silent reports whether the guarantee gives no bound at eps: it has no relation, or eps is negative or not a number.
func (t terms) silent(eps float64) bool { return !t.relation.valid() || !(eps >= 0) }
