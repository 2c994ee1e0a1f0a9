package boosting

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Risk returns an upper bound on the excess risk of the released hypothesis. The risk of a hypothesis is its expected
// loss on a new row. Its excess risk is its risk minus the minimum of (risk + penalty/Train) over the class, where
// Train is the number of rows of a training part.
//
// The bound holds with probability at least 1 - beta over the rows and the randomness of the mechanism, if the rows
// are independent samples from some distribution (docs/explanation/proofs/boosting.md, section 3). It is infinite if
// there are no validation rows, and under add-remove, where the sizes of the parts are random. Risk computes in
// floating point and does not affect any release.
func (m *Boost[X, H]) Risk(beta float64) float64 {
	if !m.guarantee.Relation().Replaces() {
		return math.Inf(1)
	}
	lambda, _ := m.lambda.Float64()
	return boostRisk(m.base, m.plan, lambda, beta)
}

// boostRisk returns the bound of Risk for the plan p. The parameter lambda is the rate of the selection. The bound is
// the sum of three terms (docs/explanation/proofs/boosting.md, section 3):
//
//   - A bound on the least excess risk of the hypotheses from the k training parts, which fails with probability at
//     most beta/2. It follows from the mean excess risk M = E/t + C√(2 ln|Q|/t) of a hypothesis. Here t is the number
//     of rows of a part, E is the mean excess error of the base learner on t rows, C is the range of the loss of a
//     row, and |Q| is the number of hypotheses.
//   - A bound on the error of the selection, which fails with probability at most beta/4.
//   - A bound on the error of the losses on the validation rows, which fails with probability at most beta/4.
func boostRisk[X, H any](base learn.Learner[X, H], p BoostPlan, lambda, beta float64) float64 {
	t, v, k := float64(p.Train()), float64(p.sizes()[p.Parts]), float64(p.Parts)
	if v == 0 {
		return math.Inf(1)
	}
	c := float64(base.Loss().Range())
	mean := base.Excess(p.Train()).Mean/t + c*math.Sqrt(2*learn.LogSize(base.Class())/t)
	factor := math.Pow(2/beta, 1/k)
	choice := math.Log(4*k/beta) / (lambda * v)
	misjudged := c * math.Sqrt(2*math.Log(8*k/beta)/v)
	return factor*mean + choice + misjudged
}

// PlanBoost returns the plan with the least bound on the excess risk under replace-one for the given number of rows,
// and this bound (see Boost.Risk). The parameter epsilon is ε′, the ε of the selection. PlanBoost tries all numbers
// of training parts up to ⌈2·ln(2/beta)⌉, and all multiples of 5% of the rows for the validation part. If no plan has
// a finite bound, it returns a plan without parts and an infinite bound. The result does not depend on the data.
func PlanBoost[X, H any](base learn.Learner[X, H], rows int64, epsilon privacy.Decimal, beta float64) (best BoostPlan, risk float64) {
	lambda, _ := learn.Rate(epsilon, privacy.ReplaceOne, base.Loss()).Float64()
	risk = math.Inf(1)
	for parts := 1; parts <= int(math.Ceil(2*math.Log(2/beta))); parts++ {
		for share := int64(1); share < 20; share++ {
			p := BoostPlan{Rows: rows, Parts: parts, Validation: rows * share / 20}
			if p.Train() == 0 {
				continue
			}
			if r := boostRisk(base, p, lambda, beta); r < risk {
				best, risk = p, r
			}
		}
	}
	return best, risk
}
