package boosting

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Risk bounds the excess risk of the released hypothesis: its expected loss on a new row, minus the
// least value over the class of the expected loss plus penalty/Train. The bound holds with
// probability at least 1 - beta over the rows and the randomness of the mechanism, if the rows are
// independent samples of some distribution (docs/explanation/proofs/boosting.md, section 3). It is
// computed in floating point and does not affect any release. It is infinite without validation
// rows, and under add-remove, where the sizes of the parts are random.
func (m *Boost[X, H]) Risk(beta float64) float64 {
	if !m.guarantee.Relation().Replaces() {
		return math.Inf(1)
	}
	lambda, _ := m.lambda.Float64()
	return boostRisk(m.base, m.plan, lambda, beta)
}

// boostRisk computes the bound of Risk. The mean excess risk of training on one part of t rows is at
// most M = E/t + C√(2 ln|Q|/t), with E the mean excess of the base learner. By Markov's inequality
// the excess risks of all k parts exceed c·M with probability at most c^{-k}; c is chosen so that
// this is beta/2. The error of the selection and the error of the estimated losses have a failure
// probability of beta/4 each.
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

// PlanBoost returns the division of the given number of rows with the least bound on the excess risk at
// confidence 1 - beta under replace-one, and the bound. It tries up to ⌈2·ln(2/beta)⌉ training
// parts, and the multiples of 5% of the rows for validation. It does not depend on the data. The
// plan has no parts, and the bound is infinite, if no division has a finite bound.
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
