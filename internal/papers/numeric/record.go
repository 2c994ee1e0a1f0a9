package numeric

import (
	"cmp"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A record is a distinct record x of an optimization problem, with the difference d of the costs of predicting 1 and
// 0.
type record struct {
	x []int64
	d int64 // the cost of predicting 1 minus that of predicting 0; not 0
}

// collapse merges points with equal records, and omits records whose two predictions have the same cost. It sorts the
// records by decreasing absolute value of their cost difference d. The result base is the cost of predicting 0 on all
// points.
func collapse(points []class.Point[[]int64]) (records []record, base int64) {
	for _, pt := range class.Distinct(points, slices.Compare) {
		base += pt.Cost[0]
		if d := pt.Cost[1] - pt.Cost[0]; d != 0 {
			records = append(records, record{pt.X, d})
		}
	}
	slices.SortStableFunc(records, func(p, q record) int { return cmp.Compare(max(q.d, -q.d), max(p.d, -p.d)) })
	return records, base
}
