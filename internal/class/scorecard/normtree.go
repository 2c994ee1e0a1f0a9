package scorecard

import (
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// A normTree is the tree of a class with a limit on the norm. It has the program
// of merges of any other, which leaves out the totals that the norm rules out, and
// for all that is undecided the charges of its normLimit.
//
// The levels of the tree, from the root:
//
//  1. one for each step: the value of one category of one attribute;
//  2. one for each category of the last attribute that no step decided: from here
//     on the cost of the best completion of a node is known;
//  3. one for each other category.
type normTree[T cell] struct {
	*tree[T]
	multipliers []int // of each record
}

// normTree lays out the tree of a class with a limit on the norm; normChecker
// checks it.
func (c *Class) normTree(p class.Problem[[]uint16], records []record, base int64, incumbent Card, spread int64) class.Tree[Card] {
	if spread < narrowCosts/4 { // with room for multipliers
		return newNormTree[int32](c, p, records, base, incumbent, spread)
	}
	return newNormTree[int64](c, p, records, base, incumbent, spread)
}

func newNormTree[T cell](c *Class, p class.Problem[[]uint16], records []record, base int64, incumbent Card, spread int64) class.Tree[Card] {
	t := newTree[T](c, p, records, base, incumbent)
	t.limit = newNormLimit(c, p, t.terms)
	t.ceiling += t.limit.most()
	multipliers := t.tilt(records, spread)
	return t.layOut(records, func(t *tree[T]) class.Tree[Card] {
		t.limit = t.limit.along(t.decisions())
		return &normTree[T]{t, multipliers}
	})
}

// mostMultiplier is the greatest sum of absolute multipliers: times 2^12 points
// and some attributes, it leaves room for all costs. A plan holds them as ints.
const mostMultiplier = min(1<<44, math.MaxInt)

// tilt gives the records multipliers, which it returns, and takes what these add
// off the charges; all 0 where they would not fit the cells along with costs of
// that spread. Those best at the root are worse below it, where less of the norm is
// left, so they are made for half of it.
func (t *tree[T]) tilt(records []record, spread int64) (multipliers []int) {
	root := &builder[T]{axes: t.axes, norm: t.limit.norm}
	deep := &builder[T]{axes: t.axes, norm: max(1, t.limit.norm/2)}
	var reaches []reach
	widest := 0
	for _, r := range records {
		all := root.reach(r.x)
		lo, n := root.totals(all)
		widest = max(widest, -lo, lo+int(n)-1)
		lo, n = deep.totals(all)
		reaches = append(reaches, reach{lo, lo + int(n) - 1, all.open})
	}
	found := t.limit.multipliers(records, reaches, t.class.options.Threshold, t.rootSum, t.incumbentCost)
	room := min((int64(pad[T]()/4)-spread)/int64(max(widest, 1)), mostMultiplier)
	for _, m := range found {
		room -= min(max(m, -m), mostMultiplier)
	}
	if room < 0 {
		clear(found)
	}
	for i, m := range found {
		records[i].multiplier = m
		multipliers = append(multipliers, int(m))
	}
	t.limit.move(records)
	if t.terms == nil {
		t.terms = t.limit.costs
	}
	return multipliers
}

// decisions lists the categories in the order decided: by the steps, those left
// of the last attribute, those left of the attributes before it.
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

// Plan returns, in one list, the pairs of attribute and category of all decisions,
// in order, and then the multiplier of each record.
func (t *normTree[T]) Plan() []int {
	var plan []int
	for _, d := range t.limit.order {
		plan = append(plan, d.attribute, d.category)
	}
	return append(plan, t.multipliers...)
}
