package scorecard

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A normLimit is a limit on the squared norm of cards, with what terms and
// multipliers charge points and norms. From these it knows, for each norm that is
// left, what the undecided categories and the norm are charged at least.
type normLimit struct {
	norm  int         // R
	plain bool        // no terms
	costs [][][]int64 // of each category: what terms charge each contribution, nil without
	least []int64     // of each squared norm: what it is charged
	lists [][][]int   // of each category, its possible contributions
	order []place     // the decisions
	// cheapest[i][r] is the least charge of the decisions from i on, and of the
	// norm, when r of the norm is left: none where no contributions have it.
	cheapest [][]int64
}

// none is a charge of what cannot be: above all costs, and twice it with a cost
// is in range.
const none = 1 << 62

func newNormLimit(c *Class, p class.Problem[[]uint16], costs [][][]int64) *normLimit {
	l := &normLimit{norm: c.options.Norm, plain: p.Terms == nil, costs: costs, least: c.normCosts(p.Terms), lists: c.levels}
	for s, cost := range l.least {
		l.least[s] = min(cost, none)
	}
	return l
}

// move takes what the multipliers of the records add off the charges.
func (l *normLimit) move(records []record) {
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

// most returns the greatest charge of a norm.
func (l *normLimit) most() int64 {
	most := int64(math.MinInt64)
	for _, cost := range l.least {
		if cost < none {
			most = max(most, cost)
		}
	}
	return most
}

// charge returns what the i-th contribution of a category is charged.
func (l *normLimit) charge(d place, v int) int64 {
	if l.costs == nil {
		return 0
	}
	return l.costs[d.attribute][d.category][v-l.lists[d.attribute][d.category][0]]
}

// along returns the limit for an order of the decisions.
func (l normLimit) along(order []place) *normLimit {
	l.order = order
	l.cheapest = make([][]int64, len(order)+1)
	last := slices.Clone(l.least)
	slices.Reverse(last)
	l.cheapest[len(order)] = last
	for i := len(order) - 1; i >= 0; i-- {
		l.cheapest[i] = l.before(make([]int64, l.norm+1), l.cheapest[i+1], order[i], func(v int) int64 { return l.charge(order[i], v) })
	}
	return &l
}

// before fills in and returns the least charges with one decision more, at the
// given costs, for as much norm left as those after it are known for.
func (l *normLimit) before(out, after []int64, d place, cost func(v int) int64) []int64 {
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

// raised returns by how much a decision for a contribution raises the least
// charge of what is undecided, when so much of the norm is left.
func (l *normLimit) raised(at place, left int, decided func(place) bool) func(v int) int64 {
	rest := slices.Clone(l.least)
	slices.Reverse(rest)
	rest = rest[:left+1]
	spare := make([]int64, left+1)
	for j, levels := range l.lists {
		for cat := range levels {
			if d := (place{j, cat}); d != at && !decided(d) {
				spare, rest = rest, l.before(spare, rest, d, func(v int) int64 { return l.charge(d, v) })
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
