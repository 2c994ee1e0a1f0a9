package audit_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/class/sumscore"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// looseTrees are decision trees with loose masses, so that rounds are often rejected.
type looseTrees struct{ *dectree.Class }

func (c looseTrees) Mass(ctx context.Context, records class.Records[[]uint16], decay func(k int64) class.Upper) (class.Mass[*dectree.Tree], error) {
	m, err := c.Class.Mass(ctx, records, decay)
	return loose{m, 1<<(c.Depth()+1) - 1}, err
}

type mixedMember = union.MixedMember[[]uint16, any]

// mixedOf returns unions of cards and trees on one attribute of two categories, with the given
// penalties. Cards have two possible points, and trees depth 1.
func mixedOf(t *testing.T, ofCards, ofTrees int64) (tight, loose *union.Mixed[[]uint16, any], cards []scorecard.Card, trees *dectree.Class) {
	t.Helper()
	c, err := scorecard.New(scorecard.Uniform([]int{2}, 0, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	for h := range c.All() {
		cards = append(cards, h)
	}
	trees = treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 2)
	of := func(trees class.Tractable[[]uint16, any]) *union.Mixed[[]uint16, any] {
		u, err := union.NewMixed(mixedMember{Tractable: trees, Penalty: ofTrees}, mixedMember{Searched: class.Erase(c), Penalty: ofCards})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	return of(class.EraseTractable[[]uint16](trees)), of(class.EraseTractable[[]uint16, *dectree.Tree](looseTrees{trees})), cards, trees
}

func choice(h union.Choice[any]) string { return fmt.Sprint(h.Member, h.Hypothesis) }

// A sample from a union of cards and trees has a probability proportional to weight·e^{-λ(cost +
// penalty)}, whatever bounds on the mass of trees are used. A card has the weight 1, and a tree has
// its prior. With loose bounds, rounds are often rejected. If they are accepted instead, or if a tree
// has the weight 1 of a card, the distribution differs.
func TestDrawMixed(t *testing.T) {
	lambda := big.NewRat(3, 4)
	for _, w := range []struct {
		ofCards, ofTrees int64
		points           []class.Point[[]uint16]
	}{
		{0, 0, nil},
		{2, 0, []class.Point[[]uint16]{{X: []uint16{0}, Cost: [2]int64{0, 2}}, {X: []uint16{1}, Cost: [2]int64{1, 0}}}},
		{0, 1, []class.Point[[]uint16]{{X: []uint16{0}, Cost: [2]int64{3, 0}}, {X: []uint16{1}, Cost: [2]int64{0, -1}}}},
	} {
		tight, loose, cards, trees := mixedOf(t, w.ofCards, w.ofTrees)
		p := class.Problem[[]uint16]{Points: w.points}
		law := func(counted bool) map[string]float64 {
			weights, total := map[string]float64{}, 0.0
			add := func(h union.Choice[any], weight float64, penalty int64) {
				if !tight.Contains(h) {
					t.Fatalf("%v is not in the union", h)
				}
				cost := penalty
				for _, pt := range w.points {
					if tight.Predict(h, pt.X) {
						cost += pt.Cost[1]
					} else {
						cost += pt.Cost[0]
					}
				}
				weights[choice(h)] = weight * math.Exp(-0.75*float64(cost))
				total += weights[choice(h)]
			}
			for h := range trees.All() {
				weight, _ := trees.Prior(h).Float64()
				if counted {
					weight = 1
				}
				add(union.Choice[any]{Member: 0, Hypothesis: h}, weight, w.ofTrees)
			}
			for _, h := range cards {
				add(union.Choice[any]{Member: 1, Hypothesis: h}, 1, w.ofCards)
			}
			for h := range weights {
				weights[h] /= total
			}
			return weights
		}
		wrong := func(u *union.Mixed[[]uint16, any], want map[string]float64, coins func(noise.Coins) noise.Coins) (wrong int, tail float64) {
			got := audit.LawOf(t, func(c noise.Coins) string {
				tree, err := u.Tree(context.Background(), p, search.Decay(lambda))
				if err != nil {
					t.Fatal(err)
				}
				h, err := search.Sample(context.Background(), tree, lambda, coins(c))
				if err != nil {
					t.Fatal(err)
				}
				return choice(h)
			}, audit.InFull(1e-8, 1e-10))
			for h, p := range want {
				if lo, hi := got.Bounds(h); p < lo*(1-1e-12) || p > hi*(1+1e-12) {
					wrong++
				}
			}
			return wrong, got.Tail()
		}
		plain := func(c noise.Coins) noise.Coins { return c }
		for name, u := range map[string]*union.Mixed[[]uint16, any]{"tight": tight, "loose": loose} {
			if n, tail := wrong(u, law(false), plain); n > 0 || tail > 1e-6 {
				t.Errorf("charged %d and %d, %s masses: %d hypotheses have another probability, with a tail of %g", w.ofCards, w.ofTrees, name, n, tail)
			}
		}
		if n, _ := wrong(tight, law(true), plain); n == 0 {
			t.Error("each tree weighs as much as a card")
		}
		if n, _ := wrong(loose, law(false), func(c noise.Coins) noise.Coins { return certainly{c} }); n == 0 {
			t.Error("rounds that always accept have the law too")
		}
	}
}

// mixing erases the type of a mixture's hypotheses.
type mixing struct {
	*learn.Mixture[[]uint16, union.Choice[any]]
}

func (m mixing) Release(ctx context.Context, d audittest.Examples, c noise.Coins) (any, error) {
	return m.Mixture.Release(ctx, d, c)
}

// The exponential mechanism over a union of cards and trees satisfies its guarantee. Refuted are
// the rate for add-remove under replace-one, and a penalty that depends on the table.
func TestMixture(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	over := func(ofCards int64, r privacy.Relation, l learn.Loss) audittest.AnyMechanism {
		u, _, _, _ := mixedOf(t, ofCards, 0)
		m, err := learn.NewMixture[[]uint16, union.Choice[any]](u, privacytest.Decimal(t, "2"), r, l)
		if err != nil {
			t.Fatal(err)
		}
		return mixing{m}
	}
	// withTrees returns the mechanism over the union of trees and another class.
	withTrees := func(other mixedMember, r privacy.Relation) audittest.AnyMechanism {
		trees := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 2)
		u, err := union.NewMixed(mixedMember{Tractable: class.EraseTractable[[]uint16](trees)}, other)
		if err != nil {
			t.Fatal(err)
		}
		m, err := learn.NewMixture[[]uint16, union.Choice[any]](u, privacytest.Decimal(t, "2"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return mixing{m}
	}
	// Sparse cards, with internal penalties for the rate, searched or summed.
	sparseCards := func(r privacy.Relation, summed bool) audittest.AnyMechanism {
		c, err := sparse.New(sparse.Options{Sizes: []int{2}, Most: 1, Points: 1, Threshold: 1, Draws: 1, Rate: learn.Rate(privacytest.Decimal(t, "2"), r, learn.ZeroOne)})
		if err != nil {
			t.Fatal(err)
		}
		cards := mixedMember{Searched: class.Erase(c), Penalty: 1}
		if summed {
			cards.Summed = summedCards{c}
		}
		return withTrees(cards, r)
	}
	// Sum scores, whose partition function comes from the table of all costs.
	sumScores := func(r privacy.Relation) audittest.AnyMechanism {
		c, err := sumscore.New([]sumscore.Group{{Attributes: []int{0}, Categories: 2}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return withTrees(mixedMember{Searched: class.Erase(c), Summed: summedScores{c}, Penalty: 1}, r)
	}
	world := func(r privacy.Relation) audit.World[audittest.Examples] {
		return audit.WorldOf(r, len(kindsOfRows), 2, audittest.ExamplesOf(kindsOfRows))
	}
	for _, a := range []struct {
		name string
		m    audittest.AnyMechanism
		r    privacy.Relation
		want audit.Verdict
	}{
		{"shipped", over(1, replace, learn.ZeroOne), replace, audit.Holds},
		{"shipped, add-remove", over(1, addRemove, learn.Loss{FalsePositive: 1, FalseNegative: 2}), addRemove, audit.Holds},
		{"sparse cards", sparseCards(replace, false), replace, audit.Holds},
		{"summed cards", sparseCards(replace, true), replace, audit.Holds},
		{"summed cards, add-remove", sparseCards(addRemove, true), addRemove, audit.Holds},
		{"sum scores", sumScores(replace), replace, audit.Holds},
		{"sum scores, add-remove", sumScores(addRemove), addRemove, audit.Holds},
		{"the other rate", audittest.Claiming(over(1, addRemove, learn.ZeroOne), over(1, replace, learn.ZeroOne).Guarantee()), replace, audit.Verdict{1.01, 2}},
		{"sparse cards at the other rate", audittest.Claiming(sparseCards(addRemove, false), sparseCards(replace, false).Guarantee()), replace, audit.Verdict{1.01, 2}},
		{"summed cards at the other rate", audittest.Claiming(sparseCards(addRemove, true), sparseCards(replace, true).Guarantee()), replace, audit.Verdict{1.01, 2}},
		{"sum scores at the other rate", audittest.Claiming(sumScores(addRemove), sumScores(replace).Guarantee()), replace, audit.Verdict{1.01, 2}},
		{"a charge from the table", chargedByTable{over(0, addRemove, learn.ZeroOne), over(3, addRemove, learn.ZeroOne)}, addRemove, audit.Verdict{1.01, 4}},
	} {
		t.Run(a.name, func(t *testing.T) { audittest.CheckClass(t, a.want, a.m, world(a.r), audit.InFull(1e-8, 1e-10)) })
	}
}

// summedCards is the partition function of sparse cards, with hypotheses of type any.
type summedCards struct{ *sparse.Class }

func (c summedCards) Sum(ctx context.Context, p class.Problem[[]uint16], decay func(int64) class.Upper) (class.Mass[any], error) {
	m, err := c.Class.Sum(ctx, p, decay)
	return class.MapMass(m, 0, func(h sparse.Card) any { return h }), err
}

// summedScores is the partition function of sum scores, with hypotheses of type any.
type summedScores struct{ *sumscore.Class }

func (c summedScores) Sum(ctx context.Context, p class.Problem[[]uint16], decay func(int64) class.Upper) (class.Mass[any], error) {
	m, err := c.Class.Sum(ctx, p, decay)
	return class.MapMass(m, 0, func(h sumscore.Score) any { return h }), err
}

// chargedByTable penalises cards if the first record of the table is positive.
type chargedByTable struct{ free, charged audittest.AnyMechanism }

func (m chargedByTable) Guarantee() privacy.Guarantee { return m.free.Guarantee() }

func (m chargedByTable) Release(ctx context.Context, d audittest.Examples, c noise.Coins) (any, error) {
	if len(d) > 0 && d[0].Label {
		return m.charged.Release(ctx, d, c)
	}
	return m.free.Release(ctx, d, c)
}
