package audit

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/dectree"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

func treesOf(t *testing.T, attributes []dectree.Attribute, depth int) *dectree.Class {
	t.Helper()
	c, err := dectree.New(attributes, depth)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// loose returns bounds on e^{-λk} that are some times too high.
func loose(lambda *big.Rat) func(int64) class.Upper {
	tight := search.Decay(lambda)
	return func(k int64) class.Upper {
		u := tight(k)
		if k > 0 {
			u = u.Times(class.UpperOf(big.NewInt(7)).Scaled(-2))
		}
		return u
	}
}

// certainly are coins of which those that may restart a draw show heads.
type certainly struct{ noise.Coins }

func (certainly) BernoulliScaledExp(_, _ *big.Rat) bool { return true }

// The law of a tree is prior·e^{-λ·cost}, whatever the bounds that it is drawn by. A draw
// by loose ones restarts often; where it goes on instead, the law is another.
func TestDrawTrees(t *testing.T) {
	lambda := big.NewRat(3, 4)
	for _, w := range []struct {
		*dectree.Class
		points []class.Point[[]uint16]
	}{
		{treesOf(t, []dectree.Attribute{{Categories: 2}}, 1), []class.Point[[]uint16]{{X: []uint16{0}, Cost: [2]int64{0, 2}}, {X: []uint16{1}, Cost: [2]int64{1, 0}}}},
		{treesOf(t, []dectree.Attribute{{Categories: 2}}, 2), []class.Point[[]uint16]{{X: []uint16{0}, Cost: [2]int64{0, 2}}, {X: []uint16{1}, Cost: [2]int64{3, 0}}}},
		{treesOf(t, []dectree.Attribute{{Categories: 4, Ordered: 4}}, 1), []class.Point[[]uint16]{{X: []uint16{0}, Cost: [2]int64{0, 1}}, {X: []uint16{1}, Cost: [2]int64{1, -1}}, {X: []uint16{3}, Cost: [2]int64{2, 0}}}},
		{treesOf(t, []dectree.Attribute{{Categories: 2}, {Categories: 2}}, 2), []class.Point[[]uint16]{{X: []uint16{0, 1}, Cost: [2]int64{0, 1}}, {X: []uint16{1, 1}, Cost: [2]int64{1, 0}}}},
	} {
		weights, total := map[string]float64{}, 0.0
		for h := range w.All() {
			cost := int64(0)
			for _, pt := range w.points {
				cost += pt.Cost[bit(w.Predict(h, pt.X))]
			}
			prior, _ := w.Prior(h).Float64()
			weights[h.String()] = prior * math.Exp(-0.75*float64(cost))
			total += weights[h.String()]
		}
		wrong := func(decay func(int64) class.Upper, coins func(noise.Coins) noise.Coins) (wrong int, tail float64) {
			mass, err := w.Mass(context.Background(), w.points, decay)
			if err != nil {
				t.Fatal(err)
			}
			law := enumerate(t, func(c noise.Coins) string {
				h, err := search.Draw(context.Background(), mass, lambda, coins(c))
				if err != nil {
					t.Fatal(err)
				}
				return h.String()
			}, Options{Floor: 1e-11})
			for h, weight := range weights {
				if lo, hi := law.Bounds(h); weight/total < lo*(1-1e-12) || weight/total > hi*(1+1e-12) {
					wrong++
				}
			}
			return wrong, law.Tail()
		}
		plain := func(c noise.Coins) noise.Coins { return c }
		for name, decay := range map[string]func(int64) class.Upper{"tight": search.Decay(lambda), "loose": loose(lambda)} {
			if n, tail := wrong(decay, plain); n > 0 || tail > 1e-8 {
				t.Errorf("%v, %s bounds: %d of %d trees have another probability, with a tail of %g", w.Class, name, n, len(weights), tail)
			}
		}
		if n, _ := wrong(loose(lambda), func(c noise.Coins) noise.Coins { return certainly{c} }); n == 0 {
			t.Errorf("%v: a draw that is never begun anew has the law too", w.Class)
		}
	}
}

// The exponential mechanism with a prior on trees, as shipped. The rate for add-remove is
// wrong under replacement, and so is a class whose tests are taken from the table.
func TestGibbs(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	c := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1)
	gibbs := func(r privacy.Relation, l learn.Loss) anyMechanism {
		m, err := learn.NewGibbs(class.EraseSummed(c), decimal(t, "2"), r, l)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	kinds := examples{{X: []uint16{0}}, {X: []uint16{0}, Label: true}, {X: []uint16{1}}, {X: []uint16{1}, Label: true}}
	world := func(r privacy.Relation) World[examples] {
		return NewWorld(r, len(kinds), 3, func(counts []int64) (d examples) {
			for i, n := range counts {
				if n > 0 {
					e := kinds[i]
					e.Count = n
					d = append(d, e)
				}
			}
			return d
		})
	}
	dear := learn.Loss{FalsePositive: 1, FalseNegative: 3}
	for _, a := range []struct {
		name string
		m    anyMechanism
		r    privacy.Relation
		want verdict
	}{
		{"shipped", gibbs(replace, learn.ZeroOne), replace, holds},
		{"shipped, add-remove", gibbs(addRemove, learn.ZeroOne), addRemove, holds},
		{"shipped, dear errors", gibbs(replace, dear), replace, holds},
		{"the other rate", pretending{gibbs(addRemove, learn.ZeroOne), gibbs(replace, learn.ZeroOne)}, replace, verdict{1.01, 2}},
		{"a prior from the table", leaningPrior{gibbs(addRemove, learn.ZeroOne)}, addRemove, verdict{1.01, 4}},
	} {
		t.Run(a.name, func(t *testing.T) { auditClass(t, a.want, a.m, world(a.r), inFull(1e-9, 1e-11)) })
	}
}

// leaningPrior takes a leaf for more likely where the table says so: it draws twice, and
// keeps the first if it is a leaf that the first record agrees with.
type leaningPrior struct{ anyMechanism }

func (m leaningPrior) Release(ctx context.Context, d examples, c noise.Coins) (any, error) {
	h, err := m.anyMechanism.Release(ctx, d, c)
	if err != nil || len(d) > 0 && fmt.Sprint(h) == map[bool]string{false: "0", true: "1"}[d[0].Label] {
		return h, err
	}
	return m.anyMechanism.Release(ctx, d, c)
}
