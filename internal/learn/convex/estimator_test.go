package convex

import (
	"math"
	"slices"
	"testing"
)

// Smoothed returns the totals multiplied by the smoothing matrices, for tests. variance is the variance of the noise of
// a total.
func Smoothed(f *Features, totals []float64, variance float64) []float64 {
	m := &estimator{features: f, totals: totals, variance: variance}
	estimate := slices.Clone(totals)
	m.smooth(estimate)
	return estimate
}

// For an attribute with at least three columns, the estimate is its totals times a factor: the part of their squares
// that exceeds half of the expected squares of the noise of all steps so far, or 0 if there is no such part. The
// constant and attributes with fewer columns are not shrunk.
func TestShrinkage(t *testing.T) {
	f, err := NewFeatures(Reference, []int{3, 4, 2})
	if err != nil {
		t.Fatal(err)
	}
	m := &estimator{features: f, sigma2: 10, totals: make([]float64, f.columns)}
	for _, step := range []struct{ sums, want []float64 }{
		{[]float64{1, -1, 2, 3, -1, 2, 1}, []float64{1, -1, 2, 0, 0, 0, 1}},
		{[]float64{1, 2, -3, 5, 1, 6, 0}, []float64{2, 1, -1, 8 * (1 - 30./128), 0, 8 * (1 - 30./128), 1}},
		{[]float64{0, 0, 0, -8, 0, -8, -1}, []float64{2, 1, -1, 0, 0, 0, 0}},
	} {
		got := m.add(step.sums)
		for j, v := range got {
			if !(math.Abs(v-step.want[j]) < 1e-12) {
				t.Fatalf("the estimate is %v, not %v", got, step.want)
			}
		}
	}
}

// An attribute that is smoothed is shrunk as much as its totals show, and a category that is not ordered with it.
func TestShrinkageOfSmoothed(t *testing.T) {
	f, err := NewFeatures(OneHot, []int{9})
	if err != nil {
		t.Fatal(err)
	}
	if f, err = f.Ordered([]int{8}); err != nil {
		t.Fatal(err)
	}
	totals := []float64{0, -40, -30, -20, -10, 0, 10, 20, 30, 5}
	m := &estimator{features: f, sigma2: 100, totals: make([]float64, f.columns)}
	squares := 4425.0
	got, smoothed := m.add(totals), Smoothed(f, totals, 100)
	for j, v := range got {
		if want := smoothed[j] * (1 - 450/squares); math.Abs(v-want) > 1e-9 {
			t.Fatalf("estimate %d is %v, not %v", j, v, want)
		}
	}
}
