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

// Boost turns a learner whose expected error is small into a learner whose error is small with high probability
// (Wang, Lei and Fienberg 2016, section 5). It splits the rows at random into several training parts and one
// validation part. It trains the base learner on each training part, and then selects one of the trained hypotheses
// by the exponential mechanism, with the loss on the validation part.
//
// Guarantee: (max(ε, ε′), δ)-DP if the base learner is (ε, δ)-DP and the selection is ε′-DP, since each record is in
// one part (docs/explanation/proofs/boosting.md).
//
// Use Boost only for a base learner with a known bound on its mean error, but without a bound that holds with high
// probability. The errors of learn.Exponential and perturb.RSPM already have such bounds.
type Boost[X, H any] struct {
	base      learn.Learner[X, H]
	plan      BoostPlan
	lambda    *big.Rat // the rate of the exponential mechanism for the selection
	guarantee privacy.Guarantee
}

// A BoostPlan says how many rows Boost puts into each part of a table. It is public. If Rows-Validation is not a
// multiple of Parts, the validation part also gets the remaining rows.
type BoostPlan struct {
	Rows       int64 // n, the number of rows of the table, at most learn.MostRows
	Parts      int   // the number of training parts, 1..Rows-Validation
	Validation int64 // the number of rows of the validation part, without the remaining rows
}

// Train returns the number of rows of each training part of the plan.
func (p BoostPlan) Train() int64 { return (p.Rows - p.Validation) / int64(p.Parts) }

// sizes returns the number of rows of each training part, followed by the number of rows of the validation part.
func (p BoostPlan) sizes() []int64 {
	sizes := make([]int64, p.Parts+1)
	for i := range p.Parts {
		sizes[i] = p.Train()
	}
	sizes[p.Parts] = p.Rows - int64(p.Parts)*p.Train()
	return sizes
}

// NewBoost returns the mechanism with the given base learner and plan. The parameter epsilon is ε′, the ε of the
// selection. The neighbour relation is that of the base learner's guarantee:
//
//   - Under replace-one, the parts have exactly the sizes of the plan, and null records count as rows.
//   - Under add-remove, each row is assigned independently to a part, with a probability proportional to the size of
//     the part in the plan. The number of rows may differ from plan.Rows.
//
// NewBoost returns an error if the plan is invalid, if the guarantee of the base learner is neither pure nor (ε, δ),
// or if it protects all rows of a person together instead of single rows.
func NewBoost[X, H any](base learn.Learner[X, H], plan BoostPlan, epsilon privacy.Decimal) (*Boost[X, H], error) {
	if plan.Parts < 1 || plan.Rows > learn.MostRows || plan.Validation < 0 || int64(plan.Parts) > plan.Rows-plan.Validation {
		return nil, fmt.Errorf("boosting: %d rows cannot be divided into %d training parts and %d validation rows", plan.Rows, plan.Parts, plan.Validation)
	}
	g := base.Guarantee()
	if err := learn.OfRows(g.Relation(), "boosting"); err != nil {
		return nil, err
	}
	pure, err := privacy.NewPure(g.Relation(), epsilon)
	if err != nil {
		return nil, err
	}
	both, err := overParts(g, pure)
	if err != nil {
		return nil, err
	}
	return &Boost[X, H]{base, plan, learn.Rate(epsilon, g.Relation(), base.Loss()), both}, nil
}

// overParts returns the guarantee of training on some parts of a table and selecting on another part. The parts are
// disjoint, and the split must not depend on the records. The parameter g is the guarantee of training on one part,
// and selection is the guarantee of the selection.
func overParts(g privacy.Guarantee, selection privacy.Pure) (privacy.Guarantee, error) {
	larger := func(epsilon privacy.Decimal) privacy.Decimal {
		if selection.Epsilon().Cmp(epsilon) > 0 {
			return selection.Epsilon()
		}
		return epsilon
	}
	if a, ok := g.(privacy.Approximate); ok {
		return privacy.NewApproximate(g.Relation(), larger(a.Epsilon()), a.DeltaAtEpsilon(), g.Assumes()...)
	}
	epsilon, err := privacy.Epsilon(g, privacy.Decimal{})
	if err != nil {
		return nil, fmt.Errorf("boosting: the guarantee of the base learner must be pure or (ε, δ): %w", err)
	}
	return privacy.NewPure(g.Relation(), larger(epsilon), g.Assumes()...)
}

// Guarantee returns the guarantee of a release.
func (m *Boost[X, H]) Guarantee() privacy.Guarantee { return m.guarantee }

// Class returns the class of the base learner.
func (m *Boost[X, H]) Class() class.Class[X, H] { return m.base.Class() }

// Loss returns the loss of the base learner, a public parameter.
func (m *Boost[X, H]) Loss() learn.Loss { return m.base.Loss() }

// Plan returns the plan by which rows are divided, a public parameter.
func (m *Boost[X, H]) Plan() BoostPlan { return m.plan }

// Release trains on the training parts and selects a hypothesis. If there are too many rows, it returns an error
// before it samples anything: learn.ErrSize under replace-one, and learn.ErrRows under add-remove. All other errors
// are those of the base learner.
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

// divide splits the rows of the table at random into the parts for training and the part for validation.
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

// count returns the total loss of the hypothesis h over all rows of the examples d.
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

// scatter assigns each row independently to a part, with probabilities proportional to the weights of the parts.
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
