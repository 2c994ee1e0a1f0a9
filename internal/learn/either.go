package learn

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// Either samples one hypothesis from the union of two or more sets. The first set consists of the scorecards (cards)
// that WeightedNaiveBayes computes from noisy counts. Each other set is a class with a prior, such as trees. All sets
// have the same prior, so the data determine, privately, from which set the result comes.
//
// The cost of a card is that of WeightedNaiveBayes: for each row, half a misclassification plus half the squared
// error of the risk. A hypothesis of a class predicts only the risks 0 and 1, so its cost equals its number of
// misclassifications.
//
// Guarantee: pure ε-DP, as for WeightedNaiveBayes. The class is public, and a row changes the cost of each of its
// hypotheses by at most one misclassification, as it does for cards (docs/explanation/proofs/weighted.md, section 6).
// The number of operations is a function of public numbers, the number of distinct records, and the released
// hypothesis.
type Either[H any] struct {
	*WeightedNaiveBayes
	classes []Sampled[H]
}

// A Sampled is a class with a prior for labels with two outcomes. The interface has the two methods
// of class.Tractable that Either needs.
type Sampled[H any] interface {
	Work(records int64) int64
	Mass(ctx context.Context, records class.Records[[]uint16], decay func(k int64) class.Upper) (class.Mass[H], error)
}

// NewEither returns the learner that samples from the union of the cards and all given classes. The
// label must have two outcomes.
func NewEither[H any](cards *WeightedNaiveBayes, c class.Tractable[[]uint16, H], more ...Sampled[H]) (*Either[H], error) {
	if c.Outcomes() != 2 {
		return nil, fmt.Errorf("learn: cards predict two outcomes, so they cannot be combined with a class of %d outcomes", c.Outcomes())
	}
	return &Either[H]{cards, append([]Sampled[H]{c}, more...)}, nil
}

// Work estimates the maximum work of a release for the given number of distinct records: the number
// of additions for the cards, and the number of steps, of about 10 ns each, for the classes.
func (m *Either[H]) Work(records int64) (additions, steps int64) {
	for _, c := range m.classes {
		steps = class.Sum(steps, c.Work(records))
	}
	return m.WeightedNaiveBayes.Work(records), steps
}

// Release samples one hypothesis from the union of the cards and the classes. The result is of type Points if it is a
// card, and of type H if it is a hypothesis of a class. If the table has more than MostRows rows, Release returns
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

// mass returns the partition function (class.Mass) of the union of the cards and the classes, for
// the records d. Sampling uses it.
func (m *Either[H]) mass(ctx context.Context, cards *weightedCards, d Records[[]uint16]) (*eitherMass[H], error) {
	costs, err := cards.costs(ctx, d)
	if err != nil {
		return nil, err
	}
	lambda := m.perUnit()
	perError := new(big.Rat).Mul(lambda, big.NewRat(weightedLoss, 1))
	var others []class.Mass[H]
	for _, c := range m.classes {
		other, err := c.Mass(ctx, costed[[]uint16]{d, ZeroOne.CostMatrix(2)}, search.Decay(perError))
		if err != nil {
			return nil, fmt.Errorf("learn: %w", err)
		}
		others = append(others, other)
	}
	decay := search.Decay(lambda)
	return newEitherMass(cards, newListed(costs, decay), others, decay), nil
}

// A listed represents the partition function of a list of hypotheses with equal priors. Each
// hypothesis has the sampling weight e^{-λ(cost - least)}, where least is the minimum cost in the
// list.
type listed struct {
	costs []int64
	least int64    // minimum of costs
	sums  []uint64 // partial sums of the weights 2^listedPlaces·e^{-λ(cost - least)}, rounded up
}

// listedPlaces is the number of binary digits after the binary point of a sampling weight. A weight
// is at most 1, so the sum of 2^20 weights with 42 digits after the point fits into 64 bits.
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

// bound returns an upper bound on the mean sampling weight of the hypotheses in the list.
func (l listed) bound() class.Upper {
	sum := new(big.Int).SetUint64(l.sums[len(l.sums)-1])
	return class.Ratio(sum, big.NewInt(int64(len(l.costs)))).Scaled(-listedPlaces)
}

// wholes returns u in units of 2^-places, rounded up to an integer of at least 1. The number u must
// be at most about 2^(62-places).
func wholes(u class.Upper, places int64) uint64 {
	return u.Head>>-(u.Exponent+places) + 1
}

// An eitherMass is the partition function (class.Mass) of the union of the cards and the classes,
// all of which have the same prior.
type eitherMass[H any] struct {
	cards  *weightedCards
	list   listed
	others []class.Mass[H]
	sums   []uint64 // partial sums of the weights: of the cards and of each class
	bound  class.Upper
	least  int64
}

func newEitherMass[H any](cards *weightedCards, list listed, others []class.Mass[H], decay func(int64) class.Upper) *eitherMass[H] {
	m := &eitherMass[H]{cards: cards, list: list, others: others, least: list.least}
	for _, other := range others {
		_, least := other.Bound()
		m.least = min(m.least, weightedLoss*least)
	}
	bounds := []class.Upper{list.bound().Times(decay(list.least - m.least))}
	sum := bounds[0]
	for _, other := range others {
		f, least := other.Bound()
		bounds = append(bounds, f.Times(decay(weightedLoss*least-m.least)))
		sum = sum.Plus(bounds[len(bounds)-1])
	}
	const bits = 60
	places := bits - (sum.Exponent + 64) // the sum is below 2^(Exponent+64)
	total := uint64(0)
	for _, bound := range bounds {
		total += wholes(bound, places)
		m.sums = append(m.sums, total)
	}
	m.bound = class.Ratio(new(big.Int).SetUint64(total), big.NewInt(int64(len(bounds)))).Scaled(-places)
	return m
}

// prior returns the total prior of all cards. The prior of each class is the same.
func (m *eitherMass[H]) prior() *big.Rat { return big.NewRat(1, int64(len(m.sums))) }

func (m *eitherMass[H]) Bound() (f class.Upper, least int64) { return m.bound, m.least }

func (m *eitherMass[H]) Descend() class.Descent[any] { return &eitherDescent[H]{mass: m, side: -1} }

type eitherDescent[H any] struct {
	mass  *eitherMass[H]
	side  int // 0 for cards, i for class i, -1 before the first choice
	card  int // -1 before it is chosen
	other class.Descent[H]
}

func (d *eitherDescent[H]) Weights(ctx context.Context) ([]uint64, error) {
	switch {
	case d.side < 0:
		return d.mass.sums, ctx.Err()
	case d.side > 0:
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
		if i > 0 {
			d.other = d.mass.others[i-1].Descend()
		}
	case d.side > 0:
		d.other.Take(i)
	default:
		d.card = i
	}
}

func (d *eitherDescent[H]) Hypothesis() (h any, prior *big.Rat, cost int64) {
	side := d.mass.prior()
	if d.side > 0 {
		own, prior, errors := d.other.Hypothesis()
		return own, side.Mul(side, prior), weightedLoss * errors
	}
	return d.mass.cards.card(d.card), side.Mul(side, big.NewRat(1, int64(len(d.mass.list.costs)))), d.mass.list.costs[d.card]
}
