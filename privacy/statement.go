package privacy

import (
	"fmt"
	"math/big"
	"slices"
)

// A Statement is a guarantee of (ε, δ)-differential privacy in the form that is reported to users
// and stored in files. δ is 0 if the guarantee is pure.
type Statement struct {
	Epsilon  Decimal      `json:"epsilon"`
	Delta    Decimal      `json:"delta"`
	Relation Relation     `json:"relation"`
	Assumes  []Assumption `json:"assumes"`
}

// State returns the statement of a guarantee that is Pure, BoundedRange, Approximate, or
// composed of such guarantees. In the statement of a composition, ε and δ are the sums over its
// parts. Any other guarantee implies (ε, δ) for a whole curve of pairs and has no single
// statement; for it, State returns ErrNoEpsilon.
func State(g Guarantee) (*Statement, error) {
	var delta Decimal
	var err error
	switch g := g.(type) {
	case Approximate:
		return &Statement{g.Epsilon(), g.DeltaAtEpsilon(), g.Relation(), g.Assumes()}, nil
	case Composed:
		if delta, err = exactly(g.total.failure()); err != nil {
			return nil, err
		}
	}
	epsilon, err := Epsilon(g, delta)
	if err != nil {
		return nil, err
	}
	return &Statement{epsilon, delta, g.Relation(), g.Assumes()}, nil
}

// FollowsFrom returns nil if the guarantee g implies the statement. Otherwise it returns an
// error that states in one sentence which part of the statement does not follow.
func (s *Statement) FollowsFrom(g Guarantee) error {
	if g.Relation() != s.Relation {
		return fmt.Errorf("the stated relation is %v, but the mechanism's guarantee is under %v", s.Relation, g.Relation())
	}
	if !slices.Equal(g.Assumes(), s.Assumes) {
		return fmt.Errorf("the stated assumptions are %q, but the mechanism's guarantee assumes %q", s.Assumes, g.Assumes())
	}
	if s.Delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("the stated delta %s must be less than 1", s.Delta)
	}
	epsilon, err := Epsilon(g, s.Delta)
	switch {
	case err != nil:
		return fmt.Errorf("the mechanism's guarantee has no finite epsilon at the stated delta %s", s.Delta)
	case epsilon.Cmp(s.Epsilon) > 0:
		return fmt.Errorf("the mechanism's guarantee has epsilon %s at the stated delta, more than the stated %s", epsilon, s.Epsilon)
	}
	return nil
}
