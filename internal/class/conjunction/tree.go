package conjunction

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A tree is the search tree of a class of formulas for one problem. Each level decides one axis:
// one child of a node has no literal on the axis, and each other child has one of the tests of the
// axis.
type tree struct {
	class       *Class
	order       []int // the axis that each level decides
	patterns    *patterns
	root        liveSet
	optionCosts [][]int64 // optionCosts[level][o] is the cost of option o of the level's axis (see doc.go), minus the least cost of all its options
	emptyCost   []int64   // emptyCost[level] is the sum of optionCosts[k][0] over k ≥ level, the cost of adding no further literals
	free        []bool    // free[level] reports whether all optionCosts from level on are 0
	counts      *counts
	base        int64 // the cost if no record is live and every axis has its cheapest option
	ceiling     int64

	incumbent     Formula
	incumbentCost int64
}

// Tree builds the search tree of the problem. It takes time proportional to the number of points
// times the number of attributes.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[Formula], error) {
	if !c.inRange(p) {
		return nil, class.ErrRange
	}
	r := c.newRecords(p.Points)
	optionCosts := c.optionCosts(p)
	t := &tree{class: c, base: r.base}
	for _, costs := range optionCosts {
		least := slices.Min(costs)
		t.base += least
		for o := range costs {
			costs[o] -= least
		}
	}
	t.incumbent = c.descend(r, optionCosts)
	t.incumbentCost = class.Cost(c, p, t.incumbent)
	t.ceiling = t.base
	for _, costs := range optionCosts {
		t.ceiling += slices.Max(costs)
	}
	for _, d := range r.d {
		t.ceiling += max(d, 0)
	}
	t.order = c.chooseOrder(r)
	t.initLevels(r, optionCosts)
	return t, nil
}

// Layout bounds the memory of the search tree, which stores the tests, and the patterns of the
// records at all levels. Each pattern has a number, a sum of cost differences d, and a successor at
// the next level.
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

// initLevels computes the fields of the search tree that depend on the order in which the levels
// decide the axes.
func (t *tree) initLevels(r records, optionCosts [][]int64) {
	axes := make([]axis, len(t.order))
	t.emptyCost, t.free = make([]int64, len(t.order)+1), make([]bool, len(t.order)+1)
	t.free[len(t.order)] = true
	t.optionCosts = make([][]int64, len(t.order))
	for level := len(t.order) - 1; level >= 0; level-- {
		j := t.order[level]
		axes[level], t.optionCosts[level] = t.class.axes[j], optionCosts[j]
		t.emptyCost[level] = t.emptyCost[level+1] + optionCosts[j][0]
		t.free[level] = t.free[level+1] && slices.Max(optionCosts[j]) == 0
	}
	t.counts = newCounts(axes, t.class.most())
	t.patterns = newPatterns(t.class.axes, r, t.order)
	t.root = t.patterns.gather(r.d)
}

// Plan returns the order in which the levels of the search tree decide the attributes.
func (t *tree) Plan() []int { return slices.Clone(t.order) }

// Incumbent returns the best formula that a local search found, and its cost. Searches of the tree
// start from it.
func (t *tree) Incumbent() (Formula, int64) { return t.incumbent.clone(), t.incumbentCost }

// Ceiling returns an upper bound on the cost of every formula: the cost of the costlier prediction
// for every point, plus the cost of the costliest option of every axis.
func (t *tree) Ceiling() int64 { return t.ceiling }
