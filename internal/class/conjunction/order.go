package conjunction

import (
	"cmp"
	"slices"
)

// chooseOrder returns the order in which the search tree decides the axes. The weight of a test is
// the sum of the absolute cost differences of the records that remain live under it. The axes are
// sorted by the greatest weight of their tests, least first. So the first decisions leave little
// weight undecided, and lower bounds increase already near the root. The axes whose tests leave
// most records live come last, where few patterns remain.
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
