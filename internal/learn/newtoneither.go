package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// NewtonEither selects privately between the scorecards (cards) of Newton and a class with a prior,
// such as trees. It then uses the rest of the budget for a sample from the selected set.
//
// The selection compares two numbers by the exponential mechanism:
//
//   - the minimum cost of the cards from which part 2 of Newton samples,
//   - the minimum cost of the class plus a public penalty, which is the expected excess of a sample
//     from the class.
//
// The cost of a card is defined at WeightedNaiveBayes. The cost of a hypothesis of the class is its
// number of misclassifications, because its risks are 0 or 1.
//
// Guarantee: the budget of the cards, in pure ε-DP, ρ-zCDP or μ-GDP. The selection consumes its ε
// like a sample of Newton. A sample from the class consumes at most the part of the budget that
// Newton consumes after its counts (docs/explanation/proofs/newton.md). The work is a function of
// public numbers, of the number of distinct records, and of the released hypothesis.
type NewtonEither[H any] struct {
	*Newton
	class  class.Tractable[[]uint16, H]
	choice privacy.Decimal
	sample privacy.Decimal // ε of a sample from the class
}

// NewNewtonEither returns the learner that releases either a card of the learner cards, or a
// hypothesis of the class c. The label must have two outcomes. The parameter choice is the ε of the
// private selection between cards and class. This selection and all parts of the learner cards
// together must not consume more than the budget of cards.
func NewNewtonEither[H any](cards *Newton, c class.Tractable[[]uint16, H], choice privacy.Decimal) (*NewtonEither[H], error) {
	budget := cards.budget
	all, err := Total(budget)
	if err != nil {
		return nil, err
	}
	consumed := cards.shares.Consumes(budget)
	switch consumed.Add(consumed, SampleConsumes(choice, budget)); {
	case c.Outcomes() != 2:
		return nil, fmt.Errorf("learn: cards predict two outcomes, so they cannot be combined with a class of %d outcomes", c.Outcomes())
	case choice.IsZero():
		return nil, fmt.Errorf("learn: the share of the budget for the choice between a card and a class must be positive")
	case consumed.Cmp(all) > 0:
		return nil, fmt.Errorf("learn: the shares of the parts of the mechanism consume %s, more than the budget of %s", consumed.FloatString(12), all.FloatString(12))
	}
	rest := cards.shares.Consumes(budget)
	sample, err := SampleWithin(rest.Sub(rest, cards.shares.Counts.Rat()), budget)
	if err != nil {
		return nil, err
	}
	if sample.IsZero() {
		return nil, fmt.Errorf("learn: the shares of the budget for the choice and for the counts leave nothing for a sample from the class; decrease these shares")
	}
	return &NewtonEither[H]{cards, c, choice, sample}, nil
}

// Work estimates the maximum work of a release for the given number of distinct records: the number
// of additions for the cards, and the number of steps, of about 10 ns each, for the class.
func (m *NewtonEither[H]) Work(records int64) (additions, steps int64) {
	return m.Newton.Work(records), 2 * m.class.Work(records)
}

// Release selects privately between the cards and the class, and releases Points, or a hypothesis
// of the class. It fails with the context's error, or with ErrRows before it uses any randomness.
func (m *NewtonEither[H]) Release(ctx context.Context, d *table.Table, coins noise.Coins) (any, error) {
	start, err := m.begin(ctx, d, coins)
	if err != nil {
		return nil, err
	}
	costed := costed[[]uint16]{d, ZeroOne.CostMatrix(2)}
	_, errors, err := m.class.Least(ctx, costed)
	if err != nil {
		return nil, fmt.Errorf("learn: %w", err)
	}
	sides := []int64{slices.Min(start.costs), weightedLoss*errors + m.penalty()}
	if noise.Gibbs(coins, sides, m.perCost(m.choice)) == 0 {
		return m.released(ctx, d, start, coins)
	}
	rate := m.perError()
	mass, err := m.class.Mass(ctx, costed, search.Decay(rate))
	if err != nil {
		return nil, fmt.Errorf("learn: %w", err)
	}
	return search.Sample(ctx, class.Final[H](mass), rate, coins)
}

// perError returns the rate λ of the sample from the class, for costs in misclassifications.
func (m *NewtonEither[H]) perError() *big.Rat {
	rate := m.sample.Rat()
	return rate.Quo(rate, m.changes(big.NewRat(1, 1)))
}

// penaltyShare is the assumed mean excess of a sample from the class, as a share of its upper bound
// ln(1/p)/λ. Here p is the minimum prior of a hypothesis and λ the rate of the sample.
const penaltyShare = 0.5

// penalty returns the expected excess of a sample from the class, in thousandths of a
// misclassification. It is a public number, which the selection adds to the cost of the class.
func (m *NewtonEither[H]) penalty() int64 {
	least, _ := new(big.Float).SetRat(m.class.LeastPrior()).Float64()
	rate, _ := m.perError().Float64()
	return int64(math.Min(weightedLoss*penaltyShare*-math.Log(least)/rate, weightedLoss*MostRows))
}
