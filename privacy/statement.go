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

	basis Guarantee // the guarantee given to RestOn or Refine; nil if only the statement is known
}

// State returns the statement of a guarantee that is Pure, BoundedRange, Approximate, or composed of such guarantees.
// In the statement of a composition, ε and δ are the sums over its parts. The Basis of the statement is g.
//
// For any other guarantee, State returns ErrNoEpsilon: such a guarantee implies (ε, δ) for a whole curve of pairs, so
// it has no single statement.
func State(g Guarantee) (*Statement, error) {
	var delta Decimal
	var err error
	switch g := g.(type) {
	case Approximate:
		return &Statement{g.Epsilon(), g.DeltaAtEpsilon(), g.Relation(), g.Assumes(), g}, nil
	case Composed:
		if delta, err = exactly(g.total.failure()); err != nil {
			return nil, err
		}
	}
	epsilon, err := Epsilon(g, delta)
	if err != nil {
		return nil, err
	}
	return &Statement{epsilon, delta, g.Relation(), g.Assumes(), g}, nil
}

// RestOn records that the statement follows from the guarantee g. From then on, Basis returns g, and [Together]
// composes g instead of the statement itself. If the statement does not follow from g, RestOn returns the error of
// FollowsFrom and records nothing.
func (s *Statement) RestOn(g Guarantee) error {
	err := s.FollowsFrom(g)
	if err == nil {
		s.basis = g
	}
	return err
}

// Refine records that the mechanism with this statement also satisfies g. From then on, Basis returns g, and [Together]
// composes g instead of the statement itself. The statement need not follow from g: its ε may be less than that of g at the
// same δ. Refine returns an error if g has another relation or other assumptions.
func (s *Statement) Refine(g Guarantee) error {
	err := s.sameTerms(g)
	if err == nil {
		s.basis = g
	}
	return err
}

// Basis returns the guarantee that was given to RestOn or Refine or, if none was given, a guarantee with the ε and δ
// of the statement.
func (s *Statement) Basis() (Guarantee, error) {
	switch {
	case s.basis != nil:
		return s.basis, nil
	case s.Delta.IsZero():
		return NewPure(s.Relation, s.Epsilon, s.Assumes...)
	}
	return NewApproximate(s.Relation, s.Epsilon, s.Delta, s.Assumes...)
}

// Together returns the statement of several releases together. Its δ is the sum of the δ of all statements. Its ε is
// the smaller of two numbers:
//   - the sum of the ε of all statements,
//   - the least ε at this δ that follows from the composition of their guarantees (see Basis).
//
// The errors are those of [Compose].
func Together(all ...*Statement) (*Statement, error) {
	var gs []Guarantee
	epsilon, delta := new(big.Rat), new(big.Rat)
	for _, s := range all {
		g, err := s.Basis()
		if err != nil {
			return nil, err
		}
		gs = append(gs, g)
		epsilon.Add(epsilon, s.Epsilon.Rat())
		delta.Add(delta, s.Delta.Rat())
	}
	composed, err := Compose(gs...)
	if err != nil {
		return nil, err
	}
	total := &Statement{Relation: composed.Relation(), Assumes: composed.Assumes(), basis: composed}
	if total.Epsilon, err = exactly(epsilon); err != nil {
		return nil, err
	}
	if total.Delta, err = exactly(delta); err != nil {
		return nil, err
	}
	if least, err := Epsilon(composed, total.Delta); err == nil && least.Cmp(total.Epsilon) < 0 {
		total.Epsilon = least
	}
	return total, nil
}

// FollowsFrom returns nil if the guarantee g implies the statement. Otherwise it returns an error that says which part
// of the statement does not follow.
func (s *Statement) FollowsFrom(g Guarantee) error {
	if err := s.sameTerms(g); err != nil {
		return err
	}
	if s.Delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("the stated delta %s must be less than 1", s.Delta)
	}
	epsilon, err := Epsilon(g, s.Delta)
	switch {
	case err != nil:
		return fmt.Errorf("the mechanism's guarantee has no finite epsilon at the stated delta %s", s.Delta)
	case epsilon.Cmp(s.Epsilon) > 0:
		return fmt.Errorf("the mechanism's guarantee has epsilon %s at the stated delta, which exceeds the stated epsilon %s", epsilon, s.Epsilon)
	}
	return nil
}

// sameTerms returns an error unless the guarantee g has the neighbour relation and the assumptions of the statement.
func (s *Statement) sameTerms(g Guarantee) error {
	switch {
	case g.Relation() != s.Relation:
		return fmt.Errorf("the stated neighbour relation is %v, but that of the mechanism's guarantee is %v", s.Relation, g.Relation())
	case !slices.Equal(g.Assumes(), s.Assumes):
		return fmt.Errorf("the stated assumptions are %q, but the mechanism's guarantee assumes %q", s.Assumes, g.Assumes())
	}
	return nil
}
