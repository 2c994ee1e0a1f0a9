package sparse

import (
	"encoding/binary"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/lazy"
)

// A checkedProblem is a problem in the form that the checker uses, which works directly with the
// points of the problem. It shares the definition of the class with the tree, and no other code.
type checkedProblem struct {
	class *Class
	p     class.Problem[[]uint16]
	base  int64 // the cost of predicting 0 for all points
}

// Checker returns a checker, which verifies the bounds of the tree that the plan describes. A bound
// takes time proportional to the number of points.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	if _, ok := c.spread(p); !ok {
		return nil, class.ErrRange
	}
	if err := p.CheckTerms(c.Separator()); err != nil {
		return nil, err
	}
	k := &checkedProblem{class: c, p: p}
	for _, pt := range p.Points {
		if err := c.validateRecord(pt.X); err != nil {
			return nil, err
		}
		k.base += pt.Cost[0]
	}
	return lazy.NewChecker(lazy.Checked{Parts: len(c.sets), Bound: k.bound, Extra: k.extra, Checker: k.part}, plan)
}

// validateRecord returns an error if record x has a wrong length or a category that is out of
// range.
func (c *Class) validateRecord(x []uint16) error {
	if len(x) != len(c.options.Sizes) {
		return fmt.Errorf("sparse: a record has %d attributes, but the class has %d", len(x), len(c.options.Sizes))
	}
	for j, category := range x {
		if int(category) >= c.options.Sizes[j] {
			return fmt.Errorf("sparse: attribute %d of a record has category %d, outside 0..%d", j+1, category, c.options.Sizes[j]-1)
		}
	}
	return nil
}

// A checkCell describes the records that have the same groups on all attributes of a set. Its costs
// are listed by a number o: the points of a record on all other attributes, minus the threshold.
// cost[o] is the cost of predicting 1 minus the cost of predicting 0, summed over the records with
// this o.
type checkCell struct {
	groups []uint16
	cost   map[int]int64
}

// cellsOf returns the cells of the set s of attributes, each with the records that have the same
// groups of categories. The key of a cell is the binary encoding of these groups.
func (k *checkedProblem) cellsOf(s set) map[string]*checkCell {
	cells := map[string]*checkCell{}
	for _, pt := range k.p.Points {
		groups := make([]uint16, len(s))
		rest := -k.class.options.Threshold
		for j, category := range pt.X {
			if k.class.base != nil {
				rest += k.class.base[j][k.class.group(j, category)]
			}
		}
		var key []byte
		for i, j := range s {
			groups[i] = uint16(k.class.group(j, pt.X[j]))
			if k.class.base != nil {
				rest -= k.class.base[j][groups[i]]
			}
			key = binary.BigEndian.AppendUint16(key, groups[i])
		}
		if cells[string(key)] == nil {
			cells[string(key)] = &checkCell{groups, map[int]int64{}}
		}
		cells[string(key)].cost[rest] += pt.Cost[1] - pt.Cost[0]
	}
	return cells
}

// extra returns the cost that all cards on the set with index i have in common and that the tree of
// these cards does not contain: the cost of predicting 0 for all points, the charge of the set, and
// the terms on the index of the set.
func (k *checkedProblem) extra(i int) int64 {
	extra := k.base + k.p.PenaltyUnit()*k.class.charges[i]
	if k.p.Terms != nil {
		for b, set := range class.Number(i, k.class.selector()) {
			if set {
				extra += k.p.Terms[b]
			}
		}
	}
	return extra
}

// termsOf returns the linear terms on those separator bits of the cards on set i that encode the
// card within its part. The terms on the bits that encode the index of the set are not included.
func (k *checkedProblem) termsOf(i int) []int64 {
	if k.p.Terms == nil {
		return nil
	}
	return k.p.Terms[k.class.selector():][:k.class.parts[i].Separator()]
}

// bound returns a lower bound on the cost of the cards on the set with index i. The points of a
// card on the set add the same number to the totals of all records of a cell. For each cell, the
// bound takes the number within the possible range for which the records cost least.
func (k *checkedProblem) bound(i int) int64 {
	s := k.class.sets[i]
	reach := len(s) * k.class.options.Points
	sum := k.extra(i)
	for _, t := range k.termsOf(i) {
		sum += min(t, 0)
	}
	for _, c := range k.cellsOf(s) {
		var costs []int64
		for shift := -reach; shift <= reach; shift++ {
			cost := int64(0)
			for rest, d := range c.cost {
				if rest+shift >= 0 {
					cost += d
				}
			}
			costs = append(costs, cost)
		}
		least := costs[0]
		for _, cost := range costs {
			least = min(least, cost)
		}
		sum += least
	}
	return sum
}

// part returns the checker of the cards on the i-th set of attributes, given the plan of their search tree.
func (k *checkedProblem) part(i int, plan []int) (class.Checker, error) {
	s := k.class.sets[i]
	own := class.Problem[[]uint16]{Unit: k.p.Unit, Terms: k.termsOf(i)}
	reach := len(s) * k.class.options.Points
	for _, c := range k.cellsOf(s) {
		for rest, d := range c.cost {
			x := c.groups
			if k.class.options.Draws > 1 {
				x = append(x[:len(x):len(x)], uint16(min(max(rest, -reach-1), reach)+reach+1))
			}
			own.Points = append(own.Points, class.Point[[]uint16]{X: x, Cost: [2]int64{0, d}})
		}
	}
	return k.class.parts[i].Checker(own, plan)
}
