package conjunction

import (
	"cmp"
	"slices"
)

// chooseOrder returns the order in which the tree decides the axes. The weight of a test is Σ|d| over the records
// that remain live under the test. The axes are sorted by the greatest weight of their tests, least first. So the
// first decisions leave little weight undecided, and lower bounds increase already near the root of the search tree.
// The axes whose tests leave most records live come last, where few patterns are left.
func (c *Class) chooseOrder(r records) []int {
	largest := make([]int64, len(c.axes))
	order := make([]int, len(c.axes))
	for j, x := range c.axes {
		order[j] = j
		weight := make([]int64, x.atoms)
		for i, a := range r.atoms[j] {
			weight[a] += max(r.d[i], -r.d[i])
		}
		for _, test := range x.tests {
			accepted := int64(0)
			for _, a := range test {
				accepted += weight[a]
			}
			largest[j] = max(largest[j], accepted)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(largest[i], largest[j]) })
	return order
}
