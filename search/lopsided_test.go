package search_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// A bush is a set of 2^bits hypotheses of equal cost. At every level each node has two children of equal
// size. The bounds of a bush are equal to its cost only at single hypotheses.
type bush struct {
	bits int
	cost int64
}

// The children of the root of a lopsided tree are bushes of very different sizes. A hypothesis is
// represented by the number of its bush.
type lopsided struct {
	bushes    []bush
	incumbent int
}

func (l lopsided) Walker() class.Walker[int] {
	return &lopsidedWalker{tree: l, all: l.leaves(), bush: -1}
}
func (lopsided) Plan() []int               { return nil }
func (l lopsided) Incumbent() (int, int64) { return l.incumbent, l.bushes[l.incumbent].cost }
func (l lopsided) least() (cost int64)     { return l.extreme(func(a, b int64) bool { return a < b }) }
func (l lopsided) Ceiling() int64          { return l.extreme(func(a, b int64) bool { return a > b }) }
func power(bits int) *big.Int              { return new(big.Int).Lsh(big.NewInt(1), uint(bits)) }
func (l lopsided) extreme(before func(a, b int64) bool) int64 {
	cost := l.bushes[0].cost
	for _, b := range l.bushes {
		if before(b.cost, cost) {
			cost = b.cost
		}
	}
	return cost
}

func (l lopsided) leaves() *big.Int {
	total := new(big.Int)
	for _, b := range l.bushes {
		total.Add(total, power(b.bits))
	}
	return total
}

// law returns the probability of each bush for a given rate.
func (l lopsided) law(lambda *big.Rat) []float64 {
	mass, total := make([]*big.Float, len(l.bushes)), new(big.Float)
	for i, b := range l.bushes {
		x := new(big.Rat).SetInt64(b.cost - l.least())
		_, hi, e := noise.ExpIntervalRelative(x.Mul(x, lambda), 64)
		mass[i] = new(big.Float).SetInt(hi)
		mass[i].SetMantExp(mass[i], int(e)+b.bits)
		total.Add(total, mass[i])
	}
	out := make([]float64, len(mass))
	for i, m := range mass {
		out[i], _ = m.Quo(m, total).Float64()
	}
	return out
}

type lopsidedWalker struct {
	class.NoMass[int]
	tree  lopsided
	all   *big.Int // the number of leaves of the tree
	bush  int
	depth int // the depth below the bush's root
}

func (w *lopsidedWalker) left() int { return w.tree.bushes[w.bush].bits - w.depth }

func (w *lopsidedWalker) Children() int {
	switch {
	case w.bush < 0:
		return len(w.tree.bushes)
	case w.left() == 0:
		return 0
	}
	return 2
}

func (w *lopsidedWalker) Leaves() *big.Int {
	if w.bush < 0 {
		return w.all
	}
	return power(w.left())
}

func (w *lopsidedWalker) ChildLeaves(i int) *big.Int {
	if w.bush < 0 {
		return power(w.tree.bushes[i].bits)
	}
	return power(w.left() - 1)
}

func (w *lopsidedWalker) Share(i int) class.Upper {
	return class.Ratio(w.ChildLeaves(i), w.Leaves())
}

func (w *lopsidedWalker) Bound() int64 {
	if w.bush < 0 {
		return w.tree.least()
	}
	return w.tree.bushes[w.bush].cost
}

func (w *lopsidedWalker) Exact() bool { return w.Children() == 0 }

func (w *lopsidedWalker) Down(i int, limit int64) (int64, bool) {
	if w.bush >= 0 {
		w.depth++
		return w.Bound(), true
	}
	cost := w.tree.bushes[i].cost
	if cost > limit {
		return limit + 1, false
	}
	w.bush = i
	return cost, true
}

func (w *lopsidedWalker) Up() {
	if w.depth > 0 {
		w.depth--
	} else {
		w.bush = -1
	}
}

func (w *lopsidedWalker) Hypothesis() int { return w.bush }

// balanced returns the cost for which, at the rate 1/3, a bush has the same weight as a single hypothesis
// of cost 0.
func balanced(bits int) int64 { return int64(float64(bits) * 3 * 0.6931471805599453) }

