package privacy

import (
	"fmt"
	"math/big"
)

// Approximate is (ε, δ)-differential privacy: P(A) ≤ exp(ε)·P′(A) + δ for
// neighbours and every event A.
type Approximate struct {
	terms
	epsilon, delta Decimal
}

// NewApproximate states (ε, δ)-differential privacy under r, resting on the
// given assumptions. A δ of 0 (that is [NewPure]), or of 1 or more (which
// promises nothing), is ErrParameter; ε may be 0.
func NewApproximate(r Relation, epsilon, delta Decimal, assumes ...Assumption) (Approximate, error) {
	t, err := newTerms(r, assumes)
	if err != nil {
		return Approximate{}, err
	}
	if delta.IsZero() || delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return Approximate{}, fmt.Errorf("%w: δ must be strictly between 0 and 1, and is %v", ErrParameter, delta)
	}
	return Approximate{t, epsilon, delta}, nil
}

// Epsilon is ε.
func (a Approximate) Epsilon() Decimal { return a.epsilon }

// DeltaAtEpsilon is δ.
func (a Approximate) DeltaAtEpsilon() Decimal { return a.delta }

// Delta is the largest curve that (ε, δ) allows (Kairouz, Oh and Viswanath
// 2015): δ + (1-δ)·(exp(ε) - exp(eps))/(1 + exp(ε)) below ε, and δ from ε on.
func (a Approximate) Delta(eps float64) float64 {
	if a.silent(eps) {
		return 1
	}
	return withFailure(a.delta.Rat(), pureDelta(floatUp(a.epsilon.Rat()), eps))
}
