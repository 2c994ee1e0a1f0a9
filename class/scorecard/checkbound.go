package scorecard

import (
	"maps"
	"math"
	"slices"
)

// Bound returns a lower bound on the cost of every card below the node: the
// penalties and terms that are certain, and the cost of the groups. After the
// last of levels 1 to 4 of the tree it is the exact cost.
func (k *checker) Bound() int64 {
	fixed := k.base + int64(k.certain())*k.penalty + k.certainTerms()
	if k.question().ask == askStep {
		return fixed + k.apart()
	}
	return fixed + k.together()
}

// certainTerms returns the terms of the decided categories, and the least ones
// of those still open but for the ones that together looks at.
func (k *checker) certainTerms() int64 {
	sum := int64(0)
	for j := range k.terms {
		attr := k.node().attrs[j]
		for cat, cost := range k.terms[j] {
			switch {
			case attr.set[cat]:
				sum += cost[attr.diff[cat]]
			case j != k.plan.last || k.question().ask == askStep:
				sum += slices.Min(slices.Collect(maps.Values(cost)))
			}
		}
	}
	return sum
}

// apart bounds the cost of the groups, each with the best further points it
// can get: the offsets of the attributes whose category is decided, and anything
// that an attribute may still contribute to a category that is not.
func (k *checker) apart() int64 {
	n := k.node()
	further := make([][][]int, len(n.attrs)) // by attribute and category
	offsets := make([][2]int, len(n.attrs))
	for j, attr := range n.attrs {
		for cat, set := range attr.set {
			var values []int
			if !set {
				values = attr.contributions(cat)
			}
			further[j] = append(further[j], values)
		}
		offsets[j][0], offsets[j][1] = attr.offsets()
	}
	sum := int64(0)
	var costs []int64
	for _, g := range n.groups {
		lo, hi := 0, 0
		var gaps [][]int // contributions that are no interval
		for j := range n.attrs {
			l, h := offsets[j][0], offsets[j][1]
			if cat := g.undecided(j); cat != blank {
				values := further[j][cat]
				l, h = values[0], values[len(values)-1]
				if h-l != len(values)-1 {
					gaps = append(gaps, values)
				}
			}
			lo, hi = lo+l, hi+h
		}
		costs = g.costs(costs[:0], lo, hi, k.class.options.Threshold)
		for _, values := range gaps {
			costs = leastOver(costs, values)
		}
		sum += slices.Min(costs)
	}
	return sum
}

// leastOver replaces costs of totals, consecutive ones, by the least of each
// total plus one of the values, from the total on to which the least value
// adds nothing. Without gaps among the values that changes no least cost.
func leastOver(costs []int64, values []int) []int64 {
	width := values[len(values)-1] - values[0]
	for i := range len(costs) - width {
		least := costs[i]
		for _, v := range values {
			least = min(least, costs[i+v-values[0]])
		}
		costs[i] = least
	}
	return costs[:len(costs)-width]
}

// together bounds the cost of the groups when the steps are done: the sum of
// the offsets of all attributes but the last is the same for all. Given that sum,
// the records with every category decided ask for the last attribute's offset,
// and those of each of its undecided categories for that category's points.
func (k *checker) together() int64 {
	n := k.node()
	last := n.attrs[k.plan.last]
	groups := map[int]group{}
	for _, g := range n.groups {
		groups[g.undecided(k.plan.last)] = g
	}
	lo, hi := k.total()
	costs := make([]int64, hi-lo+1)
	// add adds the least cost of a group that gets the sum and one of the values.
	add := func(g group, values []int, term map[int]int64) {
		first := lo + values[0]
		at := g.costs(nil, first, hi+values[len(values)-1], k.class.options.Threshold)
		for i := range costs {
			least := int64(math.MaxInt64)
			for _, v := range values {
				least = min(least, at[lo+i+v-first]+term[v])
			}
			costs[i] += least
		}
	}
	from, to := last.offsets()
	var offsets []int
	for v := from; v <= to; v++ {
		offsets = append(offsets, v)
	}
	add(groups[blank], offsets, nil)
	for cat, set := range last.set {
		if set {
			continue
		}
		var term map[int]int64
		if k.terms != nil {
			term = k.terms[k.plan.last][cat]
		}
		add(groups[cat], last.contributions(cat), term)
	}
	return slices.Min(costs)
}

// total returns the range of the sum of the offsets of all attributes but the last.
func (k *checker) total() (lo, hi int) {
	n := k.node()
	if k.question().ask > askSum {
		return n.total.value, n.total.value
	}
	for _, j := range k.others {
		l, h := n.attrs[j].offsets()
		lo, hi = lo+l, hi+h
	}
	return lo, hi
}
