package privacy

import (
	"fmt"
	"math/big"
	"slices"
)

// A Statement is a guarantee as it is told to people: ε and δ, which is 0 where the
// guarantee is pure.
type Statement struct {
	Epsilon  Decimal      `json:"epsilon"`
	Delta    Decimal      `json:"delta"`
	Relation Relation     `json:"relation"`
	Assumes  []Assumption `json:"assumes"`
}

// State returns what to tell of a guarantee that is pure, Approximate, or composed of
// such: the ε and the δ of all parts add up. It fails for others, which have a curve of
// (ε, δ).
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

// FollowsFrom reports in one sentence what the statement promises that a guarantee does not.
func (s *Statement) FollowsFrom(g Guarantee) error {
	if g.Relation() != s.Relation {
		return fmt.Errorf("the guarantee is stated under the relation %v, and is one under %v", s.Relation, g.Relation())
	}
	if !slices.Equal(g.Assumes(), s.Assumes) {
		return fmt.Errorf("the guarantee states the assumptions %q, and rests on %q", s.Assumes, g.Assumes())
	}
	if s.Delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("the guarantee states a delta of %s, and one of 1 or more promises nothing", s.Delta)
	}
	epsilon, err := Epsilon(g, s.Delta)
	switch {
	case err != nil:
		return fmt.Errorf("what was done gives no epsilon at the stated delta of %s", s.Delta)
	case epsilon.Cmp(s.Epsilon) > 0:
		return fmt.Errorf("what was done gives an epsilon of %s at the stated delta, not the stated %s", epsilon, s.Epsilon)
	}
	return nil
}
