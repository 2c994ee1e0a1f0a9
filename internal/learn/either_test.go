package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/sumscore"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// eitherOf returns the learner over cards with the given number of vectors of weights and trees of the given
// depth, on attributes of two and three categories.
func eitherOf(t *testing.T, epsilon string, vectors, depth int) (*Either[*dectree.Tree], *dectree.Class) {
	t.Helper()
	cards, err := NewWeightedNaiveBayes([]int{2, 3}, []bool{false, false}, privacytest.Decimal(t, epsilon), privacytest.Decimal(t, "0.5"), privacy.ReplaceOne, 4, vectors)
	if err != nil {
		t.Fatal(err)
	}
	trees, err := dectree.New([]dectree.Attribute{{Categories: 2}, {Categories: 3, Ordered: 3}}, depth, 2)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewEither(cards, class.Tractable[[]uint16, *dectree.Tree](trees))
	if err != nil {
		t.Fatal(err)
	}
	return m, trees
}

// The mass of the union covers cards and trees. Each hypothesis is proposed with at least its share of the weight, and
// hardly more. Its prior is half of that within its own set, and its cost is in thousandths of a misclassification. No
// other hypothesis is sampled. The least cost that Bound returns is the true minimum.
func TestEitherMass(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for round, epsilon := range []string{"1", "2.5", "9", "40", "100"} {
		m, trees := eitherOf(t, epsilon, 1+round%2, 1+round%2)
		var d Listed[[]uint16]
		for range 9 {
			d = append(d, Example[[]uint16]{[]uint16{uint16(r.IntN(2)), uint16(r.IntN(3))}, r.IntN(2) == 1, r.Int64N(12)})
		}
		of := &encoding{prior: 0.3, groups: [][]int{{0, 1}, {0, 1, 2}}, odds: [][]float64{{-1, 0.7}, {0.2, 0, 2}}, rows: [][]float64{{9, 9}, {1, 2, 3}}}
		cards := newWeightedCards(of, 1, 4, m.vectors)
		costs, err := cards.costs(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		mass, err := m.mass(context.Background(), cards, d)
		if err != nil {
			t.Fatal(err)
		}
		bound, least := mass.Bound()
		f, _ := bound.Rat().Float64()
		lambda, _ := m.Rate().Float64()
		priors, sum, reached, cheapest := 0.0, 0.0, 0, int64(math.MaxInt64)
		var walk func(taken []int, share float64)
		walk = func(taken []int, share float64) {
			at := mass.Descend()
			for _, i := range taken {
				if _, err := at.Weights(context.Background()); err != nil {
					t.Fatal(err)
				}
				at.Take(i)
			}
			sums, err := at.Weights(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			before := uint64(0)
			for i, s := range sums {
				if s <= before {
					t.Fatal("an option has no weight")
				}
				walk(append(taken[:len(taken):len(taken)], i), share*float64(s-before)/float64(sums[len(sums)-1]))
				before = s
			}
			if sums != nil {
				return
			}
			h, prior, cost := at.Hypothesis()
			var want float64
			charged := int64(0)
			switch h := h.(type) {
			case Points:
				want, charged = 1/float64(2*m.Cards()), costs[taken[1]]
				if card := cards.card(taken[1]); h.Prior != card.Prior || !equalPoints(h.Points, card.Points) {
					t.Fatalf("card %d is %+v, not %+v", taken[1], h, card)
				}
			case *dectree.Tree:
				want, _ = trees.Prior(h).Float64()
				want /= 2
				for _, e := range d {
					if (trees.Predict(h, e.X) == 1) != e.Label {
						charged += 1000 * e.Count
					}
				}
			}
			if got, _ := prior.Float64(); math.Abs(got/want-1) > 1e-12 || cost != charged {
				t.Fatalf("%v: prior %g, not %g; cost %d, not %d", h, got, want, cost, charged)
			}
			priors, cheapest, reached = priors+want, min(cheapest, cost), reached+1
			due := want * math.Exp(-lambda*float64(cost-least))
			sum += due
			if share*f < due*(1-1e-9) {
				t.Fatalf("ε = %s, %v: %g of the weight, and its share is %g", epsilon, h, share*f, due)
			}
		}
		walk(nil, 1)
		if int64(reached) != int64(m.Cards())+trees.Size().Int64() || math.Abs(priors-1) > 1e-9 || f > sum*(1+1e-6) || cheapest != least {
			t.Errorf("ε = %s: %d reached, of the prior %g; a bound of %g on %g; a least cost of %d, not %d", epsilon, reached, priors, f, sum, least, cheapest)
		}
	}
}

// summedScores is the partition function of sum scores, with hypotheses of type any.
type summedScores struct{ *sumscore.Class }

func (c summedScores) Sum(ctx context.Context, p class.Problem[[]uint16], decay func(int64) class.Upper) (class.Mass[any], error) {
	m, err := c.Class.Sum(ctx, p, decay)
	return class.MapMass(m, 0, func(h sumscore.Score) any { return h }), err
}

// With sum scores, cards, trees and scores have a third of the prior each, and all scores have the same prior. Each
// hypothesis is proposed with at least its share of the weight, and hardly more.
func TestEitherWithSumScores(t *testing.T) {
	of, trees := eitherOf(t, "2.5", 2, 1)
	scores, err := sumscore.New([]sumscore.Group{{Attributes: []int{0}, Categories: 2}, {Attributes: []int{1}, Categories: 3}}, 2)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewEither(of.WeightedNaiveBayes, class.EraseTractable[[]uint16](trees), Uniform(summedScores{scores}, scores.Size()))
	if err != nil {
		t.Fatal(err)
	}
	var d Listed[[]uint16]
	for x := range uint16(6) {
		d = append(d, Example[[]uint16]{[]uint16{x % 2, x / 2}, x%3 == 1, int64(3 + x)}, Example[[]uint16]{[]uint16{x % 2, x / 2}, x > 2, int64(x)})
	}
	cards := newWeightedCards(&encoding{prior: 0.3, groups: [][]int{{0, 1}, {0, 1, 2}}, odds: [][]float64{{-1, 0.7}, {0.2, 0, 2}}, rows: [][]float64{{9, 9}, {1, 2, 3}}}, 1, 4, m.vectors)
	mass, err := m.mass(context.Background(), cards, d)
	if err != nil {
		t.Fatal(err)
	}
	bound, least := mass.Bound()
	f, _ := bound.Rat().Float64()
	lambda, _ := m.Rate().Float64()
	priors, sum := map[string]float64{}, 0.0
	var walk func(taken []int, share float64)
	walk = func(taken []int, share float64) {
		at := mass.Descend()
		for _, i := range taken {
			at.Take(i)
		}
		sums, err := at.Weights(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		before := uint64(0)
		for i, s := range sums {
			walk(append(taken[:len(taken):len(taken)], i), share*float64(s-before)/float64(sums[len(sums)-1]))
			before = s
		}
		if sums != nil {
			return
		}
		h, prior, cost := at.Hypothesis()
		own, _ := prior.Float64()
		priors[fmt.Sprintf("%T", h)] += own
		if score, is := h.(sumscore.Score); is {
			errors := int64(0)
			for _, e := range d {
				if scores.Predict(score, e.X) != e.Label {
					errors += e.Count
				}
			}
			if want := 1 / float64(3*scores.Size().Int64()); cost != 1000*errors || math.Abs(own/want-1) > 1e-12 {
				t.Fatalf("%v has the cost %d and the prior %g, not %d and %g", score, cost, own, 1000*errors, want)
			}
		}
		due := own * math.Exp(-lambda*float64(cost-least))
		sum += due
		if share*f < due*(1-1e-9) {
			t.Fatalf("%v: %g of the weight, and its share is %g", h, share*f, due)
		}
	}
	walk(nil, 1)
	if f > sum*(1+1e-6) || len(priors) != 3 {
		t.Errorf("a bound of %g on %g; the priors are %v", f, sum, priors)
	}
	for of, prior := range priors {
		if math.Abs(prior-1.0/3) > 1e-9 {
			t.Errorf("all %s have the prior %g", of, prior)
		}
	}
	if _, steps := m.Work(100); steps != trees.Work(100)+scores.SumWork(100) {
		t.Errorf("%d steps", steps)
	}
	if _, err := m.Release(context.Background(), d, noise.Crypto()); err != nil {
		t.Error(err)
	}
}

// If the risk of a label is additive in the attributes, a card is sampled. If the label is an exclusive or, a tree is
// sampled. A hypothesis is sampled for empty and constant tables too.
func TestEitherDecides(t *testing.T) {
	for _, exclusive := range []bool{false, true} {
		m, _ := eitherOf(t, "4", 2, 2)
		var d Listed[[]uint16]
		for x := range uint16(6) {
			r := []uint16{x % 2, x / 2}
			positive := r[1] == 2
			if exclusive {
				positive = (r[0] == 1) != (r[1] == 2)
			}
			likely, rare := int64(700), int64(300)
			if r[0] == 1 { // the points determine the risk
				likely, rare = 950, 50
			}
			d = append(d, Example[[]uint16]{r, positive, likely}, Example[[]uint16]{r, !positive, rare})
		}
		h, err := m.Release(context.Background(), d, noise.Crypto())
		if err != nil {
			t.Fatal(err)
		}
		if _, tree := h.(*dectree.Tree); tree != exclusive {
			t.Errorf("an exclusive or: %v; drawn %+v", exclusive, h)
		}
		for _, d := range []Listed[[]uint16]{nil, d[:1]} {
			if _, err := m.Release(context.Background(), d, noise.Crypto()); err != nil {
				t.Error(err)
			}
		}
	}
}

// Cards require two classes, so a label with more classes is refused. The work is the sum of that for cards and trees.
func TestEitherRefuses(t *testing.T) {
	m, trees := eitherOf(t, "1", 2, 2)
	three, err := dectree.New([]dectree.Attribute{{Categories: 2}}, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewEither(m.WeightedNaiveBayes, class.Tractable[[]uint16, *dectree.Tree](three)); err == nil {
		t.Error("three outcomes")
	}
	if additions, steps := m.Work(100); additions != m.WeightedNaiveBayes.Work(100) || steps != trees.Work(100) {
		t.Errorf("%d additions, %d steps", additions, steps)
	}
	if _, err := m.Release(context.Background(), Listed[[]uint16]{{Count: MostRows}, {Count: 1}}, nil); err == nil {
		t.Error("too many rows")
	}
}

// The least cost of a list is found at any position and has the greatest weight. Every cost has a
// positive weight.
func TestListedLeast(t *testing.T) {
	for _, costs := range [][]int64{{0, 3}, {3, 0}, {5, 2, 9}, {9, 2, 5, 2}, {1 << 50, 7}} {
		l := newListed(costs, search.Decay(big.NewRat(1, 2)))
		if l.least != slices.Min(costs) {
			t.Errorf("%v: the least is %d", costs, l.least)
		}
		before := uint64(0)
		for i, sum := range l.sums {
			weight := float64(sum-before) / (1 << listedPlaces)
			if want := math.Exp(-float64(costs[i]-l.least) / 2); sum == before || weight < want || weight > want+1e-9 {
				t.Errorf("%v: cost %d has the weight %v, not %v", costs, costs[i], weight, want)
			}
			before = sum
		}
	}
}
