package learn

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// NewtonShares divide the budget of Newton among its parts. Gradient, Hessian and Final are all zero, or all
// positive. Residuals may be positive only if they are. Counts, Gradient, Hessian and Residuals are shares of ε of a privacy.Pure budget, which gives them Laplace
// noise, or of ρ of a privacy.ZCDP budget, which gives them Gaussian noise. Start and Final are the ε of samples
// from the exponential mechanism. A sample consumes ε, or ε²/8 of ρ.
type NewtonShares struct {
	Counts, Start, Gradient, Hessian, Residuals, Final privacy.Decimal
}

// Consumes returns the part of the budget that the shares consume together: a part of ε or of ρ.
func (s NewtonShares) Consumes(budget privacy.Guarantee) *big.Rat {
	sum := new(big.Rat)
	for _, share := range []privacy.Decimal{s.Counts, s.Gradient, s.Hessian, s.Residuals} {
		sum.Add(sum, share.Rat())
	}
	for _, share := range []privacy.Decimal{s.Start, s.Final} {
		sum.Add(sum, SampleConsumes(share, budget))
	}
	return sum
}

// SampleConsumes returns the part of a privacy.Pure or privacy.ZCDP budget that a sample of the exponential
// mechanism with this ε consumes: ε, or ε²/8 of ρ.
func SampleConsumes(epsilon privacy.Decimal, budget privacy.Guarantee) *big.Rat {
	if concentrated(budget) {
		return privacy.RangeRho(epsilon)
	}
	return epsilon.Rat()
}

// SampleWithin returns the greatest ε with which a sample consumes at most that part of the budget, rounded down
// to 100 significant digits for a part of ε, and to those of privacy.RangeWithin for a part of ρ.
func SampleWithin(part *big.Rat, budget privacy.Guarantee) (privacy.Decimal, error) {
	if concentrated(budget) {
		return privacy.RangeWithin(part)
	}
	return privacy.RoundDown(part, mostDigits)
}

// concentrated reports whether the budget is in ρ.
func concentrated(budget privacy.Guarantee) bool {
	_, ok := budget.(privacy.ZCDP)
	return ok
}

// part returns a budget of the same kind and relation as the whole.
func part(whole privacy.Guarantee, share privacy.Decimal) (privacy.Guarantee, error) {
	if concentrated(whole) {
		return privacy.NewZCDP(whole.Relation(), share.Rat())
	}
	return privacy.NewPure(whole.Relation(), share)
}

// perCost returns λ of a sample with this ε, for a thousandth of a misclassification.
func (m *Newton) perCost(epsilon privacy.Decimal) *big.Rat {
	return new(big.Rat).Quo(epsilon.Rat(), m.changes(big.NewRat(weightedLoss, 1)))
}

// changes returns c, or 2c if a neighbour replaces a row: the maximum change of a sum to which a row
// contributes at most c in absolute value.
func (m *Newton) changes(c *big.Rat) *big.Rat {
	if m.budget.Relation().Replaces() {
		return new(big.Rat).Add(c, c)
	}
	return c
}

// sumNoise returns the noise of each entry of the gradient and of the Hessian. Let n be the norm of an encoded
// record with its constant, times shrinkUnits: ℓ1 for Laplace noise, ℓ2 for Gaussian noise. A row contributes to the gradient at most
// riskUnits·n in that norm, and to the Hessian at most curveUnits·n² in the ℓ1 norm, or √2·curveUnits·n² in the ℓ2
// norm. Replacing a row doubles these changes, but the ℓ2 norm of the Hessian's change only grows by the factor √2
// (docs/explanation/proofs/newton.md, section 2).
func (m *Newton) sumNoise(t *encodedTable) (gradient, hessian noise.Sampler) {
	g, h := m.shares.Gradient.Rat(), m.shares.Hessian.Rat()
	if concentrated(m.budget) {
		n2 := big.NewRat(shrinkUnits*shrinkUnits*(t.norm*t.norm+t.constant*t.constant), 1)
		first := new(big.Rat).Mul(n2, big.NewRat(riskUnits*riskUnits, 1))
		second := new(big.Rat).Mul(n2, n2)
		second.Mul(second, big.NewRat(2*curveUnits*curveUnits, 1))
		return gaussian(m.changes(m.changes(first)), g), gaussian(m.changes(second), h)
	}
	n := shrinkUnits * (t.norm + t.constant)
	first, second := m.changes(big.NewRat(riskUnits*n, 1)), m.changes(big.NewRat(curveUnits*n*n, 1))
	return noise.Laplace{Scale: first.Quo(first, g)}, noise.Laplace{Scale: second.Quo(second, h)}
}

// gaussian returns the noise that consumes ρ if the square of the ℓ2 norm of a sum's change is at most square.
func gaussian(square, rho *big.Rat) noise.Gaussian {
	return noise.Gaussian{Sigma2: new(big.Rat).Quo(square, new(big.Rat).Add(rho, rho))}
}

// CountVariance returns σ² of the Gaussian noise of counts, a public parameter, or nil for a pure budget.
func (m *Newton) CountVariance() *big.Rat {
	law, _ := AnswerNoise(m.counts.budget, len(m.counts.marginals.sizes), price(m.counts.budget)).(noise.Gaussian)
	return law.Sigma2
}
