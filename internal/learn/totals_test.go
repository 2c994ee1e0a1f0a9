package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/matrix"
)

// Lists of several shapes, with noise of equal and of different variances, among them a list with one entry and a
// single list.
var listShapes = []struct {
	sizes     []int
	variances []float64
}{
	{[]int{4}, []float64{2}},
	{[]int{1, 2}, []float64{1, 1}},
	{[]int{2, 3, 5}, []float64{1, 1, 1}},
	{[]int{2, 3, 5}, []float64{8, 1, .25}},
	{[]int{1, 7, 2, 2}, []float64{3, .5, 40, 1}},
}

// changed returns equalTotals of the lists of the given sizes whose entries, one after the other, are values.
func changed(sizes []int, variances, values []float64) (entries []float64, total float64, after []float64) {
	entries = slices.Clone(values)
	lists, rest := [][]float64(nil), entries
	for _, n := range sizes {
		lists, rest = append(lists, rest[:n:n]), rest[n:]
	}
	total, after = equalTotals(lists, variances)
	return entries, total, after
}

// leastSquares returns the estimate of generalized least squares. Among all entries with equal totals, these have the
// smallest sum of squared differences from values, each divided by the variance of its list. Free parameters are the
// total and all entries but the first of each list.
func leastSquares(t *testing.T, sizes []int, variances, values []float64) []float64 {
	t.Helper()
	n := len(values)
	free := 1 + n - len(sizes)
	design := make([][]float64, n) // each entry as a linear function of the free parameters
	of, column, first := make([]int, n), 1, 0
	for j, size := range sizes {
		for k := range size {
			of[first+k], design[first+k] = j, make([]float64, free)
		}
		design[first][0] = 1
		for k := 1; k < size; k++ {
			design[first][column], design[first+k][column] = -1, 1
			column++
		}
		first += size
	}
	normal, right := matrix.New(free, free), make([]float64, free)
	for i := range n {
		for a := range free {
			right[a] += design[i][a] * values[i] / variances[of[i]]
		}
	}
	for a := range free {
		for b := range a + 1 {
			sum := 0.0
			for i := range n {
				sum += design[i][a] * design[i][b] / variances[of[i]]
			}
			normal.SetBoth(a, b, sum)
		}
	}
	parameters, _, ok := solve(normal, right)
	if !ok {
		t.Fatal("the equations are singular")
	}
	want := make([]float64, n)
	for i := range n {
		for a := range free {
			want[i] += design[i][a] * parameters[a]
		}
	}
	return want
}

// The result has equal totals and is the estimate of generalized least squares. The stated variance is that of the
// linear map from noise to errors. Sums with equal totals do not change.
func TestEqualTotals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for _, s := range listShapes {
		n := 0
		for _, size := range s.sizes {
			n += size
		}
		values := make([]float64, n)
		for i := range values {
			values[i] = 10 * rng.NormFloat64()
		}
		got, total, after := changed(s.sizes, s.variances, values)
		for i, want := range leastSquares(t, s.sizes, s.variances, values) {
			if math.Abs(got[i]-want) > 1e-9 {
				t.Errorf("%v: entry %d is %v; least squares gives %v", s, i, got[i], want)
			}
		}
		rest := got
		for _, size := range s.sizes {
			sum := 0.0
			for _, v := range rest[:size] {
				sum += v
			}
			if rest = rest[size:]; math.Abs(sum-total) > 1e-9 {
				t.Errorf("%v: a list has the total %v, not %v", s, sum, total)
			}
		}
		if again, _, _ := changed(s.sizes, s.variances, got); !close(again, got) {
			t.Errorf("%v: equal totals are changed from %v to %v", s, got, again)
		}
		errors := make([]float64, n)
		first := 0
		for j, size := range s.sizes {
			for k := range size {
				unit := make([]float64, n)
				unit[first+k] = 1
				column, _, _ := changed(s.sizes, s.variances, unit)
				for i, v := range column {
					errors[i] += v * v * s.variances[j]
				}
			}
			first += size
		}
		first = 0
		for j, size := range s.sizes {
			for k := range size {
				if math.Abs(errors[first+k]-after[j]) > 1e-9*errors[first+k] {
					t.Errorf("%v: entry %d of list %d has the variance %v, not %v", s, k, j, errors[first+k], after[j])
				}
			}
			first += size
		}
	}
}

func close(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
}
