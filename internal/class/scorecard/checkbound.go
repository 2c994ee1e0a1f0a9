package scorecard

import "math"

// Bound returns a lower bound on the cost of every card below the node: the
// penalties and terms that are certain, and the cost of the groups. After the
// last of levels 1 to 4 of the tree it is the exact cost.
func (k *checker) Bound() int64 {
	k.join(math.MaxInt64)
	n := k.node()
	if k.question().ask == askStep {
		return n.fixed + n.apart
	}
	return n.fixed + k.together()
}

// Reaches tells whether Bound is at least cost. It may know that before the curves
// of all groups are made.
func (k *checker) Reaches(cost int64) bool {
	return k.question().ask == askStep && k.join(cost) || k.Bound() >= cost
}

// join makes the curves of the groups that the step before the node changes, unless
// the bound reaches a cost before, which it reports.
func (k *checker) join(cost int64) (reached bool) {
	n := k.node()
	if n.joined {
		return false
	}
	apart := k.nodes[k.depth-1].apart
	for _, j := range k.groups.joins[k.depth-1] {
		if apart += k.groups.join(j, n.value); n.fixed+apart >= cost {
			return true
		}
	}
	n.apart, n.joined = apart, true
	return false
}

// together bounds the cost of the groups when the steps are done: the sum of
// the offsets of all attributes but the last is the same for all. Given that sum,
// the records with every category decided ask for the last attribute's offset,
// and those of each of its other categories for that category's points.
func (k *checker) together() int64 {
	last := &k.attrs[k.plan.last]
	from, to := last.offsets()
	lo, hi := k.total()
	costs := make([]int64, hi-lo+1)
	for i := range costs {
		costs[i] = math.MaxInt64
		for v := from; v <= to; v++ {
			costs[i] = min(costs[i], k.groups.at(k.groups.closed, lo+i+v))
		}
	}
	for _, cat := range k.plan.free[k.plan.last] {
		values := []int{last.diff[cat] + last.offset}
		if !last.set[cat] {
			values = last.contributions(cat)
		}
		var term map[int]int64
		if k.terms != nil {
			term = k.terms[k.plan.last][cat]
		}
		for i := range costs {
			least := int64(math.MaxInt64)
			for _, v := range values {
				least = min(least, k.groups.at(k.groups.open[cat], lo+i+v)+term[v])
			}
			costs[i] += least
		}
	}
	least := costs[0]
	for _, cost := range costs {
		least = min(least, cost)
	}
	return least
}

// total returns the range of the sum of the offsets of all attributes but the last.
func (k *checker) total() (lo, hi int) {
	if n := k.node(); k.question().ask > askSum {
		return n.total.value, n.total.value
	}
	for _, j := range k.others {
		l, h := k.attrs[j].offsets()
		lo, hi = lo+l, hi+h
	}
	return lo, hi
}
