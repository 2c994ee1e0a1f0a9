package conjunction

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A tree decides one axis at each level: without a literal, or one of its
// tests.
type tree struct {
	class    *Class
	order    []int // the axis of each level
	patterns *patterns
	root     flock
	tolls    [][]int64 // of each level and option, the least one 0
	stop     []int64   // the tolls of no literal from a level on
	flat     []bool    // all tolls from a level on are 0
	counts   *counts
	base     int64 // the cost of no live record, with the least tolls
	ceiling  int64

	incumbent     Formula
	incumbentCost int64
}

// Tree lays the class out for search over the problem. It takes a time in
// proportion to the points times the attributes.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[Formula], error) {
	if !c.inRange(p) {
		return nil, class.ErrRange
	}
	r := c.newRecords(p.Points)
	tolls := c.tolls(p)
	t := &tree{class: c, base: r.base}
	for _, toll := range tolls {
		least := slices.Min(toll)
		t.base += least
		for o := range toll {
			toll[o] -= least
		}
	}
	t.incumbent = c.descend(r, tolls)
	t.incumbentCost = class.Cost(c, p, t.incumbent)
	t.ceiling = t.base
	for _, toll := range tolls {
		t.ceiling += slices.Max(toll)
	}
	for _, d := range r.d {
		t.ceiling += max(d, 0)
	}
	t.order = c.chooseOrder(r)
	t.layOut(r, tolls)
	return t, nil
}

// Layout bounds the patterns of every level, each with its number, its sum and
// what becomes of it, and the tests.
func (c *Class) Layout(records int64) class.Layout {
	tests := int64(0)
	for _, x := range c.axes {
		tests += int64(x.atoms)
		for _, atoms := range x.tests {
			tests += int64(len(atoms))
		}
	}
	cells := class.Sum(class.Product(class.Sum(records, 1), int64(len(c.axes)+1)), tests)
	return class.Layout{Cells: cells, Bytes: class.Product(48, cells)}
}

// layOut fills in what follows from the order.
func (t *tree) layOut(r records, tolls [][]int64) {
	axes := make([]axis, len(t.order))
	t.stop, t.flat = make([]int64, len(t.order)+1), make([]bool, len(t.order)+1)
	t.flat[len(t.order)] = true
	t.tolls = make([][]int64, len(t.order))
	for level := len(t.order) - 1; level >= 0; level-- {
		j := t.order[level]
		axes[level], t.tolls[level] = t.class.axes[j], tolls[j]
		t.stop[level] = t.stop[level+1] + tolls[j][0]
		t.flat[level] = t.flat[level+1] && slices.Max(tolls[j]) == 0
	}
	t.counts = newCounts(axes, t.class.most())
	t.patterns = newPatterns(t.class.axes, r, t.order)
	t.root = t.patterns.gather(r.d)
}

// Plan returns the attribute of each level.
func (t *tree) Plan() []int { return slices.Clone(t.order) }

// Incumbent returns the formula that local search found.
func (t *tree) Incumbent() (Formula, int64) { return t.incumbent.clone(), t.incumbentCost }

// Ceiling returns what all points, terms and penalties cost at their worst.
func (t *tree) Ceiling() int64 { return t.ceiling }
