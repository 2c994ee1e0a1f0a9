package loglinear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// spreadOf returns the mean over the cells of factors of (rows - expected)² / expected, about 1 for
// rows sampled independently.
func spreadOf(f *Fit, of []*factor, r *rows) float64 {
	sum, cells := 0.0, 0.0
	for _, g := range of {
		counts := make([]float64, len(g.mean))
		f.index(g).each(r, 0, r.n, func(_ int, cells []int32) {
			for _, k := range cells {
				counts[k]++
			}
		})
		for k, n := range g.mean {
			d := counts[k] - n*float64(r.n)/f.total
			sum += d * d / (n*float64(r.n)/f.total + 1)
			cells++
		}
	}
	return sum / cells
}

// The last passes reduce the sampling noise of pairs and triples.
func TestLastPassesLowerTheNoiseOfSampling(t *testing.T) {
	const n = 4_000
	ctx := context.Background()
	random := rand.New(rand.NewPCG(17, 1))
	f, made := fitted(t, chain([]int{3, 4, 2, 5, 3, 4}, n, .5, random).problem(n, 10, random), Options{Seed: 1}, n)
	drawn := f.rows.resample(n, .5)
	for range apartSweeps {
		if err := f.sweep(ctx, f.tables(), drawn); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range []struct {
		name        string
		rows        *rows
		pairs, more float64
	}{
		{"drawn", drawn, 2, 2},
		{"of the fit", &rows{n: n, column: made}, .01, .04},
	} {
		pairs, threes := spreadOf(f, f.pairs, v.rows), spreadOf(f, f.triples.of, v.rows)
		t.Logf("%s: %.3f of pairs, %.3f of triples", v.name, pairs, threes)
		if pairs > v.pairs || threes > v.more || v.more > 1 && threes < .5 {
			t.Errorf("rows %s are off by %.3f in pairs and %.3f in triples; want %g and %g", v.name, pairs, threes, v.pairs, v.more)
		}
	}
}

// If there are few triples of columns with at least two values and the effort is 1, all are counted. Otherwise a subset
// without repetition is.
func TestTriplesAreListed(t *testing.T) {
	f := &Fit{sizes: []int{2, 1, 3, 2, 5, 1, 2, 2}}
	for _, v := range []struct {
		most, want int
		effort     float64
	}{{100, 20, 1}, {20, 20, 1}, {19, 19, 1}, {1, 1, 1}, {100, 10, .5}, {12, 6, .5}, {1, 1, .5}} {
		f.number.effort = v.effort
		of := f.lists(v.most)
		known := map[[3]int]bool{}
		for _, list := range of {
			if list[0] >= list[1] || list[1] >= list[2] || f.sizes[list[0]] == 1 || f.sizes[list[1]] == 1 || f.sizes[list[2]] == 1 {
				t.Errorf("columns %v", list)
			}
			known[list] = true
		}
		if len(known) != v.want || len(of) != v.want {
			t.Errorf("%d lists, %d different ones, of at most %d with the effort %g", len(of), len(known), v.most, v.effort)
		}
	}
	if of := (&Fit{sizes: []int{2, 1, 3}}).lists(9); len(of) != 0 {
		t.Errorf("%v of two columns", of)
	}
}

// The number of last passes is proportional to the effort, for equal numbers of rows, pairs and triples of columns.
func TestNumberOfPasses(t *testing.T) {
	for _, v := range []struct {
		rows, pairs, triples int
		effort               float64
		want                 int
	}{{500_000, 0, 16, 1, 12}, {1_000_000, 6, 10, 1, 6}, {1_000_000, 6, 5, .5, 3}, {500_000, 12, 1, .25, 3}, {10_000_000, 1, 15, 1, 2}} {
		f := &Fit{pairs: make([]*factor, v.pairs), triples: &triples{of: make([]*factor, v.triples)}, number: particles{effort: v.effort}}
		if n := f.passes(v.rows); n != v.want {
			t.Errorf("%d passes over %d rows with %d pairs, %d triples and the effort %g; want %d", n, v.rows, v.pairs, v.triples, v.effort, v.want)
		}
	}
}

// If values nearly determine each other, the last passes replace whole rows: most of the values of two columns that the
// initial rows lack are restored.
func TestLastPassesMoveWholeRows(t *testing.T) {
	const n = 4_000
	random := rand.New(rand.NewPCG(17, 2))
	w := chain([]int{4, 4, 2}, n, 0, random)
	for i := range n {
		if w.rows[1][i] = w.rows[0][i]; random.IntN(50) == 0 {
			w.rows[1][i] = uint16(random.IntN(4))
		}
	}
	f, _ := fitted(t, w.problem(n, 5, random), Options{Seed: 1}, n)
	r := f.rows.resample(n, .5)
	count := func() (both int) {
		for i := range n {
			if r.column[0][i] == 3 && r.column[1][i] == 3 {
				both++
			}
		}
		return both
	}
	want := count()
	for i := range n {
		if r.column[0][i] == 3 && r.column[1][i] == 3 {
			r.column[0][i], r.column[1][i] = 0, 0
		}
	}
	if err := f.last(context.Background(), r, 12, 12); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rows of %d", count(), want)
	if got := count(); got < want*7/10 {
		t.Errorf("%d rows have the value in both columns, of %d", got, want)
	}
}

// The counts of single columns in the rows stay close to the estimated counts, even if noise makes the counts of pairs
// contradict them.
func TestLastPassesKeepColumns(t *testing.T) {
	const n = 4_000
	random := rand.New(rand.NewPCG(29, 1))
	f, made := fitted(t, chain([]int{4, 6, 5, 4, 6, 3, 5, 4, 6, 5}, n, .9, random).problem(n, 20, random), Options{Seed: 1}, n)
	off := 0.0
	for c, g := range f.ones {
		counts := make([]float64, f.sizes[c])
		for _, v := range made[c] {
			counts[v]++
		}
		for v, count := range counts {
			off += math.Abs(count-g.mean[v]) / float64(n*len(f.ones))
		}
	}
	t.Logf("the columns of the rows are %.5f off", off)
	if off > .0007 {
		t.Errorf("the columns of the rows are %.5f off, want at most .0007", off)
	}
}
