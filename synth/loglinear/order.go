package loglinear

import (
	"cmp"
	"slices"
)

// descending returns places, those of the largest numbers first.
func descending(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[b], x[a]) })
	return order
}
