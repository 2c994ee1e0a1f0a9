package loglinear

import (
	"slices"

	"github.com/sibyl-dp/sibyl/simplex"
)

// combine estimates how many rows have each value of each column: from the marginal of
// the column and from the sums of those of more columns, each by its variance, projected
// to what rows can have.
func combine(sizes []int, total float64, marginals []Marginal) [][]float64 {
	ones, variances := make([][]float64, len(sizes)), make([][]float64, len(sizes))
	for c, k := range sizes {
		// Nothing is known yet: any share of the rows.
		ones[c] = slices.Repeat([]float64{total / float64(k)}, k)
		variances[c] = slices.Repeat([]float64{max(1, float64(total*total))}, k)
	}
	// Finer ones first: a sum says of values that it puts together only how many they
	// have in all.
	ordered := slices.Clone(marginals)
	slices.SortStableFunc(ordered, func(a, b Marginal) int { return len(a.Axes) - len(b.Axes) })
	for _, m := range ordered {
		f := newFactor(m.Axes)
		for i := range m.Axes {
			a := &m.Axes[i]
			seen, noise := make([]float64, a.Size), make([]float64, a.Size)
			for k, y := range m.Counts {
				at := k / f.strides[i] % a.Size
				seen[at] += y
				noise[at] += m.variance(k)
			}
			ones, variances := ones[a.Column], variances[a.Column]
			known, spread := sums(*a, ones), sums(*a, variances)
			for v := range ones {
				k := a.Cell(v)
				gain := variances[v] / (spread[k] + noise[k] + least)
				ones[v] += float64((seen[k] - known[k]) * gain)
				variances[v] = max(variances[v]-float64(variances[v]*gain), least)
			}
		}
	}
	for c := range ones {
		ones[c] = simplex.Project(ones[c], total)
	}
	return ones
}

// least keeps variances above 0.
const least = 1e-9
