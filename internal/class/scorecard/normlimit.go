package scorecard

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A normLimit describes a limit on the squared norm of cards, together with charges: the costs that
// linear terms and Lagrange multipliers assign to points and norms. For each remaining norm, it
// computes the least charge of the undecided categories and of the norm.
type normLimit struct {
	norm    int          // R
	noTerms bool         // whether the problem has no terms
	costs   [][][]int64  // [attribute][category]: the charge of each contribution, from the least on; nil if all are 0
	least   []int64      // [s]: the charge of squared norm s
	lists   [][][]int    // [attribute][category]: the possible contributions
	order   []coordinate // the decisions in order
	// cheapest[i][r] is the least charge of the decisions from i on and of the norm, if their
	// contributions may use the remaining norm r, or the constant none if no contributions satisfy this.
	cheapest [][]int64
}

// none is the charge of points that the limit on the norm excludes. It exceeds every cost, and the
// sum of none and any cost fits into an int64.
const none = 1 << 62

func newNormLimit(c *Class, p class.Problem[[]uint16], costs [][][]int64) *normLimit {
	l := &normLimit{norm: c.options.Norm, noTerms: p.Terms == nil, costs: costs, least: c.normCosts(p.Terms), lists: c.levels}
	for s, cost := range l.least {
		l.least[s] = min(cost, none)
	}
	return l
}

// subtractMultipliers subtracts the Lagrange multipliers from the charges of points. This
// compensates for what the multipliers add to the costs of records.
func (l *normLimit) subtractMultipliers(records []record) {
	if l.costs == nil {
		for _, levels := range l.lists {
			var costs [][]int64
			for _, list := range levels {
				costs = append(costs, make([]int64, list[len(list)-1]-list[0]+1))
			}
			l.costs = append(l.costs, costs)
		}
	}
	for _, r := range records {
		for j, cat := range r.x {
			lo := l.lists[j][cat][0]
			for i := range l.costs[j][cat] {
				l.costs[j][cat][i] -= r.multiplier * int64(lo+i)
			}
		}
	}
}

// most returns the maximum charge of a squared norm that a card of the class has.
func (l *normLimit) most() int64 {
	most := int64(math.MinInt64)
	for _, cost := range l.least {
		if cost < none {
			most = max(most, cost)
		}
	}
	return most
}

// charge returns the charge (the cost by linear terms and Lagrange multipliers) for giving v points
// to category d.
func (l *normLimit) charge(d coordinate, v int) int64 {
	if l.costs == nil {
		return 0
	}
	return l.costs[d.attribute][d.category][v-l.lists[d.attribute][d.category][0]]
}

// withOrder returns a copy of the limit l on the norm for a tree that decides the categories in the
// given order.
func (l normLimit) withOrder(order []coordinate) *normLimit {
	l.order = order
	l.cheapest = make([][]int64, len(order)+1)
	last := slices.Clone(l.least)
	slices.Reverse(last)
	l.cheapest[len(order)] = last
	for i := len(order) - 1; i >= 0; i-- {
		l.cheapest[i] = l.prepend(make([]int64, l.norm+1), l.cheapest[i+1], order[i], func(v int) int64 { return l.charge(order[i], v) })
	}
	return &l
}

// prepend adds the decision about category d in front of a sequence of decisions. It computes the
// least charge of the longer sequence for each remaining squared norm n, and returns it as out[n].
// after[n] is the least charge of the given sequence, and cost(v) is the charge if d has v points.
func (l *normLimit) prepend(out, after []int64, d coordinate, cost func(v int) int64) []int64 {
	out = out[:len(after)]
	for r := range out {
		out[r] = none
	}
	for _, v := range l.lists[d.attribute][d.category] {
		if v*v >= len(out) {
			continue
		}
		own := cost(v)
		for r := v * v; r < len(out); r++ {
			if rest := after[r-v*v]; rest < none {
				out[r] = min(out[r], own+rest)
			}
		}
	}
	return out
}

// increase returns a function that maps a number of points v to the increase of the least charge of
// the undecided categories and of the norm, if category at is decided with v points. The parameter
// left is the squared norm that remains before this decision. The function decided reports which
// categories are decided.
func (l *normLimit) increase(at coordinate, left int, decided func(coordinate) bool) func(v int) int64 {
	rest := slices.Clone(l.least)
	slices.Reverse(rest)
	rest = rest[:left+1]
	spare := make([]int64, left+1)
	for j, levels := range l.lists {
		for cat := range levels {
			if d := (coordinate{j, cat}); d != at && !decided(d) {
				spare, rest = rest, l.prepend(spare, rest, d, func(v int) int64 { return l.charge(d, v) })
			}
		}
	}
	least := int64(none)
	cost := func(v int) int64 {
		if v*v > left || rest[left-v*v] == none {
			return none
		}
		return l.charge(at, v) + rest[left-v*v]
	}
	for _, v := range l.lists[at.attribute][at.category] {
		least = min(least, cost(v))
	}
	return func(v int) int64 { return min(cost(v)-least, none) }
}
