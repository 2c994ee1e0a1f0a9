package loglinear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// If factors have many more cells than there are rows, noise must not concentrate the weights on a
// few rows. Without a limit on the change of weights per pass, pairs had an error of 1.6.
func TestManyFactorsLeaveManyRows(t *testing.T) {
	if !heavy.On() {
		t.Skip("takes half a minute; TestRateFollowsFromCells is there for every change")
	}
	random := rand.New(rand.NewPCG(17, 1))
	const d, n = 70, 2000
	w := world{sizes: slices.Repeat([]int{10}, d), rows: make([][]uint16, d)}
	for c := range d {
		w.rows[c] = make([]uint16, n)
		parent := random.IntN(max(1, c))
		for i := range n {
			w.rows[c][i] = uint16(10 * math.Pow(random.Float64(), 1.5))
			if c > 0 && random.Float64() < .5 {
				w.rows[c][i] = w.rows[parent][i]
			}
		}
	}
	_, rows := fitted(t, w.problem(n, 9, random), Options{Seed: 1, Threads: 2, Particles: n}, n)
	sum, pairs := 0.0, 0
	for a := range w.sizes {
		for b := range a {
			sum += w.distance(rows, axesOf(w.sizes, b, a))
			pairs++
		}
	}
	if mean := sum / float64(pairs); !(mean < .5) {
		t.Errorf("pairs are %v off in the mean", mean)
	}
}

func TestRateFollowsFromCells(t *testing.T) {
	random := rand.New(rand.NewPCG(18, 1))
	f, err := New(chain([]int{10, 10}, 100, .9, random).problem(100, .1, random), Options{Particles: 100})
	if err != nil {
		t.Fatal(err)
	}
	// 100 cells for 100 rows: √.25.
	for _, c := range []struct{ rate, want float64 }{{.4, .4}, {.5, .5}, {1, .5}, {4, .5}} {
		rate := c.rate
		rounds := f.slower(&rate, 10)
		if want := int(10 * min(4, max(1, c.rate/.5))); math.Abs(rate-c.want) > 1e-9 || rounds != want {
			t.Errorf("rate %v becomes %v with %d rounds, want %v with %d", c.rate, rate, rounds, c.want, want)
		}
	}
}
