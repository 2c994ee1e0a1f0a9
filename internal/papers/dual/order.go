package dual

import "github.com/sibyl-dp/sibyl/class"

// mostAsked is the maximum number of points from which arrange computes the order of the attributes. If there are
// more points, arrange uses those of greatest weight.
const mostAsked = 512

// arrange returns the order in which the tree decides the attributes. The order affects only the time of a search.
// arrange is greedy: it repeatedly chooses the attribute whose decision determines the labels of points with the
// greatest total weight, averaged over the categories of the attribute. It assumes that the attributes chosen before
// have their categories in the incumbent, the record with which the search starts.
func (t *tree[H]) arrange() []int {
	x, known := make([]uint16, len(t.class.sizes)), make([]bool, len(t.class.sizes))
	open := make([]int, min(len(t.points), mostAsked))
	for i := range open {
		open[i] = i
	}
	ask := func(i int) bool {
		_, ok := class.PredictPartial(t.class.primal, t.points[i].h, x, known)
		return ok
	}
	order := make([]int, 0, len(x))
	for range x {
		best, most := -1, 0.0
		for j, n := range t.class.sizes {
			if known[j] {
				continue
			}
			settled := 0.0
			known[j] = true
			for category := range n {
				x[j] = uint16(category)
				for _, i := range open {
					if ask(i) {
						settled += float64(t.points[i].weight())
					}
				}
			}
			x[j], known[j] = 0, false
			if settled /= float64(n); best < 0 || settled > most {
				best, most = j, settled
			}
		}
		order = append(order, best)
		x[best], known[best] = t.incumbent[best], true
		left := open[:0]
		for _, i := range open {
			if !ask(i) {
				left = append(left, i)
			}
		}
		open = left
	}
	return order
}
