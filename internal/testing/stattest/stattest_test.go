package stattest

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSharesKeepBudget(t *testing.T) {
	var sum float64
	for site, s := range shares {
		if s.alpha <= 0 || s.tests <= 0 {
			t.Errorf("%s: empty share", site)
		}
		sum += s.alpha
	}
	if sum > Budget {
		t.Errorf("shares sum to %g, budget %g", sum, Budget)
	}
}

// The exact probability that the p-value is at most α never exceeds α. The test enumerates all outcomes of n samples, for
// distributions with rare cells, for which the chi-square approximation fails.
func TestPValueIsConservative(t *testing.T) {
	for _, mass := range [][]float64{{.5, .5}, {.999, .001}, {.3, .3, .4}, {.98, .015, .005}, {.25, .25, .25, .25}} {
		const n = 30
		chance := map[float64]float64{} // exact probability of each p-value
		var visit func(i, left int, logP float64, counts []int)
		visit = func(i, left int, logP float64, counts []int) {
			if i == len(mass)-1 {
				counts[i] = left
				lg, _ := math.Lgamma(float64(left + 1))
				chance[PValue(counts, mass)] += math.Exp(logP + float64(left)*math.Log(mass[i]) - lg)
				return
			}
			for c := 0; c <= left; c++ {
				counts[i] = c
				lg, _ := math.Lgamma(float64(c + 1))
				visit(i+1, left-c, logP+float64(c)*math.Log(mass[i])-lg, counts)
			}
		}
		lg, _ := math.Lgamma(n + 1)
		visit(0, n, lg, make([]int, len(mass)))
		for alpha := range chance {
			var size float64
			for p, prob := range chance {
				if p <= alpha {
					size += prob
				}
			}
			if size > alpha*(1+1e-9) && alpha < 1 {
				t.Fatalf("mass %v: P(p ≤ %g) = %g", mass, alpha, size)
			}
		}
	}
}

// The bound on the tail is at least the exact tail, and it is small where the exact tail is very small.
func TestAtMostIsConservative(t *testing.T) {
	for _, p := range []float64{.01, .05, .3, .9} {
		const n = 40
		exact := 0.0
		for hits := n; hits >= 0; hits-- {
			lg, _ := math.Lgamma(n + 1)
			l1, _ := math.Lgamma(float64(hits) + 1)
			l2, _ := math.Lgamma(float64(n-hits) + 1)
			exact += math.Exp(lg - l1 - l2 + float64(hits)*math.Log(p) + float64(n-hits)*math.Log1p(-p))
			if bound := exceed(hits, n, p); bound < exact*(1-1e-9) || exact < 1e-9 && bound > 1e-4 {
				t.Errorf("p = %g, %d hits of %d: bound %g, exact %g", p, hits, n, bound, exact)
			}
		}
	}
	tb := &fake{TB: t}
	f := Open(t, "learn/box")
	f.AtMost(tb, 60, 1000, .05)
	f.AtMost(tb, 120, 1000, .05)
	if tb.errors != 1 {
		t.Errorf("%d of two counts are refused", tb.errors)
	}
}

func TestPValueFires(t *testing.T) {
	// 10^6 rolls of a die whose six is 2% too frequent.
	mass := []float64{1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6}
	counts := make([]int, 6)
	r := rand.New(rand.NewPCG(1, 2))
	for range 1_000_000 {
		face := r.IntN(6)
		if face < 5 && r.IntN(250) == 0 {
			face = 5
		}
		counts[face]++
	}
	if p := PValue(counts, mass); p > 1e-9 {
		t.Errorf("loaded die passes: p ≤ %g", p)
	}
	if p := PValue([]int{499, 500, 1}, []float64{.5, .5, 0}); p != 0 {
		t.Errorf("draw outside the support: p ≤ %g", p)
	}
	if p := PValue([]int{500, 500}, []float64{.5, .5}); p != 1 {
		t.Errorf("perfect fit: p ≤ %g", p)
	}
}

// fake records the failures that a family raises.
type fake struct {
	testing.TB
	errors, fatals int
}

func (f *fake) Helper()               {}
func (f *fake) Errorf(string, ...any) { f.errors++ }
func (f *fake) Fatal(...any)          { f.fatals++ }

func TestFamilySpendsItsShare(t *testing.T) {
	s := shares["noise"]
	f, tb := Open(t, "noise"), &fake{TB: t}
	if got := f.Alpha() * float64(s.tests); math.Abs(got-s.alpha) > 1e-20 {
		t.Errorf("tests spend %g of %g", got, s.alpha)
	}
	for range s.tests {
		f.Fit(tb, []int{100, 0}, []float64{.5, .5})
	}
	if tb.errors != s.tests || tb.fatals != 0 {
		t.Errorf("%d errors and %d refusals in %d tests", tb.errors, tb.fatals, s.tests)
	}
	if f.Fit(tb, []int{1, 1}, []float64{.5, .5}); tb.fatals != 1 {
		t.Error("one test too many was not refused")
	}
}
