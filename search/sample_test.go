package search_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// law returns the normalised weights e^{-λc} of hypotheses with the given costs.
func law(lambda *big.Rat, costs []int64) []float64 {
	rate, _ := lambda.Float64()
	total := 0.0
	mass := make([]float64, len(costs))
	for i, c := range costs {
		mass[i] = math.Exp(-rate * float64(c))
		total += mass[i]
	}
	for i := range mass {
		mass[i] /= total
	}
	return mass
}

var rates = []*big.Rat{big.NewRat(1, 20), big.NewRat(1, 4), big.NewRat(3, 2)}

// Samples follow the exponential mechanism (Wang, Lei and Fienberg 2016, Algorithm 1; THEOREM of
// docs/explanation/proofs/adaptive-rejection.md).
func TestSampleLaw(t *testing.T) {
	family := stattest.Open(t, "search")
	ctx := context.Background()
	for i, rate := range rates {
		t.Run(fmt.Sprintf("explicit/%s", rate.RatString()), func(t *testing.T) {
			t.Parallel()
			coins := noise.Crypto()
			tree := newExplicit(uint64(i), 60, 40, 12)
			counts := make([]int, len(tree.costs))
			for range heavy.Pick(5_000, 30_000) {
				h, err := search.Sample(ctx, tree, rate, coins)
				if err != nil {
					t.Fatal(err)
				}
				counts[h]++
			}
			mass := law(rate, tree.costs)
			family.Fit(t, counts, mass)

			// The test has power: it rejects the same samples for twice the rate, and with more samples
			// it rejects a rate that is wrong by a fifth.
			wrong := law(new(big.Rat).Mul(rate, heavy.Pick(big.NewRat(2, 1), big.NewRat(6, 5))), tree.costs)
			if p := stattest.PValue(counts, wrong); p > family.Alpha() {
				t.Errorf("the draws fit a wrong law as well: p = %g", p)
			}
		})
	}
	names := []string{
		"scorecard/signs", "scorecard/at most one", "scorecard/lists",
		"conjunction/all kinds", "conjunction/cells of marginals", "declist/two rules of pairs", "declist/a penalty",
		"parity/coded, at most two", "parity/affine", "explicit/three with penalties", "readonce/categories with penalties",
		"coded/signs", "tabulated/cells of marginals", "union/cards and formulas",
	}
	if heavy.On() { // a sample takes some milliseconds
		names = append(names, "scorecard/at most two with a penalty")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testSampleLaw(t, family, everytest.Fixed()[name])
		})
	}
}

// telling returns a problem on which many hypotheses of a class have different costs.
func telling(domain []record) (p problem) {
	for i, x := range domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	return p
}

// testSampleLaw samples from a class on a problem of telling and tests the distribution.
func testSampleLaw(t *testing.T, family *stattest.Family, c everytest.Case) {
	p := telling(c.Domain)
	tree, err := c.Class.Tree(p)
	if err != nil {
		t.Fatal(err)
	}
	var costs []int64
	number := map[string]int{}
	for h := range c.Class.All() {
		number[fmt.Sprint(h)] = len(costs)
		costs = append(costs, cost(c, p, h))
	}
	counts := make([]int, len(costs))
	coins, rate := noise.Crypto(), big.NewRat(1, 2)
	for range heavy.Pick(300, 2_500) {
		h, err := search.Sample(context.Background(), tree, rate, coins)
		if err != nil {
			t.Fatal(err)
		}
		counts[number[fmt.Sprint(h)]]++
	}
	family.Fit(t, counts, law(rate, costs))
}

func TestSampleSingleHypothesis(t *testing.T) {
	tree := newExplicit(3, 1, 10, 5)
	h, err := search.Sample(context.Background(), tree, big.NewRat(1, 1), noise.Crypto())
	if h != 0 || err != nil {
		t.Errorf("%d, %v", h, err)
	}
}

// Sampling also works for extreme costs and rates.
func TestSampleExtremes(t *testing.T) {
	for _, scale := range []int64{1, 1 << 20, 1 << 50} {
		for _, rate := range []*big.Rat{big.NewRat(1, 1<<60), big.NewRat(1, 1), big.NewRat(1<<60, 1)} {
			tree := newExplicit(5, 20, 30, 6)
			scaleBounds(tree.root, scale)
			for i := range tree.costs {
				tree.costs[i] *= scale
			}
			if _, err := search.Sample(context.Background(), tree, rate, noise.Crypto()); err != nil {
				t.Errorf("costs times %d, rate %s: %v", scale, rate.RatString(), err)
			}
		}
	}
}

func scaleBounds(n *explicit, scale int64) {
	n.bound *= scale
	for _, c := range n.children {
		scaleBounds(c, scale)
	}
}

func TestSampleCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := search.Sample(ctx, newExplicit(1, 50, 30, 10), big.NewRat(1, 1), noise.Crypto()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestMinimizeExplicit(t *testing.T) {
	for seed := range uint64(200) {
		tree := newExplicit(seed, 1+int(seed)%70, 40, 12)
		s, err := search.Minimize(context.Background(), tree, search.Options{})
		if err != nil {
			t.Fatal(err)
		}
		least := tree.costs[0]
		for _, c := range tree.costs {
			least = min(least, c)
		}
		if s.Cost != least || tree.costs[s.Hypothesis] != least {
			t.Errorf("seed %d: hypothesis %d of cost %d; the least is %d", seed, s.Hypothesis, s.Cost, least)
		}
		_, err = search.Minimize(context.Background(), tree, search.Options{Nodes: 1})
		if err != nil && !errors.Is(err, search.ErrBudget) {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

func TestWithin(t *testing.T) {
	for seed := range uint64(50) {
		tree := newExplicit(seed, 60, 40, 12)
		limit := int64(seed%40) - 5
		found := map[int]bool{}
		err := search.Within(context.Background(), tree, limit, func(h int) { found[h] = true })
		if err != nil {
			t.Fatal(err)
		}
		for h, c := range tree.costs {
			if found[h] != (c <= limit) {
				t.Errorf("seed %d: hypothesis %d of cost %d, limit %d: %v", seed, h, c, limit, found[h])
			}
		}
	}
}
