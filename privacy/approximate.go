package privacy

import (
	"fmt"
	"math/big"
)

// Approximate is (ε, δ)-differential privacy: P(A) ≤ exp(ε)·P′(A) + δ for every event A, where P and P′ are the output
// distributions on any two neighbours.
type Approximate struct {
	terms
	epsilon, delta Decimal
}

// NewApproximate returns the guarantee of (ε, δ)-differential privacy under r and the given
// assumptions. If δ is 0 or at least 1, it returns ErrParameter; for δ = 0 use [NewPure]. ε may
// be 0.
func NewApproximate(r Relation, epsilon, delta Decimal, assumes ...Assumption) (Approximate, error) {
	t, err := newTerms(r, assumes)
	if err != nil {
		return Approximate{}, err
	}
	if delta.IsZero() || delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return Approximate{}, fmt.Errorf("%w: δ %v must be strictly between 0 and 1", ErrParameter, delta)
	}
	return Approximate{t, epsilon, delta}, nil
}

// Epsilon returns the parameter ε of the guarantee.
func (a Approximate) Epsilon() Decimal { return a.epsilon }

// DeltaAtEpsilon returns the parameter δ of the guarantee.
func (a Approximate) DeltaAtEpsilon() Decimal { return a.delta }

// Delta returns an upper bound on the privacy curve at eps. The bound is the largest value that (ε, δ)-differential
// privacy allows there (Kairouz, Oh and Viswanath 2015), rounded upward. It is δ for eps ≥ ε, and otherwise
//
//	δ + (1-δ)·(exp(ε) - exp(eps)) / (1 + exp(ε))
func (a Approximate) Delta(eps float64) float64 {
	if a.silent(eps) {
		return 1
	}
	return withFailure(a.delta.Rat(), pureDelta(floatUp(a.epsilon.Rat()), eps))
}
