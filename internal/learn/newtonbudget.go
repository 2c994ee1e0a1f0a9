package learn

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// NewtonShares divide the budget of Newton among its noisy queries and its samples.
//
// Counts, Gradient, Hessian and Residuals are the shares of noisy queries. For a privacy.Pure
// budget they are parts of ε, and the noise is Laplace noise. For a privacy.ZCDP or privacy.GDP
// budget they are parts of ρ or of μ²/2, and the noise is Gaussian.
//
// Start and Final are for the two samples of the exponential mechanism, parts 2 and 5 in the
// comment of Newton. For every kind of budget, they are the ε of the sample. SampleConsumes returns
// how much of the budget such a sample consumes.
//
// Gradient, Hessian and Final are either all zero or all positive. Residuals may be positive only
// if these three are positive.
//
// If Proportional is true, Counts is divided among the attributes in proportion to their numbers of
// categories, and the budget must not be a privacy.Pure. Otherwise all attributes get equal shares.
type NewtonShares struct {
	Counts, Start, Gradient, Hessian, Residuals, Final privacy.Decimal

	Proportional bool
}

// Consumes returns how much of the budget's Total all shares together consume.
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

// Spent returns the guarantee of a release with these shares of a μ-GDP budget, together with a
// private selection that has the ε choice. The result has the μ of the budget and a ρ, the sum of
// the ρ of all parts, which is less than μ²/2 because of the samples.
func (s NewtonShares) Spent(budget privacy.GDP, choice privacy.Decimal) (privacy.GDP, error) {
	rho := s.Consumes(budget.ZCDP)
	return privacy.NewGDP(budget.Relation(), budget.Square(), rho.Add(rho, privacy.RangeRho(choice)), budget.Assumes()...)
}

// SampleConsumes returns how much of the budget, as a number (Total), a sample of the exponential
// mechanism with the given ε consumes: ε if the budget is privacy.Pure, and RangePart of a
// privacy.GaussianBudget.
func SampleConsumes(epsilon privacy.Decimal, budget privacy.Guarantee) *big.Rat {
	if b, ok := budget.(privacy.GaussianBudget); ok {
		return b.RangePart(epsilon)
	}
	return epsilon.Rat()
}

// SampleWithin returns the greatest ε for which a sample of the exponential mechanism consumes at
// most the given part of the budget. It is rounded down: to 100 significant digits for a
// privacy.Pure, and otherwise like RangeWithin of a privacy.GaussianBudget.
func SampleWithin(part *big.Rat, budget privacy.Guarantee) (privacy.Decimal, error) {
	if b, ok := budget.(privacy.GaussianBudget); ok {
		return b.RangeWithin(part)
	}
	return privacy.RoundDown(part, mostDigits)
}

// concentrated reports whether the budget is a privacy.ZCDP or privacy.GDP, so that noise is
// Gaussian.
func concentrated(budget privacy.Guarantee) bool {
	_, ok := budget.(privacy.GaussianBudget)
	return ok
}

// perCost returns the rate λ of an exponential mechanism that consumes the given ε, for costs in
// thousandths of a misclassification.
func (m *Newton) perCost(epsilon privacy.Decimal) *big.Rat {
	return new(big.Rat).Quo(epsilon.Rat(), m.changes(big.NewRat(weightedLoss, 1)))
}

// changes returns the maximum change of a sum between neighbouring tables, if each row contributes
// at most c in absolute value: c·Units under add-remove, and twice this if a row or person is
// replaced.
func (m *Newton) changes(c *big.Rat) *big.Rat {
	most := m.inUnits(c)
	if m.budget.Relation().Replaces() {
		most.Add(most, most)
	}
	return most
}

// inUnits returns the maximum contribution of a person to a sum, if each row of weight 1
// contributes at most c: c times the total weight of a person's rows.
func (m *Newton) inUnits(c *big.Rat) *big.Rat {
	return new(big.Rat).Mul(c, new(big.Rat).SetInt64(Units(m.budget.Relation())))
}

// sumNoise returns the distributions of the noise on each entry of the gradient, and on each entry
// of the Hessian. The noise follows from the maximum contribution of a row, in the ℓ1 norm for
// Laplace noise and in the ℓ2 norm for Gaussian noise. Let n be shrinkUnits times the maximum norm
// of an encoded record with its constant. A row contributes
//
//   - at most riskUnits·n to the gradient,
//   - at most curveUnits·n² to the Hessian if the norm is ℓ1, and √2·curveUnits·n² if it is ℓ2.
//
// A person contributes at most Units times as much as a row. If neighbours replace a row or person,
// the change doubles, except that the ℓ2 norm of the change of the Hessian grows only by the factor
// √2 (docs/explanation/proofs/newton.md, section 2).
func (m *Newton) sumNoise(t *encodedTable) (gradient, hessian noise.Sampler) {
	g, h := m.shares.Gradient.Rat(), m.shares.Hessian.Rat()
	if b, ok := m.budget.(privacy.GaussianBudget); ok {
		n2 := big.NewRat(shrinkUnits*shrinkUnits*(t.norm*t.norm+t.constant*t.constant), 1)
		first := new(big.Rat).Mul(n2, big.NewRat(riskUnits*riskUnits, 1))
		second := new(big.Rat).Mul(n2, n2)
		second.Mul(second, big.NewRat(2*curveUnits*curveUnits, 1))
		return noise.Gaussian{Sigma2: b.NoiseWithin(m.changes(m.changes(first)), g)}, noise.Gaussian{Sigma2: b.NoiseWithin(m.changes(m.inUnits(second)), h)}
	}
	n := shrinkUnits * (t.norm + t.constant)
	first, second := m.changes(big.NewRat(riskUnits*n, 1)), m.changes(big.NewRat(curveUnits*n*n, 1))
	return noise.Laplace{Scale: first.Quo(first, g)}, noise.Laplace{Scale: second.Quo(second, h)}
}

// CountVariances returns, for each attribute, the parameter σ² of the Gaussian noise on its counts. These are
// public parameters. CountVariances returns nil for a pure budget.
func (m *Newton) CountVariances() (variances []*big.Rat) {
	for _, law := range m.countNoise() {
		if law, ok := law.(noise.Gaussian); ok {
			variances = append(variances, law.Sigma2)
		}
	}
	return variances
}

// countNoise returns, for each attribute, the distribution of the noise on its counts. The noise
// follows from the attribute's part of the budget. A row changes only one count of each attribute.
func (m *Newton) countNoise() []noise.Sampler {
	parts, all := m.countParts()
	laws := make([]noise.Sampler, len(parts))
	for j, n := range parts {
		share := big.NewRat(n, all)
		laws[j] = AnswerNoise(m.budget, 1, share.Mul(share, m.shares.Counts.Rat()))
	}
	return laws
}

// countParts returns how the budget for counts is divided among the attributes: attribute j
// receives the fraction parts[j]/all.
func (m *Newton) countParts() (parts []int64, all int64) {
	for _, n := range m.marginals.sizes {
		part := int64(1)
		if m.shares.Proportional {
			part = int64(n)
		}
		parts, all = append(parts, part), all+part
	}
	return parts, all
}
