package privacy

import (
	"fmt"
	"math"
	"math/big"
)

// Pure is ε-differential privacy: |L| ≤ ε with probability 1, where L is the privacy loss. It
// implies (ε²/2)-zCDP.
type Pure struct {
	terms
	epsilon Decimal
}

// NewPure returns the guarantee of ε-differential privacy under r and the given assumptions. If
// ε is 0, it returns ErrParameter.
func NewPure(r Relation, epsilon Decimal, assumes ...Assumption) (Pure, error) {
	t, err := newTerms(r, assumes)
	if err != nil {
		return Pure{}, err
	}
	if epsilon.IsZero() {
		return Pure{}, fmt.Errorf("%w: ε must be positive", ErrParameter)
	}
	return Pure{t, epsilon}, nil
}

// Epsilon returns the parameter ε of the guarantee.
func (p Pure) Epsilon() Decimal { return p.epsilon }

// Rho returns ρ = ε²/2. The guarantee implies ρ-zCDP for this ρ (Bun and Steinke 2016,
// Proposition 1.4).
func (p Pure) Rho() *big.Rat { return pureRho(p.epsilon) }

// Delta returns an upper bound on the privacy curve at eps. The bound is the largest value that ε-differential
// privacy allows there, which randomized response attains, rounded upward. It is 0 for eps ≥ ε, and otherwise
//
//	(exp(ε) - exp(eps)) / (1 + exp(ε))
func (p Pure) Delta(eps float64) float64 {
	if p.silent(eps) {
		return 1
	}
	return pureDelta(floatUp(p.epsilon.Rat()), eps)
}

// pureDelta returns the value of Pure.Delta at x ≥ 0, for ε = epsilon.
func pureDelta(epsilon, x float64) float64 {
	if x >= epsilon {
		return 0
	}
	return outward(-math.Expm1(x-epsilon) / (1 + math.Exp(-epsilon)))
}

func pureRho(epsilon Decimal) *big.Rat {
	e := epsilon.Rat()
	return e.Mul(e, e).Mul(e, big.NewRat(1, 2))
}
