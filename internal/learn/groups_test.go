package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The two adjacent runs whose merging increases the weighted squared error least are merged first.
func TestMerged(t *testing.T) {
	odds, weights := []float64{10, 0, 30, 31, -5, -9}, []float64{100, 1, 50, 50, 3, 1}
	for most, want := range map[int][]float64{
		6: odds,
		5: {10, 0, 30, 31, -6},
		4: {10, 0, 30.5, -6},
		3: {1000. / 101, 30.5, -6},
		2: {1000. / 101, 3026. / 104},
		1: {4026. / 205},
	} {
		var runs []run
		for k, w := range weights {
			runs = append(runs, run{k, w, odds[k]})
		}
		var got []float64
		for _, r := range merged(runs, most) {
			got = append(got, r.odds)
		}
		if len(got) != len(want) || rms(got, want) > 1e-12 {
			t.Errorf("%d runs: %g, not %g", most, got, want)
		}
	}
}

// Any noisy counts lead to at most mostGroups groups, each of at least one category, whose counts are the sums of those of
// their categories. Their log-odds are within those of their categories. The groups of an ordered attribute are ranges.
func TestGroupedOfAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{mostGroups + 1, 2*mostAdjacent + 1, 5*mostAdjacent - 1} {
		for _, variance := range []float64{1e-200, 1, 1e6, 1e220} {
			for _, ordered := range []bool{false, true} {
				c, odds := &cells{ordered: ordered}, make([]float64, n)
				for k := range n {
					odds[k] = float64(r.IntN(101) - 50)
					c.add(MostRows*(2*r.Float64()-1), MostRows*(2*r.Float64()-1), .5, variance)
				}
				for _, w := range c.precisions() {
					if !(w > 0) || math.IsInf(w, 1) {
						t.Fatalf("variance %g: a weight of %g", variance, w)
					}
				}
				of, groups, means := c.grouped(odds)
				state := fmt.Sprintf("%d categories, variance %g, ordered %v", n, variance, ordered)
				if len(of) != n || len(means) > mostGroups || len(groups.rows) != len(means) || ordered && !slices.IsSorted(of) {
					t.Fatalf("%s: %d groups", state, len(means))
				}
				noisy, deviation, variances := slices.Clone(groups.noisy), slices.Clone(groups.deviation), make([]float64, len(means))
				least, most := slices.Repeat([]float64{math.Inf(1)}, len(means)), slices.Repeat([]float64{math.Inf(-1)}, len(means))
				for k, g := range of {
					noisy[g], deviation[g], variances[g] = noisy[g]-c.noisy[k], deviation[g]-c.deviation[k], variances[g]+variance
					least[g], most[g] = min(least[g], odds[k]), max(most[g], odds[k])
				}
				for g, m := range means {
					if math.Abs(noisy[g]) > 1e-3 || math.Abs(deviation[g]) > 1e-3 || groups.variances[g] != variances[g] || m < least[g]-1e-9 || m > most[g]+1e-9 {
						t.Fatalf("%s: group %d has the log-odds %g of categories with %g to %g, counts off by %g and %g, and noise of variance %g", state, g, m, least[g], most[g], noisy[g], deviation[g], groups.variances[g])
					}
				}
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

// A released card has at most mostGroups different numbers of points for an attribute, in ranges if it is ordered. A
// frequent category keeps its own points.
func TestNewtonReleasesGroups(t *testing.T) {
	const n = 8 * mostGroups
	sizes := []int{n, n}
	m, err := NewNewton(sizes, []bool{true, false}, pureBudget(t, "1e99", privacy.AddRemove), sharesOf(t, "1000", "1000", "1000", "1000", "1000", "1000"), MostNewtonScale)
	if err != nil {
		t.Fatal(err)
	}
	var d Listed[[]uint16]
	r := rand.New(rand.NewPCG(2, 2))
	for k := range uint16(n) {
		d = append(d, Example[[]uint16]{[]uint16{k, k}, r.IntN(2) == 0, 1 + r.Int64N(90)})
	}
	d = append(d, Example[[]uint16]{[]uint16{3, 3}, true, 1e6}, Example[[]uint16]{[]uint16{3, 3}, false, 1e4})
	released, err := m.Release(t.Context(), tableOf(t, sizes, d), noise.Insecure(1))
	if err != nil {
		t.Fatal(err)
	}
	different := func(points []int) int {
		return len(slices.Compact(slices.Sorted(slices.Values(points))))
	}
	ordered, other := released.Points[0], released.Points[1]
	if runs := len(slices.Compact(slices.Clone(ordered))); runs > mostGroups || different(ordered) < 3 || ordered[2] == ordered[3] || ordered[3] == ordered[4] {
		t.Errorf("%d runs, %d different numbers of points, %d of the frequent category, %d and %d beside it", runs, different(ordered), ordered[3], ordered[2], ordered[4])
	}
	if runs := len(slices.Compact(slices.Clone(other))); runs <= mostGroups || different(other) > mostGroups {
		t.Errorf("without an order: %d runs, %d different numbers of points", runs, different(other))
	}
}
