package loglinear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// The noisier the pairs are, the fewer particles are used, and the smaller is the effort. There are more particles at the end
// of the fit than before. Options and the first file format determine the number, and it is at least the number of cells.
func TestNumbersOfParticles(t *testing.T) {
	const n = 60_000
	random := rand.New(rand.NewPCG(31, 1))
	few, many := chain([]int{4, 5, 3, 4}, n, .5, random), chain(slices.Repeat([]int{40}, 6), n, .9, random)
	const pairs = 15 * 40 * 40 // cells of the pairs of many
	for _, c := range []struct {
		name  string
		w     world
		sigma float64
		o     Options
		want  particles
	}{
		{"much noise", few, 3000, Options{}, particles{leastParticles, leastParticles, n, leastEffort}},
		{"some noise", few, 220, Options{}, particles{fewParticles, n, n, 1}},
		{"little noise", few, .1, Options{}, particles{n, n, n, 1}},
		{"little noise, an option", few, .1, Options{Particles: 700}, particles{700, 700, 700, 1}},
		{"little noise, the least option", few, .1, Options{Particles: 1}, particles{1, 1, 1, 1}},
		{"some noise, first file format", few, 220, Options{First: true}, particles{n, n, n, 1}},
		{"many cells, much noise", many, 300, Options{}, particles{pairs, pairs, n, leastEffort}},
		{"many cells, some noise", many, 10, Options{}, particles{2 * pairs, n, n, 1}},
	} {
		f, err := New(c.w.problem(n, c.sigma, random), c.o)
		if err != nil {
			t.Fatal(err)
		}
		if f.number != c.want || f.rows.n != c.want.early {
			t.Errorf("%s: %+v particles, of which there are %d; want %+v", c.name, f.number, f.rows.n, c.want)
		}
	}
}

// The number of particles increases before the last rounds. The rows do not depend on the number of threads.
func TestParticlesIncrease(t *testing.T) {
	const n = 30_000
	run := func(threads int) uint64 {
		random := rand.New(rand.NewPCG(31, 2))
		f, rows := fitted(t, chain([]int{4, 5, 3, 4}, n, .5, random).problem(n, 60, random), Options{Seed: 1, Threads: threads}, 2000)
		if f.number.early >= f.number.late || f.rows.n != f.number.late || int(f.triples.rows) != meanRounds*f.number.late {
			t.Errorf("%d particles, and %g in all rounds of the means; want %+v", f.rows.n, f.triples.rows, f.number)
		}
		return digest(rows)
	}
	if run(1) != run(3) {
		t.Error("the rows depend on the number of threads")
	}
}

// The numbers of particles between their limits follow from the errors of the targets of all pairs. Without pairs, the
// effort is 1.
func TestEffort(t *testing.T) {
	pair := func(target, variance float64, cells int) *factor {
		g := &factor{axes: make([]table.Axis, 2), target: slices.Repeat([]float64{target}, cells), theta: make([]float64, cells), variance: variance}
		g.target[0], g.target[1] = -1, 4*target // their positive parts have the sum of square roots of two other cells
		return g
	}
	// Let Q be Σ√q/Σσ, so that B = 90,000·Q². Q is 18,000/123,200 for the first pair, and 27,000/168,200 for both pairs. The
	// early particles are 10,000·5Q for one pair, and 2·5Q for each of the 9,000 cells of both.
	first, second := pair(16, 27.377*27.377, 4500), pair(4, 10*10, 4500)
	for _, c := range []struct {
		name        string
		pairs       []*factor
		early, late int
		effort      float64
	}{
		{"no pair", nil, 10_000, 10_000, 1},
		{"one pair", []*factor{first}, 7305, 38_425, .7305},
		{"two pairs", []*factor{first, second}, 14_447, 46_383, .8026},
	} {
		f := &Fit{total: 90_000, pairs: c.pairs}
		if n := f.particles(); n.early != c.early || n.late != c.late || n.most != 90_000 || math.Abs(n.effort-c.effort) > 1e-4 {
			t.Errorf("%s: %+v; want %d early and %d late particles, and the effort %g", c.name, n, c.early, c.late, c.effort)
		}
	}
	for _, c := range [][3]float64{{5, 5, 10_000}, {5, 20_000, 20_000}, {30_000, 20_000, 30_000}, {200_000, 5, 100_000}} {
		if n := Particles(c[0], c[1]); n != c[2] {
			t.Errorf("at most %g particles for %g cells and %g rows; want %g", n, c[0], c[1], c[2])
		}
	}
}
