package class_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// For points in any order, Distinct returns records in ascending order with the costs that a map
// sums. It does not change the points.
func TestDistinct(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 300 {
		points := make([]class.Point[int], rng.IntN(12))
		sums := map[int][2]int64{}
		for i := range points {
			points[i] = class.Point[int]{X: rng.IntN(6), Cost: [2]int64{rng.Int64N(9) - 4, rng.Int64N(9) - 4}}
		}
		if rng.IntN(2) == 0 {
			slices.SortFunc(points, func(p, q class.Point[int]) int { return cmp.Compare(p.X, q.X) })
		}
		for _, pt := range points {
			sum := sums[pt.X]
			sums[pt.X] = [2]int64{sum[0] + pt.Cost[0], sum[1] + pt.Cost[1]}
		}
		before := slices.Clone(points)
		distinct := class.Distinct(points, cmp.Compare[int])
		var want []class.Point[int]
		for _, x := range slices.Sorted(maps.Keys(sums)) {
			want = append(want, class.Point[int]{X: x, Cost: sums[x]})
		}
		if !slices.Equal(distinct, want) {
			t.Errorf("%v become %v, not %v", before, distinct, want)
		}
		if !slices.Equal(points, before) {
			t.Errorf("%v have become %v", before, points)
		}
	}
}
