package loglinear

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The noisier the pairs are, the fewer particles are used. There are more at the end of the fit than before. Options and the
// first file format determine the number, and it is at least the number of cells.
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
		{"much noise", few, 3000, Options{}, particles{fewParticles, fewParticles, n}},
		{"some noise", few, 220, Options{}, particles{fewParticles, n, n}},
		{"little noise", few, .1, Options{}, particles{n, n, n}},
		{"little noise, an option", few, .1, Options{Particles: 700}, particles{700, 700, 700}},
		{"some noise, first file format", few, 220, Options{First: true}, particles{n, n, n}},
		{"many cells, much noise", many, 300, Options{}, particles{pairs, pairs, n}},
		{"many cells, some noise", many, 10, Options{}, particles{2 * pairs, n, n}},
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