// Sampling needs few passes and nodes for any ratio of the sizes of bushes. If shares were too coarse for
// small bushes, sampling would not end for sizes from 2^70 on.
func TestSampleLopsided(t *testing.T) {
	for name, tree := range map[string]lopsided{
		"balanced 64":       {bushes: []bush{{64, balanced(64)}, {0, 0}}},
		"balanced 78":       {bushes: []bush{{78, balanced(78)}, {0, 0}}},
		"balanced 1000":     {bushes: []bush{{1000, balanced(1000)}, {0, 0}}},
		"the other order":   {bushes: []bush{{0, 0}, {1000, balanced(1000)}}},
		"a poor incumbent":  {bushes: []bush{{1000, balanced(1000)}, {0, 0}}, incumbent: 0},
		"a good incumbent":  {bushes: []bush{{1000, balanced(1000)}, {0, 0}}, incumbent: 1},
		"one dominant leaf": {bushes: []bush{{1000, 1 << 20}, {500, 1 << 30}, {0, 0}}},
		"all dominant":      {bushes: []bush{{1000, 0}, {900, 0}, {0, 0}}},
		"ties of all sizes": {bushes: []bush{{0, 7}, {1, 7}, {64, 7}, {65, 7}, {128, 7}, {1000, 7}}},
		"an empty table":    {bushes: []bush{{5_000, 0}}},
		"sizes by the ladder": {bushes: []bush{
			{0, 0}, {100, balanced(100)}, {200, balanced(200)}, {300, balanced(300)}, {400, balanced(400)}, {900, balanced(900)}}},
	} {
		t.Run(name, func(t *testing.T) {
			var sum search.Effort
			const draws = 20
			for i := range uint64(draws) {
				_, e, err := search.SampleEffort(context.Background(), tree, big.NewRat(1, 3), noise.Insecure(i))
				if err != nil {
					t.Fatal(err)
				}
				sum.Passes += e.Passes
				sum.Nodes += e.Nodes
			}
			if sum.Passes > 8*draws || sum.Nodes > 2_000*draws {
				t.Errorf("%d draws took %d passes and %d nodes", draws, sum.Passes, sum.Nodes)
			}
		})
	}
}

// The distribution is correct if sizes exceed 64 bits, and if there are several rounds per batch and
// joined blocks.
func TestSampleLopsidedLaw(t *testing.T) {
	family := stattest.Open(t, "search/lopsided")
	lambda := big.NewRat(1, 3)
	trees := map[string]lopsided{
		"ladder": {bushes: []bush{
			{0, 0}, {3, balanced(3)}, {64, balanced(64)}, {65, balanced(65)}, {200, balanced(200)}}},
		"steps": {bushes: []bush{{2, 0}, {2, 1}, {2, 2}, {2, 3}, {2, 4}, {2, 5}, {2, 6}, {2, 7}}, incumbent: 3},
	}
	for _, name := range []string{"ladder", "steps"} {
		for _, sizes := range []string{"usual", "small"} {
			t.Run(fmt.Sprintf("%s, %s", name, sizes), func(t *testing.T) {
				draw := search.SampleEffort[int]
				if sizes == "small" {
					draw = search.SampleSmall[int]
				}
				tree, coins := trees[name], noise.Crypto()
				counts := make([]int, len(tree.bushes))
				for range heavy.Pick(1_000, 4_000) {
					h, _, err := draw(context.Background(), tree, lambda, coins)
					if err != nil {
						t.Fatal(err)
					}
					counts[h]++
				}
				family.Fit(t, counts, tree.law(lambda))
			})
		}
	}
}

// A node with 100,000 children arises from an attribute with as many categories.
func TestSampleWide(t *testing.T) {
	wide := lopsided{}
	for i := range 100_000 {
		wide.bushes = append(wide.bushes, bush{3, int64(i % 5)})
	}
	_, e, err := search.SampleEffort(context.Background(), wide, big.NewRat(1, 2), noise.Insecure(1))
	if err != nil || e.Nodes > 400_000 {
		t.Errorf("%d nodes, %v", e.Nodes, err)
	}
}
