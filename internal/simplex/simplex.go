// Package simplex brings noisy counts to what counts can be.
package simplex

import "slices"

// Project returns the point next to the counts, by Euclidean distance, that has no negative
// coordinate and has that total; zeros where the total is not above 0. It takes the time of
// a sort.
func Project(counts []float64, total float64) []float64 {
	out := make([]float64, len(counts))
	if len(counts) == 0 || total <= 0 {
		return out
	}
	sorted := slices.Clone(counts)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	sum, less := 0.0, 0.0
	for i, c := range sorted {
		sum += c
		l := (sum - total) / float64(i+1)
		if c <= l {
			break
		}
		less = l
	}
	for i, c := range counts {
		out[i] = max(0, c-less)
	}
	return out
}
