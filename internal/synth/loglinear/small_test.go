package loglinear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// The posterior mean of a count is better than the estimate if the prior is far from uniform. Large estimates stay, and
// so do all estimates if there are few.
func TestDeconvolution(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 1))
	for name, count := range map[string]func() float64{
		"empty":         func() float64 { return 0 },
		"mostly empty":  func() float64 { return max(0, 30*(random.Float64()-.9)) },
		"small":         func() float64 { return .5 },
		"far from zero": func() float64 { return 6 + random.Float64() },
	} {
		var d Deconvolution
		counts, estimates := make([]float64, 3000), make([]float64, 3000)
		for i := range counts {
			counts[i] = count()
			estimates[i] = counts[i] + random.NormFloat64()
			d.Add(estimates[i])
		}
		d.Fit()
		before, after, sum := 0.0, 0.0, 0.0
		for i, z := range estimates {
			x := d.Mean(z)
			if x < 0 || z >= smallKept && x != z {
				t.Fatalf("%s: the estimate %v becomes %v", name, z, x)
			}
			before += (max(z, 0) - counts[i]) * (max(z, 0) - counts[i])
			after += (x - counts[i]) * (x - counts[i])
			sum += (x - z) / float64(len(estimates))
		}
		if most := map[string]float64{"empty": .02, "mostly empty": .6, "small": .2, "far from zero": 1.01}[name]; after > most*before {
			t.Errorf("%s: a sum of squares of %.0f, and of %.0f if negative estimates are raised to 0", name, after, before)
		}
		if math.Abs(sum) > .1 {
			t.Errorf("%s: the mean changes by %v", name, sum)
		}
	}
	var few Deconvolution
	for range fewSmall - 1 {
		few.Add(-1)
	}
	few.Fit()
	if x := few.Mean(-1); x != -1 {
		t.Errorf("of few estimates, -1 becomes %v", x)
	}
}

// Tables whose small cells have similar counts are estimated better than by projection alone, and other tables about
// as well.
func TestSmallCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(32, 1))
	sizes := []int{4, 4, 4, 4, 4, 4}
	for name, c := range map[string]struct {
		w    world
		most float64 // relative to the squared error of projection
	}{
		"copies":  {copiesOf(sizes, 10_000, .95, random), .6},
		"classes": {classes(sizes, 10_000, 3, random), 1.05},
		"nothing": {chain(sizes, 10_000, 0, random), 1.05},
	} {
		squares := map[bool]float64{}
		for range 3 {
			p := c.w.problem(10_000, 60, random)
			for _, first := range []bool{true, false} {
				f, err := New(p, Options{Seed: 1, Particles: 1, First: first})
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range f.pairs {
					exact := c.w.measure(g.axes, 0, random).Counts
					for k, n := range g.target {
						squares[first] += (n - exact[k]) * (n - exact[k])
					}
				}
			}
		}
		if squares[false] > c.most*squares[true] {
			t.Errorf("%s: a sum of squares of %.0f, and of %.0f by projection", name, squares[false], squares[true])
		}
	}
}

// copiesOf returns rows in which each column copies the first with probability p, and is uniform otherwise.
func copiesOf(sizes []int, n int, p float64, random *rand.Rand) world {
	w := chain(sizes, n, 0, random)
	for _, column := range w.rows[1:] {
		for i := range column {
			if random.Float64() < p {
				column[i] = w.rows[0][i]
			}
		}
	}
	return w
}

// If all columns are copies of the first, only the pairs with the first column need log-interactions. The priors of
// all other pairs nearly exclude them, so fewer rows are fitted to the noise of these pairs. Such rows are mixtures
// of two different rows, of which the table has hardly any. The prior of a pair remains if the tree does not explain
// its dependence.
func TestPriorsOfPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 1))
	sizes := []int{4, 4, 4, 4, 4, 4, 4, 4}
	w := copiesOf(sizes, 10_000, .97, random)
	p := w.problem(10_000, 40, random)
	mixed := map[bool]int{}
	for _, first := range []bool{true, false} {
		f, rows := fitted(t, p, Options{Seed: 1, First: first}, 10_000)
		for i, v := range rows[0] {
			others := 0
			for _, column := range rows[1:] {
				if column[i] != v {
					others++
				}
			}
			if others >= 3 && others <= 5 {
				mixed[first]++
			}
		}
		for _, g := range f.pairs {
			root := g.axes[0].Column == 0
			if root != g.started || !first && (root && g.prior != treePrior || !root && g.prior > 1) {
				t.Errorf("the pair of columns %d and %d is in the tree: %v; prior %v", g.axes[0].Column, g.axes[1].Column, g.started, g.prior)
			}
		}
	}
	if mixed[false] > mixed[true]/3 {
		t.Errorf("%d of 10000 rows are mixtures, and %d with the priors of the first format", mixed[false], mixed[true])
	}

	cycle := chain([]int{3, 3, 3}, 10_000, 0, random)
	for i := range cycle.rows[0] {
		switch random.IntN(3) { // each pair is equal in a third of the rows
		case 0:
			cycle.rows[1][i] = cycle.rows[0][i]
		case 1:
			cycle.rows[2][i] = cycle.rows[1][i]
		default:
			cycle.rows[0][i] = cycle.rows[2][i]
		}
	}
	f, err := New(cycle.problem(10_000, 10, random), Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range f.pairs {
		if g.prior < 1.5 {
			t.Errorf("in a cycle, the pair of columns %d and %d has the prior %v", g.axes[0].Column, g.axes[1].Column, g.prior)
		}
	}
}

// The unbiased estimate of the squared error differs between two estimates as their squared errors do, on average.
func TestRisk(t *testing.T) {
	random := rand.New(rand.NewPCG(34, 1))
	sizes := []int{5, 4, 6, 3, 5, 4}
	w := classes(sizes, 10_000, 3, random)
	gap, want := 0.0, 0.0
	for seed := range uint64(20) {
		pairs, truth := restsOf(w, 60, random)
		e, err := shrinkJointly(context.Background(), 1, sizes, pairs, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		for n, p := range pairs {
			raw, none := p.values, make([]float64, len(p.values))
			gap += e.risk(n, raw, e.nudged[n].values) - e.risk(n, none, none)
			for k, x := range truth[n] {
				want += ((raw[k]-x)*(raw[k]-x) - x*x) / p.variance
			}
			gap -= e.risk(n, e.values[n], e.moved[n]) - e.risk(n, none, none)
			for k, x := range truth[n] {
				want -= ((e.values[n][k]-x)*(e.values[n][k]-x) - x*x) / p.variance
			}
		}
	}
	if math.Abs(gap-want) > .1*math.Abs(want) {
		t.Errorf("the estimated squared errors differ by %.0f, and the squared errors by %.0f", gap, want)
	}
}
