package numeric

import (
	"maps"
	"slices"
)

// attained returns the squared norms that occur among the halfspaces of the class, without repetitions, in
// ascending order.
func (c *Class) attained() []int64 {
	type sum struct {
		uses int
		norm int64
	}
	sums := map[sum]bool{{}: true}
	for _, col := range c.columns {
		longer := map[sum]bool{}
		for s := range sums {
			for _, w := range col.Weights {
				next := sum{s.uses, s.norm + w*w}
				if w != 0 && c.most() < len(c.columns) {
					next.uses++
				}
				if next.norm <= c.norm() && next.uses <= c.most() {
					longer[next] = true
				}
			}
		}
		sums = longer
	}
	norms := map[int64]bool{}
	for s := range sums {
		norms[s.norm] = true
	}
	return slices.Sorted(maps.Keys(norms))
}
