package boosting

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Risk bounds, for rows drawn independently from any distribution and with
// probability at least 1 - beta over rows and coins, by how much the expected
// loss of a new row exceeds the least, over the class, of expected loss plus
// penalty / Train. It is computed in floating point and has no part in any
// release (docs/explanation/proofs/boosting.md). It is infinite under add-remove, where the
// sizes of the parts are random, and without rows to choose by.
func (m *Boost[X, H]) Risk(beta float64) float64 {
	if !m.guarantee.Relation().Replaces() {
		return math.Inf(1)
	}
	lambda, _ := m.lambda.Float64()
	return boostRisk(m.base, m.plan, lambda, beta)
}

// boostRisk bounds the risk. The mean excess over one part of t rows is at most
// M = E/t + C√(2 ln|Q|/t); by Markov's inequality all of the parts exceed cM with
// probability at most c^{-parts}. The choice and the misjudgement of the
// candidates take a quarter of beta each.
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

// PlanBoost returns the division of so many rows whose bound on the risk, at
// confidence 1 - beta under replace-one, is least among those of up to ⌈2·ln(2/beta)⌉
// parts and twenty shares for the choice, and that bound. It does not look at data.
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
