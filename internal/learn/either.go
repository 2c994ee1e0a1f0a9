package learn

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// Either samples one hypothesis from the union of two sets. The first set consists of the scorecards (cards) that
// WeightedNaiveBayes computes from noisy counts. The second set is a class with a prior, such as trees. Each set
// has the prior ½, so the data determine, privately, from which set the result comes.
//
// The cost of a card is that of WeightedNaiveBayes: for each row, half a misclassification plus half the squared
// error of the risk. A hypothesis of the class predicts only the risks 0 and 1, so its cost equals its number of
// misclassifications.
//
// Guarantee: pure ε-DP, as for WeightedNaiveBayes. The class is public, and a row changes the cost of its
// hypotheses by at most one too (docs/explanation/proofs/weighted.md, section 6). The work is a function of public
// numbers, the number of distinct records, and the released hypothesis.
type Either[H any] struct {
	*WeightedNaiveBayes
	class class.Tractable[[]uint16, H]
}

// NewEither returns the learner over the cards and the class c. The class must have two outcomes.
func NewEither[H any](cards *WeightedNaiveBayes, c class.Tractable[[]uint16, H]) (*Either[H], error) {
	if c.Outcomes() != 2 {
		return nil, fmt.Errorf("learn: cards predict two outcomes, so they cannot be combined with a class of %d outcomes", c.Outcomes())
	}
	return &Either[H]{cards, c}, nil
}

// Work estimates the maximum work of a release for the given number of distinct records. It has two parts: the
// number of additions for the cards, and the number of steps for the class. A step takes about 10 ns.
func (m *Either[H]) Work(records int64) (additions, steps int64) {
	return m.WeightedNaiveBayes.Work(records), m.class.Work(records)
}

// Release samples one hypothesis from the union of the cards and the class. The result is of type Points if it is a
// card, and of type H if it is a hypothesis of the class. If the table has more than MostRows rows, Release returns
// ErrRows before it uses any randomness. If the context ends, Release returns the context's error.
func (m *Either[H]) Release(ctx context.Context, d Records[[]uint16], coins noise.Coins) (any, error) {
	if err := countable(d); err != nil {
		return nil, err
	}
	mass, err := m.mass(ctx, m.cards(d, coins), d)
	if err != nil {
		return nil, err
	}
	return search.Sample(ctx, class.Final[any](mass), m.perUnit(), coins)
}

// mass returns the partition function (class.Mass) of the union of the cards and the class, for the records d.
func (m *Either[H]) mass(ctx context.Context, cards *weightedCards, d Records[[]uint16]) (*eitherMass[H], error) {
	costs, err := cards.costs(ctx, d)
	if err != nil {
		return nil, err
	}
	lambda := m.perUnit()
	perError := new(big.Rat).Mul(lambda, big.NewRat(weightedLoss, 1))
	other, err := m.class.Mass(ctx, costed[[]uint16]{d, ZeroOne.CostMatrix(2)}, search.Decay(perError))
	if err != nil {
		return nil, fmt.Errorf("learn: %w", err)
	}
	decay := search.Decay(lambda)
	return newEitherMass(cards, newListed(costs, decay), other, decay), nil
}

// A listed is the partition function of a list of hypotheses with equal priors. The sampling weight of a hypothesis
// is e^{-λ(cost - least)}, where least is the minimum cost in the list.
type listed struct {
	costs []int64
	least int64    // minimum of costs
	sums  []uint64 // partial sums of the weights 2^listedPlaces·e^{-λ(cost - least)}, rounded up
}

// listedPlaces is the number of binary digits after the binary point of a weight. A weight is at
// most 1, so the sum of 2^20 weights with 42 digits fits into 64 bits.
const listedPlaces = 42

func newListed(costs []int64, decay func(int64) class.Upper) listed {
	l := listed{costs: costs, least: costs[0]}
	for _, c := range costs {
		l.least = min(l.least, c)
	}
	sum := uint64(0)
	for _, c := range costs {
		sum += wholes(decay(c-l.least), listedPlaces)
		l.sums = append(l.sums, sum)
	}
	return l
}

// bound returns an upper bound on the mean sampling weight in the list.
func (l listed) bound() class.Upper {
	sum := new(big.Int).SetUint64(l.sums[len(l.sums)-1])
	return class.Ratio(sum, big.NewInt(int64(len(l.costs)))).Scaled(-listedPlaces)
}

// wholes converts u to an integer, in units of 2^-places. The result is rounded up and is at least 1. u must be at
// most about 2^(62-places).
func wholes(u class.Upper, places int64) uint64 {
	return u.Head>>-(u.Exponent+places) + 1
}

// An eitherMass is the class.Mass of the union of the cards and a class, each of which has prior ½.
type eitherMass[H any] struct {
	cards *weightedCards
	list  listed
	other class.Mass[H]
	sums  []uint64 // partial sums of two weights: of the cards and of the class
	bound class.Upper
	least int64
}

func newEitherMass[H any](cards *weightedCards, list listed, other class.Mass[H], decay func(int64) class.Upper) *eitherMass[H] {
	f, least := other.Bound()
	least *= weightedLoss
	m := &eitherMass[H]{cards: cards, list: list, other: other, least: min(list.least, least)}
	card, tree := list.bound().Times(decay(list.least-m.least)), f.Times(decay(least-m.least))
	const bits = 60
	sum := card.Plus(tree)
	places := bits - (sum.Exponent + 64) // the sum is below 2^(Exponent+64)
	weight := wholes(card, places)
	m.sums = []uint64{weight, weight + wholes(tree, places)}
	m.bound = class.UpperOf(new(big.Int).SetUint64(m.sums[1])).Scaled(-places - 1)
	return m
}

func (m *eitherMass[H]) Bound() (f class.Upper, least int64) { return m.bound, m.least }

func (m *eitherMass[H]) Descend() class.Descent[any] { return &eitherDescent[H]{mass: m, side: -1} }

type eitherDescent[H any] struct {
	mass  *eitherMass[H]
	side  int // 0 for cards, 1 for the class, -1 before the first choice
	card  int // -1 before it is chosen
	other class.Descent[H]
}

func (d *eitherDescent[H]) Weights(ctx context.Context) ([]uint64, error) {
	switch {
	case d.side < 0:
		return d.mass.sums, ctx.Err()
	case d.side == 1:
		return d.other.Weights(ctx)
	case d.card < 0:
		return d.mass.list.sums, ctx.Err()
	}
	return nil, ctx.Err()
}

func (d *eitherDescent[H]) Take(i int) {
	switch {
	case d.side < 0:
		d.side, d.card = i, -1
		if i == 1 {
			d.other = d.mass.other.Descend()
		}
	case d.side == 1:
		d.other.Take(i)
	default:
		d.card = i
	}
}

func (d *eitherDescent[H]) Hypothesis() (h any, prior *big.Rat, cost int64) {
	half := big.NewRat(1, 2)
	if d.side == 1 {
		own, prior, errors := d.other.Hypothesis()
		return own, half.Mul(half, prior), weightedLoss * errors
	}
	return d.mass.cards.card(d.card), half.Mul(half, big.NewRat(1, int64(len(d.mass.list.costs)))), d.mass.list.costs[d.card]
}
