package scorecard

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A ball is what the tree of a class with a limit on the norm has beside its
// program: what the categories left to decide, and the norm, are charged at
// least, for every norm that is left.
//
// The levels of such a tree, from the root: one for each step; one for each
// category of the last attribute that no step decided, from where the cost of
// the best completion of a node is known; one for each other category.
type ball struct {
	norm  int
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

func newBall(c *Class, p class.Problem[[]uint16], costs [][][]int64) *ball {
	b := &ball{norm: c.options.Norm, plain: p.Terms == nil, costs: costs, least: c.normCosts(p.Terms)}
	for s, cost := range b.least {
		b.least[s] = min(cost, none)
	}
	for _, a := range c.attributes {
		var levels [][]int
		for cat := range a.categories {
			levels = append(levels, a.levels(cat))
		}
		b.lists = append(b.lists, levels)
	}
	return b
}

// mostMultiplier is the greatest sum of absolute multipliers: times 2^12 points
// and some attributes, it leaves room for all costs. A plan holds them as ints.
const mostMultiplier = min(1<<44, math.MaxInt)

// tilt gives the records multipliers, and takes what these add off the charges;
// none where they would not fit the cells along with costs of that spread. Those
// best at the root are worse below it, where less of the norm is left, so they
// are made for half of it.
func (t *tree[T]) tilt(records []record, spread int64) {
	root := &builder[T]{axes: t.axes, norm: t.ball.norm}
	deep := &builder[T]{axes: t.axes, norm: max(1, t.ball.norm/2)}
	var reaches []reach
	widest := 0
	for _, r := range records {
		all := root.reach(r.x)
		lo, n := root.totals(all)
		widest = max(widest, -lo, lo+int(n)-1)
		lo, n = deep.totals(all)
		reaches = append(reaches, reach{lo, lo + int(n) - 1, all.open})
	}
	found := t.ball.multipliers(records, reaches, t.class.options.Threshold, t.rootSum, t.incumbentCost)
	room := min((int64(pad[T]()/4)-spread)/int64(max(widest, 1)), mostMultiplier)
	for _, m := range found {
		room -= min(max(m, -m), mostMultiplier)
	}
	if room < 0 {
		clear(found)
	}
	for i, m := range found {
		records[i].multiplier = m
		t.multipliers = append(t.multipliers, int(m))
	}
	t.ball.move(records)
	if t.terms == nil {
		t.terms = t.ball.costs
	}
}

// move takes what the multipliers of the records add off the charges.
func (b *ball) move(records []record) {
	if b.costs == nil {
		for _, levels := range b.lists {
			var costs [][]int64
			for _, list := range levels {
				costs = append(costs, make([]int64, list[len(list)-1]-list[0]+1))
			}
			b.costs = append(b.costs, costs)
		}
	}
	for _, r := range records {
		for j, cat := range r.x {
			lo := b.lists[j][cat][0]
			for i := range b.costs[j][cat] {
				b.costs[j][cat][i] -= r.multiplier * int64(lo+i)
			}
		}
	}
}

// most returns the greatest charge of a norm.
func (b *ball) most() int64 {
	most := int64(math.MinInt64)
	for _, cost := range b.least {
		if cost < none {
			most = max(most, cost)
		}
	}
	return most
}

// charge returns what the i-th contribution of a category is charged.
func (b *ball) charge(d place, v int) int64 {
	if b.costs == nil {
		return 0
	}
	return b.costs[d.attribute][d.category][v-b.lists[d.attribute][d.category][0]]
}

// along returns the ball for an order of the decisions.
func (b ball) along(order []place) *ball {
	b.order = order
	b.cheapest = make([][]int64, len(order)+1)
	last := slices.Clone(b.least)
	slices.Reverse(last)
	b.cheapest[len(order)] = last
	for i := len(order) - 1; i >= 0; i-- {
		b.cheapest[i] = b.before(make([]int64, b.norm+1), b.cheapest[i+1], order[i], func(v int) int64 { return b.charge(order[i], v) })
	}
	return &b
}

// before fills in and returns the least charges with one decision more, at the
// given costs, for as much norm left as those after it are known for.
func (b *ball) before(out, after []int64, d place, cost func(v int) int64) []int64 {
	out = out[:len(after)]
	for r := range out {
		out[r] = none
	}
	for _, v := range b.lists[d.attribute][d.category] {
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
func (b *ball) raised(at place, left int, decided func(place) bool) func(v int) int64 {
	rest := slices.Clone(b.least)
	slices.Reverse(rest)
	rest = rest[:left+1]
	spare := make([]int64, left+1)
	for j, levels := range b.lists {
		for cat := range levels {
			if d := (place{j, cat}); d != at && !decided(d) {
				spare, rest = rest, b.before(spare, rest, d, func(v int) int64 { return b.charge(d, v) })
			}
		}
	}
	least := int64(none)
	cost := func(v int) int64 {
		if v*v > left || rest[left-v*v] == none {
			return none
		}
		return b.charge(at, v) + rest[left-v*v]
	}
	for _, v := range b.lists[at.attribute][at.category] {
		least = min(least, cost(v))
	}
	return func(v int) int64 { return min(cost(v)-least, none) }
}

// decisions lists the categories in the order decided: by the steps, those left
// of the last attribute, all others.
func (t *tree[T]) decisions() []place {
	var order []place
	taken := make([]int, len(t.axes))
	for _, s := range t.steps {
		order = append(order, place{s.attribute, s.category})
		taken[s.attribute]++
	}
	rest := func(j int) {
		for _, cat := range t.order[j][taken[j]:] {
			order = append(order, place{j, cat})
		}
	}
	rest(t.last)
	for _, j := range t.others {
		rest(j)
	}
	return order
}
