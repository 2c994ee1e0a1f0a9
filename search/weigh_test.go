package search_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// A weighedTree has masses at some of its nodes. Their descents have arbitrary weights, and their bounds
// are valid, tight or loose. Some masses are reported as tight. If far is set, some masses have an m so
// far below all costs that they are not used.
type weighedTree struct {
	*explicitTree
	seed uint64
	far  bool
}

type weighedWalker struct {
	explicitWalker
	t weighedTree
}

func (t weighedTree) Walker() class.Walker[int] {
	return &weighedWalker{explicitWalker{path: []*explicit{t.root}}, t}
}

// below returns the hypotheses below the node, and the weights with which a descent samples them.
func (w *weighedWalker) below() (ids []int, weights []uint64, rng *rand.Rand) {
	n := w.at()
	rng = rand.New(rand.NewPCG(w.t.seed, uint64(n.leaves)<<32+uint64(n.id)))
	for n.leaves > 0 && len(n.children) > 0 {
		n = n.children[0]
	}
	for i := range w.at().leaves {
		ids, weights = append(ids, n.id+int(i)), append(weights, 1+rng.Uint64N(5))
	}
	return ids, weights, rng
}

func (w *weighedWalker) Mass(lambda *big.Rat) (mass class.Mass[int], tight bool) {
	ids, weights, rng := w.below()
	if rng.IntN(4) == 0 {
		return nil, false
	}
	total := uint64(0)
	for _, weight := range weights {
		total += weight
	}
	rate, _ := lambda.Float64()
	m := w.Bound() + int64(ids[0]%7) - 3
	most := 0.0
	for i, id := range ids {
		most = max(most, math.Exp(-rate*float64(w.t.costs[id]-m))*float64(total)/float64(weights[i]))
	}
	most *= 1 + 1e-9 + float64(rng.IntN(2))*rng.Float64()
	f := class.UpperOfFloat(most)
	if far := int64(1) << 60; w.t.far && ids[0]%2 == 0 {
		m -= far
		f = f.Scaled(-int64(rate * float64(far) / math.Ln2))
	}
	return weighedMass{w, f, m}, rng.IntN(3) == 0
}

type weighedMass struct {
	w *weighedWalker
	f class.Upper
	m int64
}

func (m weighedMass) Bound() (f class.Upper, least int64) { return m.f, m.m }

func (m weighedMass) Descend() class.Descent[int] { return &weighedDescent{w: m.w} }

// A weighedDescent has one choice.
type weighedDescent struct {
	w     *weighedWalker
	taken bool
	id    int
}

func (d *weighedDescent) Weights(context.Context) (sums []uint64, err error) {
	if d.taken {
		return nil, nil
	}
	_, weights, _ := d.w.below()
	sum := uint64(0)
	for _, weight := range weights {
		sum += weight
		sums = append(sums, sum)
	}
	return sums, nil
}

func (d *weighedDescent) Take(i int) {
	ids, _, _ := d.w.below()
	d.id, d.taken = ids[i], true
}

func (d *weighedDescent) Hypothesis() (h int, prior *big.Rat, cost int64) {
	return d.id, big.NewRat(1, 1), d.w.t.costs[d.id]
}

// An enumeration of the randomness shows that samples have exactly the weights e^{-λc} for any masses of
// nodes.
func TestSampleWeighedExactly(t *testing.T) {
	for _, seed := range heavy.Pick([]uint64{1, 2, 3, 4, 5, 8}, []uint64{0, 1, 2, 3, 4, 5, 8}) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			tree := weighedTree{newExplicit(seed, 4, 6, 3), seed, seed > 5}
			lambda := []*big.Rat{big.NewRat(1, 20), big.NewRat(1, 3), big.NewRat(3, 2)}[seed%3]
			summed := false
			got, err := audit.Enumerate(func(coins noise.Coins) int {
				h, e, err := search.SampleSmall(context.Background(), tree, lambda, coins)
				if err != nil {
					t.Fatal(err)
				}
				summed = summed || e.Descents > 0
				return h
			}, audit.Options{Floor: heavy.Pick(1e-5, 1e-6), Paths: 1 << 20, Recheck: heavy.Pick(30, 2000)})
			if err != nil {
				t.Fatal(err)
			}
			if got.Tail() > .03 || !summed && !tree.far {
				t.Errorf("%g is not enumerated; nodes were weighed: %v", got.Tail(), summed)
			}
			for h, want := range law(lambda, tree.costs) {
				if lo, hi := got.Bounds(h); want < lo*(1-1e-12) || want > hi*(1+1e-12) {
					t.Errorf("P(%d) = %g, enclosed by [%g, %g]", h, want, lo, hi)
				}
			}
		})
	}
}

// Sampling from a single mass takes few rounds for any scale of its bound, because the unit is chosen
// according to the bound.
func TestSampleMassAlone(t *testing.T) {
	for _, scale := range []int64{0, -34, 40, -5000, 5000} {
		m := listedMass{[]int64{3, 4, 7}, []uint64{5, 8, 9}, scale}
		for range 30 { // a round accepts with probability 0.13
			ctx := &patience{t.Context(), 5000}
			if _, err := search.Sample(ctx, class.Final[int](m), big.NewRat(1, 2), noise.Crypto()); err != nil {
				t.Fatalf("2^%d: %v", scale, err)
			}
		}
	}
}

// A patience is a context that ends after the given number of calls of Err.
type patience struct {
	context.Context
	left int
}

func (p *patience) Err() error {
	if p.left--; p.left < 0 {
		return context.Canceled
	}
	return nil
}

// A listedMass is a mass of hypotheses with the prior 2^scale. sums holds the partial sums of the weights
// of a descent.
type listedMass struct {
	costs []int64
	sums  []uint64
	scale int64
}

func (m listedMass) Bound() (f class.Upper, least int64) {
	return class.UpperOf(big.NewInt(8)).Scaled(m.scale), 2
}

func (m listedMass) Descend() class.Descent[int] { return &listedDescent{m: m, taken: -1} }

type listedDescent struct {
	m     listedMass
	taken int
}

func (d *listedDescent) Weights(context.Context) ([]uint64, error) {
	if d.taken < 0 {
		return d.m.sums, nil
	}
	return nil, nil
}

func (d *listedDescent) Take(i int) { d.taken = i }

func (d *listedDescent) Hypothesis() (h int, prior *big.Rat, cost int64) {
	size := new(big.Int).Lsh(big.NewInt(1), uint(max(d.m.scale, -d.m.scale)))
	if prior = new(big.Rat).SetInt(size); d.m.scale < 0 {
		prior.Inv(prior)
	}
	return d.taken, prior, d.m.costs[d.taken]
}
