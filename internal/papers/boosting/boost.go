package boosting

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Boost makes a learner that is good on average good with high confidence (Wang,
// Lei and Fienberg 2016, section 5): it divides the rows at random, trains on
// each part but the last, and picks from what was trained by the exponential
// mechanism with the loss on the last part.
//
// Guarantee: (max(ε, ε′), δ)-DP for a learner that is (ε, δ)-DP and a choice
// that is ε′-DP, since one record is in one part (docs/explanation/proofs/boosting.md).
//
// It is for a learner of which nothing but a mean is known. Exponential and
// RSPM have small tails themselves.
type Boost[X, H any] struct {
	base      learn.Learner[X, H]
	plan      BoostPlan
	lambda    *big.Rat // of the choice
	guarantee privacy.Guarantee
}

// A BoostPlan divides a table, in public.
type BoostPlan struct {
	Rows       int64 // n, at most MostRows
	Parts      int   // to train on, at least 1 and at most Rows
	Validation int64 // rows to choose by, less than Rows
}

// Train returns the number of rows of each part to train on.
func (p BoostPlan) Train() int64 { return (p.Rows - p.Validation) / int64(p.Parts) }

// sizes returns the rows of all parts, the last one for the choice. It takes
// what the division by Parts leaves.
func (p BoostPlan) sizes() []int64 {
	sizes := make([]int64, p.Parts+1)
	for i := range p.Parts {
		sizes[i] = p.Train()
	}
	sizes[p.Parts] = p.Rows - int64(p.Parts)*p.Train()
	return sizes
}

// NewBoost returns the mechanism, with ε′ for the choice, under the relation of
// the base. Under replace-one the parts have the sizes of the plan, and null
// records are rows; under add-remove each row goes to a part with a
// probability proportional to that size, independently, and Rows need not be
// the number of rows. The guarantee of the base must be pure or (ε, δ).
func NewBoost[X, H any](base learn.Learner[X, H], plan BoostPlan, choice privacy.Decimal) (*Boost[X, H], error) {
	if plan.Parts < 1 || plan.Rows > learn.MostRows || plan.Validation < 0 || int64(plan.Parts) > plan.Rows-plan.Validation {
		return nil, fmt.Errorf("boosting: %d rows do not divide into %d parts and %d rows to choose by", plan.Rows, plan.Parts, plan.Validation)
	}
	g := base.Guarantee()
	if err := learn.OfRows(g.Relation(), "boosting"); err != nil {
		return nil, err
	}
	pure, err := privacy.NewPure(g.Relation(), choice)
	if err != nil {
		return nil, err
	}
	both, err := overParts(g, pure)
	if err != nil {
		return nil, err
	}
	return &Boost[X, H]{base, plan, learn.Rate(choice, g.Relation(), base.Loss()), both}, nil
}

// overParts returns the guarantee of running one of the two on each part of a
// division of the table that does not depend on its records.
func overParts(g privacy.Guarantee, choice privacy.Pure) (privacy.Guarantee, error) {
	more := func(epsilon privacy.Decimal) privacy.Decimal {
		if choice.Epsilon().Cmp(epsilon) > 0 {
			return choice.Epsilon()
		}
		return epsilon
	}
	if a, ok := g.(privacy.Approximate); ok {
		return privacy.NewApproximate(g.Relation(), more(a.Epsilon()), a.DeltaAtEpsilon(), g.Assumes()...)
	}
	epsilon, err := privacy.Epsilon(g, privacy.Decimal{})
	if err != nil {
		return nil, fmt.Errorf("boosting: boosting takes pure and (ε, δ) guarantees only: %w", err)
	}
	return privacy.NewPure(g.Relation(), more(epsilon), g.Assumes()...)
}

// Guarantee returns the guarantee, which holds for every release.
func (m *Boost[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Class returns the class chosen from.
func (m *Boost[X, H]) Class() class.Class[X, H] { return m.base.Class() }

// Loss returns what is counted, a public parameter.
func (m *Boost[X, H]) Loss() learn.Loss { return m.base.Loss() }

// Plan returns the division, a public parameter.
func (m *Boost[X, H]) Plan() BoostPlan { return m.plan }

// Release trains and chooses. It fails with ErrSize (under replace-one) or ErrRows,
// before any draw, where there are too many rows, and as the base does.
func (m *Boost[X, H]) Release(ctx context.Context, d []learn.Example[X], coins noise.Coins) (H, error) {
	var none H
	parts, err := m.divide(d, coins)
	if err != nil {
		return none, err
	}
	candidates := make([]H, m.plan.Parts)
	costs := make([]int64, m.plan.Parts)
	for i := range candidates {
		if candidates[i], err = m.base.Release(ctx, parts[i], coins); err != nil {
			return none, err
		}
		costs[i] = m.count(candidates[i], parts[m.plan.Parts])
	}
	return candidates[noise.Gibbs(coins, costs, m.lambda)], nil
}

func (m *Boost[X, H]) divide(d []learn.Example[X], coins noise.Coins) ([][]learn.Example[X], error) {
	most, refusal, draw := m.plan.Rows, learn.ErrSize, learn.Split[X]
	if !m.guarantee.Relation().Replaces() {
		most, refusal, draw = learn.MostRows, learn.ErrRows, scatter[X]
	}
	if err := learn.CheckRows(learn.Listed[X](d), most, refusal); err != nil {
		return nil, err
	}
	return draw(coins, d, m.plan.sizes()), nil
}

// count returns the loss of h over the examples.
func (m *Boost[X, H]) count(h H, d []learn.Example[X]) (cost int64) {
	l := m.base.Loss()
	for _, e := range d {
		switch predicted := m.base.Class().Predict(h, e.X); {
		case predicted && !e.Label:
			cost += l.FalsePositive * e.Count
		case !predicted && e.Label:
			cost += l.FalseNegative * e.Count
		}
	}
	return cost
}

// scatter sends each row to a part with probability proportional to its weight,
// independently.
func scatter[X any](coins noise.Coins, d []learn.Example[X], weights []int64) [][]learn.Example[X] {
	parts := make([][]learn.Example[X], len(weights))
	sums, sum := make([]uint64, len(weights)), uint64(0)
	for i, w := range weights {
		sum += uint64(w)
		sums[i] = sum
	}
	for _, e := range d {
		counts := make([]int64, len(weights))
		for range e.Count {
			counts[coins.Pick(sums)]++
		}
		for i, n := range counts {
			if n > 0 {
				e.Count = n
				parts[i] = append(parts[i], e)
			}
		}
	}
	return parts
}
