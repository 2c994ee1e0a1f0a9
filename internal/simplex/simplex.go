// Package simplex projects a vector of noisy counts onto the set of non-negative vectors with a
// given sum.
package simplex

import "slices"

// Project returns the non-negative vector with the given sum (total) that is nearest to counts in
// Euclidean distance. If total is not positive, it returns a vector of zeros. It takes O(n log n)
// time for n counts.
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
