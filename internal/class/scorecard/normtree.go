package scorecard

import (
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// A normTree is the search tree of a class with a limit on the norm. It uses the same program of
// merges as tree, without the totals that the limit excludes. The bound of a node includes the
// least charge of all undecided categories, which a normLimit computes.
//
// The levels of the tree, from the root:
//
//  1. one level for each step, which decides the value of one category of one attribute;
//  2. one level for each category of the last attribute that no step decides. Below these levels,
//     the least cost of a node is known;
//  3. one level for each other category.
type normTree[T cell] struct {
	*tree[T]
	multipliers []int // one multiplier for each record
}

// normTree builds the search tree of problem p for a class with a limit on the norm. The other
// parameters are derived from p; the parameter spread is an upper bound on the sum of all absolute
// costs.
func (c *Class) normTree(p class.Problem[[]uint16], records []record, base int64, incumbent Card, spread int64) class.Tree[Card] {
	if spread < narrowCosts/4 { // leaves a margin for multipliers
		return newNormTree[int32](c, p, records, base, incumbent, spread)
	}
	return newNormTree[int64](c, p, records, base, incumbent, spread)
}

func newNormTree[T cell](c *Class, p class.Problem[[]uint16], records []record, base int64, incumbent Card, spread int64) class.Tree[Card] {
	t := newTree[T](c, p, records, base, incumbent)
	t.limit = newNormLimit(c, p, t.terms)
	t.ceiling += t.limit.most()
	multipliers := t.setMultipliers(records, spread)
	return t.build(records, func(t *tree[T]) class.Tree[Card] {
		t.limit = t.limit.withOrder(t.decisions())
		return &normTree[T]{t, multipliers}
	})
}

// mostMultiplier is the maximum sum of the absolute Lagrange multipliers. It is small enough that
// costs do not overflow if this sum times the points of some attributes, up to 2^12 each, is added
// to them. It fits into an int, since a plan is a list of ints.
const mostMultiplier = min(1<<44, math.MaxInt)

// setMultipliers assigns Lagrange multipliers to the records, subtracts the multipliers from the
// charges of points in compensation, and returns them. The parameter spread is an upper bound on
// the sum of all absolute costs. If costs of this size and the multipliers might overflow a cell,
// all multipliers are set to 0.
//
// The multipliers are optimized for half the limit on the norm, because multipliers that are
// optimal at the root are worse below it, where less norm remains.
func (t *tree[T]) setMultipliers(records []record, spread int64) (multipliers []int) {
	root := &builder[T]{axes: t.axes, norm: t.limit.norm}
	deep := &builder[T]{axes: t.axes, norm: max(1, t.limit.norm/2)}
	var reaches []totalRange
	widest := 0
	for _, r := range records {
		all := root.rangeOf(r.x)
		lo, n := root.totals(all)
		widest = max(widest, -lo, lo+int(n)-1)
		lo, n = deep.totals(all)
		reaches = append(reaches, totalRange{lo, lo + int(n) - 1, all.open})
	}
	found := t.limit.multipliers(records, reaches, t.class.options.Threshold, t.rootSum, t.incumbentCost)
	available := min((int64(pad[T]()/4)-spread)/int64(max(widest, 1)), mostMultiplier)
	for _, m := range found {
		available -= min(max(m, -m), mostMultiplier)
	}
	if available < 0 {
		clear(found)
	}
	for i, m := range found {
		records[i].multiplier = m
		multipliers = append(multipliers, int(m))
	}
	t.limit.subtractMultipliers(records)
	if t.terms == nil {
		t.terms = t.limit.costs
	}
	return multipliers
}

// decisions returns all categories in the order in which the tree decides them: the categories of
// the steps, then the remaining categories of the last attribute, and then the remaining categories
// of the other attributes.
func (t *tree[T]) decisions() []coordinate {
	var order []coordinate
	steps := make([]int, len(t.axes))
	for _, s := range t.steps {
		order = append(order, coordinate{s.attribute, s.category})
		steps[s.attribute]++
	}
	rest := func(j int) {
		for _, cat := range t.order[j][steps[j]:] {
			order = append(order, coordinate{j, cat})
		}
	}
	rest(t.last)
	for _, j := range t.others {
		rest(j)
	}
	return order
}

// Plan returns the description of the tree for a certificate, as a list of integers: the attribute
// and the category of each decision, in order, followed by the Lagrange multiplier of each record.
func (t *normTree[T]) Plan() []int {
	var plan []int
	for _, d := range t.limit.order {
		plan = append(plan, d.attribute, d.category)
	}
	return append(plan, t.multipliers...)
}
