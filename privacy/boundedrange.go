package privacy

import (
	"fmt"
	"math"
	"math/big"
)

// BoundedRange is the guarantee that the privacy loss has a bounded range: for each ordered pair of neighbours, an
// interval of length ε contains the privacy loss with probability 1. It implies ε-differential privacy and
// (ε²/8)-zCDP, while [Pure] with the same ε implies only (ε²/2)-zCDP.
//
// The exponential mechanism has this guarantee. It samples outputs with probability proportional to e^(−λ·cost), so
// the privacy loss of an output is λ times the change of the output's cost, plus a constant.
type BoundedRange struct {
	terms
	epsilon Decimal
}

// NewBoundedRange returns the guarantee that the privacy loss has a range of length ε, under r and the given
// assumptions. If ε is 0, it returns ErrParameter.
func NewBoundedRange(r Relation, epsilon Decimal, assumes ...Assumption) (BoundedRange, error) {
	t, err := newTerms(r, assumes)
	if err != nil {
		return BoundedRange{}, err
	}
	if epsilon.IsZero() {
		return BoundedRange{}, fmt.Errorf("%w: ε must be positive", ErrParameter)
	}
	return BoundedRange{t, epsilon}, nil
}

// Epsilon returns the parameter ε, the length of the range. The guarantee implies ε-differential privacy.
func (b BoundedRange) Epsilon() Decimal { return b.epsilon }

// Rho returns ρ = ε²/8. The guarantee implies ρ-zCDP for this ρ (Cesar and Rogers 2021).
func (b BoundedRange) Rho() *big.Rat { return RangeRho(b.epsilon) }

// Delta returns an upper bound on the privacy curve at eps. The bound is the largest value that a range of ε allows
// there (Dong, Durfee and Rogers 2020), rounded upward. It is 0 for eps ≥ ε, and otherwise
//
//	(exp(ε/2) - exp(eps/2))² / (exp(ε) - 1)
func (b BoundedRange) Delta(eps float64) float64 {
	if b.silent(eps) {
		return 1
	}
	return rangeDelta(floatUp(b.epsilon.Rat()), eps)
}

// rangeDelta returns the value of BoundedRange.Delta at x ≥ 0, for a privacy loss in an interval of length epsilon.
func rangeDelta(epsilon, x float64) float64 {
	if x >= epsilon {
		return 0
	}
	root := math.Expm1((x - epsilon) / 2)
	return outward(root * (root / -math.Expm1(-epsilon)))
}

// RangeRho returns ε²/8, the ρ of the zCDP that the guarantee [BoundedRange] with parameter ε implies.
func RangeRho(epsilon Decimal) *big.Rat {
	e := epsilon.Rat()
	return e.Mul(e, e).Mul(e, big.NewRat(1, 8))
}
