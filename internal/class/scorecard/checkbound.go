package scorecard

import "math"

// Bound returns a lower bound on the cost of every card below the node. It adds the penalties and
// terms that are certain to lower bounds on the costs of the groups of records. The bound is the
// exact cost once all categories of the last attribute are decided (level 4 in the comment of
// tree).
func (k *checker) Bound() int64 {
	k.computeCurves(math.MaxInt64)
	n := k.node()
	if k.decision().kind == decideStep {
		return n.fixed + n.groupSum
	}
	return n.fixed + k.jointBound()
}

// Reaches reports whether Bound is at least the given cost. To save time, it stops as soon as the
// curves of some groups show this.
func (k *checker) Reaches(cost int64) bool {
	return k.decision().kind == decideStep && k.computeCurves(cost) || k.Bound() >= cost
}

// computeCurves computes the curves of those groups of records that the step to this node changes.
// If the lower bound reaches the given cost before all curves are computed, it stops early and
// returns true.
func (k *checker) computeCurves(cost int64) (reached bool) {
	n := k.node()
	if n.hasCurves {
		return false
	}
	groupSum := k.nodes[k.depth-1].groupSum
	for _, j := range k.groups.merges[k.depth-1] {
		if groupSum += k.groups.computeCurve(j, n.value); n.fixed+groupSum >= cost {
			return true
		}
	}
	n.groupSum, n.hasCurves = groupSum, true
	return false
}

// jointBound returns a lower bound on the cost of all records together at a node after the steps.
// Let O be the sum of the offsets of all attributes but the last, which adds O points to every
// record. Given O,
//
//   - the cost of the records with every category decided depends only on the offset of the last
//     attribute;
//   - the cost of the records with an undecided category of the last attribute depends only on the
//     points of that category.
//
// For each O, jointBound minimizes these costs independently of each other and adds the minima. It
// returns the least of these sums over all O.
func (k *checker) jointBound() int64 {
	last := &k.attrs[k.plan.last]
	from, to := last.offsets()
	lo, hi := k.sumRange()
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

// sumRange returns the range lo..hi that the sum of the offsets of all attributes except the last
// may have below the current node.
func (k *checker) sumRange() (lo, hi int) {
	if n := k.node(); k.decision().kind > decideSum {
		return n.total.value, n.total.value
	}
	for _, j := range k.others {
		l, h := k.attrs[j].offsets()
		lo, hi = lo+l, hi+h
	}
	return lo, hi
}
