package privacy

import (
	"fmt"
	"math"
	"math/big"
)

// Pure is ε-differential privacy: |L| ≤ ε surely, L the privacy loss. It
// implies (ε²/2)-zCDP.
type Pure struct {
	terms
	epsilon Decimal
}

// NewPure states ε-differential privacy under r, resting on the given
// assumptions. An ε of 0 is ErrParameter: nothing that reads the data has it.
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

// Epsilon is ε.
func (p Pure) Epsilon() Decimal { return p.epsilon }

// Rho is ε²/2, the ρ of the zero-concentrated privacy that follows (Bun and
// Steinke 2016, Proposition 1.4).
func (p Pure) Rho() *big.Rat { return pureRho(p.epsilon) }

// Delta is the curve of randomised response with ε, which no ε-differentially
// private mechanism exceeds: (exp(ε) - exp(eps)) / (1 + exp(ε)) below ε, and
// 0 from ε on.
func (p Pure) Delta(eps float64) float64 {
	if p.silent(eps) {
		return 1
	}
	return pureDelta(floatUp(p.epsilon.Rat()), eps)
}

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
