package loglinear

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/simplex"
)

// combine estimates the number of rows with each value of each column from the one-way marginals, of which a column
// may have several. Each count is weighted by the inverse of the variance of its noise. At the end, combine projects
// the estimates of each column to nonnegative counts whose sum is total.
func combine(sizes []int, total float64, marginals []Marginal) [][]float64 {
	ones, variances := make([][]float64, len(sizes)), make([][]float64, len(sizes))
	for c, k := range sizes {
		// The prior estimate: all counts are equal, and their standard deviation is the total.
		ones[c] = slices.Repeat([]float64{total / float64(k)}, k)
		variances[c] = slices.Repeat([]float64{max(1, float64(total*total))}, k)
	}
	for _, m := range marginals {
		if len(m.Axes) > 1 {
			continue
		}
		a := &m.Axes[0]
		ones, variances := ones[a.Column], variances[a.Column]
		known, spread := sums(*a, ones), sums(*a, variances)
		for v := range ones {
			k := a.Cell(v)
			gain := variances[v] / (spread[k] + m.variance(k) + least)
			ones[v] += float64((m.Counts[k] - known[k]) * gain)
			variances[v] = max(variances[v]-float64(variances[v]*gain), least)
		}
	}
	for c := range ones {
		ones[c] = simplex.Project(ones[c], total)
	}
	return ones
}

// least is the minimum variance that combine assumes, which prevents a division by 0.
const least = 1e-9
