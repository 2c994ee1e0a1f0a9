package privacy

import (
	"fmt"
	"math"
	"math/big"
)

// BoundedRange is a range of ε: for each pair of neighbours, in either order,
// an interval of length ε holds the privacy loss surely. The exponential
// mechanism has it: its loss is λ·(change of cost) plus a constant. It implies
// ε-differential privacy and (ε²/8)-zCDP, a quarter of what [Pure] gives.
type BoundedRange struct {
	terms
	epsilon Decimal
}

// NewBoundedRange states a range of ε under r, resting on the given
// assumptions. An ε of 0 is ErrParameter.
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

// Epsilon is ε, the range and the parameter of the pure privacy that follows.
func (b BoundedRange) Epsilon() Decimal { return b.epsilon }

// Rho is ε²/8, the ρ of the zero-concentrated privacy that follows (Cesar and
// Rogers 2021).
func (b BoundedRange) Rho() *big.Rat { return rangeRho(b.epsilon) }

// Delta is the largest curve that a range of ε allows (Dong, Durfee and Rogers
// 2020): (exp(ε/2) - exp(eps/2))² / (exp(ε) - 1) below ε, and 0 from ε on.
func (b BoundedRange) Delta(eps float64) float64 {
	if b.silent(eps) {
		return 1
	}
	return rangeDelta(floatUp(b.epsilon.Rat()), eps)
}

func rangeDelta(epsilon, x float64) float64 {
	if x >= epsilon {
		return 0
	}
	root := math.Expm1((x - epsilon) / 2)
	return outward(root * (root / -math.Expm1(-epsilon)))
}

func rangeRho(epsilon Decimal) *big.Rat {
	e := epsilon.Rat()
	return e.Mul(e, e).Mul(e, big.NewRat(1, 8))
}
