package loglinear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The number of last passes is inversely proportional to the product of the numbers of rows and factors, between its two
// limits. Fewer than one row or factor counts as one.
func TestPassesOver(t *testing.T) {
	for _, v := range []struct{ rows, factors, effort, want float64 }{
		{1e6, 20, 1, 5},
		{20, 1e6, 1, 5},
		{1e6, 20, .5, 2.5},
		{1e6, 40, 1, 2.5},
		{1e6, 200, 1, fewPasses},
		{1e6, 2, 1, lastPasses},
		{0, 2e7, 1, 5},
		{.5, 2e7, 1, 5},
		{2e7, 0, 1, 5},
		{2e7, .5, 1, 5},
		{0, 0, 1, lastPasses},
	} {
		if got := passesOver(v.rows, v.factors, v.effort); got != v.want {
			t.Errorf("%g passes over %g rows with %g factors and the effort %g, want %g", got, v.rows, v.factors, v.effort, v.want)
		}
	}
}

// In each batch of rows, every pass proposes values for single columns, and the first half of the passes proposes whole
// rows too. In the first file format, all passes do.
func TestLastPassesOfWholeRows(t *testing.T) {
	const n, columns = 200, 3
	random := rand.New(rand.NewPCG(37, 1))
	f, _ := fitted(t, chain([]int{3, 2, 4}, n, .5, random).problem(n, 5, random), Options{Particles: n, Seed: 1}, n)
	for _, v := range []struct {
		passes, rows int
		first        bool
		want         int // passes that propose whole rows, summed over the batches
	}{
		{1, n, false, 0}, {2, n, false, 1}, {5, n, false, 2}, {12, n, false, 6},
		{1, n, true, 1}, {2, n, true, 2}, {5, n, true, 5},
		{2, batch, false, 1}, {2, batch + 1, false, 2},
	} {
		t.Run(fmt.Sprintf("%d passes over %d rows, first format %v", v.passes, v.rows, v.first), func(t *testing.T) {
			const before = 3 // steps of Rows before the last passes
			ended, all := before, v.passes+before
			f.options.First = v.first
			f.options.Progress = func(done, of int64) {
				if ended++; int(done) != ended || int(of) != all {
					t.Errorf("progress %d of %d, want %d of %d", done, of, ended, all)
				}
			}
			steps := f.steps
			if err := f.last(context.Background(), f.rows.resample(v.rows, .5), v.passes, all); err != nil {
				t.Fatal(err)
			}
			batches := (v.rows + batch - 1) / batch
			if got := int(f.steps-steps) - batches*v.passes*columns; got != v.want {
				t.Errorf("%d proposals of whole rows, want %d", got, v.want)
			}
			if ended != all {
				t.Errorf("the progress ends with %d of %d", ended, all)
			}
		})
	}
	f.options.Progress = nil
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, passes := range []int{1, 2} { // proposals of single columns and of whole rows come first
		if err := f.last(ctx, f.rows.resample(n, .5), passes, passes); !errors.Is(err, context.Canceled) {
			t.Errorf("%d passes with a canceled context: %v", passes, err)
		}
	}
}

// The cost of a sampled row is that of its sweeps and of its last passes, of which half propose whole rows. The memory of
// a fit without sampled rows is that of its particles, cells and triples.
func TestCostOfRows(t *testing.T) {
	sizes := []int{4, 4, 4, 4} // 6 pairs and 4 triples
	const (
		cells, total = 96, 50_000
		sweep        = 16*4 + 6           // steps of a sweep over one row
		whole        = sweep + 3*6 + 5*4  // steps of a proposal for a whole row
		apart        = sweep + 7*6 + 13*4 // steps of proposals for all columns of a row, one after the other
	)
	none, memory := Cost(sizes, cells, total, 0, 0)
	if want := 4*4*total + 32*cells + tripleBytes*4 + 24*4*math.Pow(4, 3); memory != want {
		t.Errorf("%g bytes without sampled rows, want %g", memory, want)
	}
	for _, v := range []struct{ rows, passes float64 }{{1_000, lastPasses}, {4e6, 2.5}, {1e9, fewPasses}} {
		steps, bytes := Cost(sizes, cells, total, v.rows, 0)
		if got, want := (steps-none)/v.rows, apartSweeps*sweep+v.passes/2*whole+v.passes*apart; math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%g steps for each of %g rows, want %g", got, v.rows, want)
		}
		if got := (bytes - memory) / v.rows; got != 4*4 {
			t.Errorf("%g bytes for each of %g rows, want 16", got, v.rows)
		}
	}
}
