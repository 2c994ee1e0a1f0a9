package boosting

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Risk bounds the excess risk of the released hypothesis. The excess risk is the hypothesis's expected loss on a new
// row, minus the minimum of (expected loss + penalty/Train) over the class. If the rows are independent samples from
// some distribution, the bound holds with probability at least 1 - beta over the rows and the randomness of the
// mechanism (docs/explanation/proofs/boosting.md, section 3). The bound is infinite if there are no validation rows,
// and under add-remove, where the sizes of the parts are random. It is computed in floating point and does not affect
// any release.
func (m *Boost[X, H]) Risk(beta float64) float64 {
	if !m.guarantee.Relation().Replaces() {
		return math.Inf(1)
	}
	lambda, _ := m.lambda.Float64()
	return boostRisk(m.base, m.plan, lambda, beta)
}

// boostRisk returns the bound of Risk for the plan p. Let E be the mean excess error of the base learner on t rows, C
// the range of the loss of a row, and |Q| the number of hypotheses. Training on one part of t rows has a mean excess risk of
// at most M = E/t + C√(2 ln|Q|/t). By Markov's inequality, the excess risks of all k training parts exceed c·M with a
// probability of at most c^{-k}. The factor c is chosen so that this is beta/2. The bound on the error of the selection
// and the bound on the error of the estimated losses fail with probability at most beta/4 each.
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

// PlanBoost returns the plan for the given number of rows that has the least bound on the excess risk, and this bound.
// The bound is Risk(beta) under replace-one, with ε′ = choice for the selection. PlanBoost tries all numbers of
// training parts up to ⌈2·ln(2/beta)⌉, and all multiples of 5% of the rows as Validation. If no plan has a finite
// bound, it returns a plan without parts and an infinite bound. The result does not depend on the data.
func PlanBoost[X, H any](base learn.Learner[X, H], rows int64, choice privacy.Decimal, beta float64) (best BoostPlan, risk float64) {
	lambda, _ := learn.Rate(choice, privacy.ReplaceOne, base.Loss()).Float64()
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
