package audit_test

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
)

// The output distribution of PRSMA equals the formula, averaged over all partitions into parts, and neighbours
// satisfy the (ε, δ) of the plan. The test covers skewed tables, tables with null records, parts of several rows,
// and remaining rows. Plans have several thresholds, numbers of parts and numbers of runs, and some partition the
// table by groups.
func TestPRSMASweep(t *testing.T) {
	// For a perfect run, the probability of outcome 1 increases with each row of kind 1 by a factor below e^0.33.
	perfect := []uint64{300, 400, 500, 600}
	fails := map[string]func(ones int, w [2]uint64) [2]uint64{
		"never":         func(_ int, w [2]uint64) [2]uint64 { return w },
		"on the record": func(ones int, w [2]uint64) [2]uint64 { return [2]uint64{w[0] >> ones, w[1] >> ones} },
		"hiding": func(ones int, w [2]uint64) [2]uint64 {
			if ones == 0 {
				w[1] = 0
			}
			return w
		},
		"of one answer": func(ones int, _ [2]uint64) [2]uint64 { return [2]uint64{1000 - 400*uint64(min(ones, 1)), 0} },
	}
	for _, w := range []struct {
		rows      int64
		parts     int
		runs      int64
		threshold int
		test      string
		groups    int
		tables    [][2]int64 // rows of kind 0 and 1; all others are null
		fails     string
		full      bool // in the full form only
	}{
		{5, 3, 1, 3, "2", 1, [][2]int64{{4, 1}, {5, 0}, {4, 0}, {0, 5}}, "on the record", false},
		{6, 3, 1, 3, "3", 2, [][2]int64{{5, 1}, {6, 0}, {5, 0}, {3, 2}}, "never", false},
		{5, 4, 1, 4, "2", 2, [][2]int64{{3, 1}, {4, 0}, {3, 0}}, "hiding", false},
		{4, 3, 2, 3, "2", 1, [][2]int64{{2, 1}, {3, 0}, {1, 3}}, "on the record", false},
		{7, 3, 6, 2, "4", 2, [][2]int64{{6, 1}, {7, 0}, {5, 0}, {5, 1}}, "of one answer", false},
		{7, 3, 1, 3, "2", 2, [][2]int64{{6, 1}, {7, 0}, {3, 4}, {3, 3}, {1, 1}, {1, 0}, {0, 0}}, "on the record", true},
		{10, 3, 1, 3, "3", 1, [][2]int64{{9, 1}, {10, 0}, {0, 10}, {0, 9}}, "hiding", true},
	} {
		if w.full && !heavy.On() {
			continue
		}
		plan := threeParts(t, w.runs)
		plan.Rows, plan.Parts, plan.Threshold = w.rows, w.parts, w.threshold
		plan.TestEpsilon = privacytest.Decimal(t, w.test)
		plan.LogRatio, plan.BaseEpsilon = privacytest.Decimal(t, "1"), privacytest.Decimal(t, "0.33")
		epsilon, delta := boundsOf(t, plan)
		weights := func(ones int) [2]uint64 {
			return fails[w.fails](ones, [2]uint64{1000 - perfect[ones], perfect[ones]})
		}
		m, err := robust.NewPRSMA(blind{plan.BaseEpsilon, func(d []learn.Example[int]) ([2]uint64, uint64) {
			ones := 0
			for _, e := range d {
				ones += e.X * int(e.Count)
			}
			return weights(ones), 1000
		}}, plan)
		if err != nil {
			t.Fatal(err)
		}
		if w.groups > 1 {
			m.Grouping = robust.Grouping[int]{Groups: w.groups, Of: func(x int, _ bool) int { return x }}
		}
		var runs []runLaw
		for ones := range perfect {
			of := weights(ones)
			runs = append(runs, runLaw{1, []float64{float64(of[0]) / 1000, float64(of[1]) / 1000}})
		}
		laws := make([]audit.Law[robust.Answer[int]], len(w.tables))
		for i, counts := range w.tables {
			var d []learn.Example[int]
			for x, n := range counts {
				if n > 0 {
					d = append(d, learn.Example[int]{X: x, Count: n})
				}
			}
			laws[i] = audit.LawOf(t, func(coins noise.Coins) robust.Answer[int] {
				a, err := m.Release(context.Background(), d, coins)
				if err != nil {
					t.Fatal(err)
				}
				return a
			}, audit.InFull(1e-6, 1e-7))
			tail := laws[i].Tail()
			for x, want := range overPartitions(shapeOf(plan), runs, int(counts[1]), int(w.rows), w.parts) {
				a := robust.Answer[int]{Hypothesis: x, OK: true}
				if x == 2 {
					a = robust.Answer[int]{}
				}
				if lo, hi := laws[i].Bounds(a); want < lo-1e-9 || want > hi+1e-9 || tail > 0.01 {
					t.Errorf("%+v, %v: output %v: the formula gives the probability %g, enumeration %g to %g", plan, counts, a, want, lo, hi)
				}
			}
			for j, other := range w.tables[:i] {
				zeros, ones := counts[0]-other[0], counts[1]-other[1]
				if max(zeros, -zeros) > 1 || max(ones, -ones) > 1 || zeros*ones > 0 {
					continue
				}
				lo, hi := audit.Excess(laws[i], laws[j], epsilon)
				t.Logf("%d rows, %d parts, %s: %v and %v: %.4f of δ = %.4f", w.rows, w.parts, w.fails, counts, other, hi/delta, delta)
				if lo > delta {
					t.Errorf("%+v: tables %v and %v exceed (%g, %g): δ is at least %g", plan, counts, other, epsilon, delta, lo)
				}
			}
		}
	}
}
