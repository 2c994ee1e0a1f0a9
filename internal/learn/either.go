package learn

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// Either draws one hypothesis from the weighted cards that noisy counts give and a class with
// a prior together, so that the table decides, privately, whether points that add up are
// enough. Before the draw either side has the probability ½. A card has the cost that
// WeightedNaiveBayes gives it. The cost of a hypothesis of the class is its number of
// misclassifications: its risks are 0 or 1, so that half a misclassification and half the squared
// error of the risk add up to one misclassification.
//
// Guarantee: that of WeightedNaiveBayes, pure ε-DP, since the class is public, and a row changes
// the cost of its hypotheses by at most one too (docs/explanation/proofs/weighted.md, section 6). The work is a
// function of public numbers, of the number of distinct records, and of what is released.
type Either[H any] struct {
	*WeightedNaiveBayes
	class class.Summed[[]uint16, H]
}

// NewEither returns the learner that draws from the cards and from the class, which has two
// outcomes.
func NewEither[H any](cards *WeightedNaiveBayes, c class.Summed[[]uint16, H]) (*Either[H], error) {
	if c.Outcomes() != 2 {
		return nil, fmt.Errorf("learn: cards tell two outcomes apart, and the class has %d", c.Outcomes())
	}
	return &Either[H]{cards, c}, nil
}

// Work is how many additions the cards take over so many distinct records, and how many steps
// of some 10 ns the class.
func (m *Either[H]) Work(records int64) (additions, steps int64) {
	return m.WeightedNaiveBayes.Work(records), m.class.Work(records)
}

// Release counts and draws: Points, or a hypothesis of the class. It fails with the context's
// error, or with ErrRows before any draw.
func (m *Either[H]) Release(ctx context.Context, d Records[[]uint16], coins noise.Coins) (any, error) {
	if err := countable(d); err != nil {
		return nil, err
	}
	cards := m.cards(m.counts.evidence(m.counts.marginals.tally(d), coins))
	mass, err := m.mass(ctx, cards, d)
	if err != nil {
		return nil, err
	}
	return search.Sample(ctx, class.Final[any](mass), m.lambda, coins)
}

// mass returns the mass of the cards and the class over the records.
func (m *Either[H]) mass(ctx context.Context, cards *multiples, d Records[[]uint16]) (*eitherMass[H], error) {
	costs, err := cards.costs(ctx, d)
	if err != nil {
		return nil, err
	}
	perError := new(big.Rat).Mul(m.lambda, big.NewRat(weightedLoss, 1))
	other, err := m.class.Mass(ctx, charged[[]uint16]{d, ZeroOne.Charge(2)}, search.Decay(perError))
	if err != nil {
		return nil, fmt.Errorf("learn: %w", err)
	}
	decay := search.Decay(m.lambda)
	return newEitherMass(cards, newListed(costs, decay), other, decay), nil
}

// listed is the mass of hypotheses that are listed, all of the same prior.
type listed struct {
	costs []int64
	least int64
	sums  []uint64 // of weights: 2^listedPlaces for the least cost
}

// listedPlaces leave room for 2^20 weights.
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

// bound returns an upper bound on the mean of e^{-λ(cost - least)}, which the weights add up
// to exactly.
func (l listed) bound() class.Upper {
	sum := new(big.Int).SetUint64(l.sums[len(l.sums)-1])
	return class.Ratio(sum, big.NewInt(int64(len(l.costs)))).Scaled(-listedPlaces)
}

// wholes returns a whole number of 2^-places, at least 1, that is not below u, which is at
// most some 2^(62-places).
func wholes(u class.Upper, places int64) uint64 {
	return u.Head>>-(u.Exponent+places) + 1
}

// eitherMass is the mass of cards and a class, each of the prior ½.
type eitherMass[H any] struct {
	cards *multiples
	list  listed
	other class.Mass[H]
	sums  []uint64 // of the weights of both
	bound class.Upper
	least int64
}

func newEitherMass[H any](cards *multiples, list listed, other class.Mass[H], decay func(int64) class.Upper) *eitherMass[H] {
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
	side  int // 0 for cards, 1 for the class, -1 where that is open
	card  int // -1 where it is open
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
