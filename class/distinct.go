package class

import (
	"slices"
	"sort"
)

// Distinct returns the points sorted by record. Points with equal records become one point, whose
// costs are the sums of their costs. If the points are sorted already, like the points of a table,
// Distinct takes one pass. Otherwise it sorts a copy. It does not change its argument.
func Distinct[X any](points []Point[X], compare func(a, b X) int) []Point[X] {
	byRecord := func(p, q Point[X]) int { return compare(p.X, q.X) }
	if !slices.IsSortedFunc(points, byRecord) {
		points = slices.Clone(points)
		// The compiler compiles slices.SortFunc again for each type of records, but sort.Slice only once.
		sort.Slice(points, func(i, j int) bool { return byRecord(points[i], points[j]) < 0 })
	}
	distinct := make([]Point[X], 0, len(points))
	for _, pt := range points {
		if n := len(distinct); n > 0 && compare(distinct[n-1].X, pt.X) == 0 {
			distinct[n-1].Cost[0] += pt.Cost[0]
			distinct[n-1].Cost[1] += pt.Cost[1]
		} else {
			distinct = append(distinct, pt)
		}
	}
	return distinct
}
