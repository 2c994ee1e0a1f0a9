package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// runsOf returns the number of runs of equal points.
func runsOf(points []int) int { return len(slices.Compact(slices.Clone(points))) }

// The two adjacent runs whose merging increases the weighted squared error least are merged first.
func TestMerged(t *testing.T) {
	points, weights := []int{10, 0, 30, 31, -5, -9}, []float64{100, 1, 50, 50, 3, 1}
	for most, want := range map[int][]int{
		6: points,
		5: {10, 0, 30, 31, -6, -6},
		4: {10, 0, 31, 31, -6, -6},
		3: {10, 10, 31, 31, -6, -6},
		2: {10, 10, 29, 29, 29, 29},
		1: {20, 20, 20, 20, 20, 20},
	} {
		if got := merged(points, weights, most); !slices.Equal(got, want) {
			t.Errorf("%d runs: %v, not %v", most, got, want)
		}
	}
}

// Points of any size and any noisy counts lead to at most the given number of runs, within the range of the points.
func TestMergedOfAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, mostRuns, mostRuns + 1, 2*mostAdjacent + 1, 5*mostAdjacent - 1} {
		for _, variance := range []float64{1e-200, 1, 1e6, 1e220} {
			c := &cells{}
			points := make([]int, n)
			for k := range n {
				points[k] = r.IntN(101) - 50
				c.add(MostRows*(2*r.Float64()-1), MostRows*(2*r.Float64()-1), .5, variance)
			}
			c.add(0, 0, .5, variance)
			points = append(points, 7)
			weights := c.precisions()
			for _, w := range weights {
				if !(w > 0) || math.IsInf(w, 1) {
					t.Fatalf("variance %g: a weight of %g", variance, w)
				}
			}
			got := merged(points, weights, mostRuns)
			if len(got) != len(points) || runsOf(got) > mostRuns || slices.Min(got) < -50 || slices.Max(got) > 50 {
				t.Errorf("%d categories, variance %g: %d runs of %d points", n, variance, runsOf(got), len(got))
			}
			if n < mostRuns && !slices.Equal(got, points) {
				t.Errorf("%d categories were merged", n)
			}
		}
	}
}

// A category has about its number of rows as weight if noise is small, and much less if noise could explain it.
func TestPrecisions(t *testing.T) {
	c := &cells{}
	c.add(600, 400, .5, 1)
	c.add(6, 4, .5, 50)
	c.add(-900, 0, .5, 50)
	w := c.precisions()
	if math.Abs(w[0]-1000) > 5 || w[1] > 1 || w[2] > w[1]/100 {
		t.Errorf("weights %g", w)
	}
}

// A released card has at most mostRuns different runs of points for an ordered attribute, and a category with most of the
// rows keeps its points. Attributes without an order keep all their points.
func TestNewtonReleasesRuns(t *testing.T) {
	const n = 4 * mostRuns
	sizes := []int{n, n}
	m, err := NewNewton(sizes, []bool{true, false}, pureBudget(t, "1e99", privacy.AddRemove), sharesOf(t, "1000", "1000", "0", "0", "0", "0"), 10)
	if err != nil {
		t.Fatal(err)
	}
	of := &encoding{}
	noisy := &cells{ordered: true}
	for range n {
		noisy.add(5, 5, .5, 1)
	}
	noisy.noisy[3] = 1e5
	of.weights = [][]float64{noisy.precisions(), nil}
	p := Points{Points: [][]int{make([]int, n), make([]int, n)}}
	for k := range n {
		p.Points[0][k], p.Points[1][k] = k%7-3, k%7-3
	}
	p.Points[0][3] = 40
	got := of.inRuns(Points{p.Prior, [][]int{slices.Clone(p.Points[0]), p.Points[1]}})
	if runsOf(got.Points[0]) > mostRuns || got.Points[0][3] != 40 || !slices.Equal(got.Points[1], p.Points[1]) {
		t.Errorf("%d runs, %d points of the frequent category", runsOf(got.Points[0]), got.Points[0][3])
	}

	var d Listed[[]uint16]
	r := rand.New(rand.NewPCG(2, 2))
	for k := range uint16(n) {
		d = append(d, Example[[]uint16]{[]uint16{k, k}, r.IntN(2) == 0, 1 + r.Int64N(90)})
	}
	released, err := m.Release(t.Context(), tableOf(t, sizes, d), noise.Insecure(1))
	if err != nil {
		t.Fatal(err)
	}
	if runs, others := runsOf(released.Points[0]), runsOf(released.Points[1]); runs > mostRuns || others <= mostRuns {
		t.Errorf("%d runs, and %d without an order", runs, others)
	}
}
