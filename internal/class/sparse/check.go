package sparse

import (
	"encoding/binary"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/lazy"
)

// A checked is a problem as the checker sees it: it works with the points themselves, and shares
// nothing with the tree but the definition of the class.
type checked struct {
	class *Class
	p     class.Problem[[]uint16]
	base  int64 // the cost of predicting 0 everywhere
}

// Checker returns a walker of the tree that the plan describes. Its bounds take time in proportion
// to the points.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	if _, ok := c.spread(p); !ok {
		return nil, class.ErrRange
	}
	if p.Terms != nil && len(p.Terms) != c.Separator() {
		return nil, fmt.Errorf("sparse: the problem has %d terms, the class %d bits", len(p.Terms), c.Separator())
	}
	k := &checked{class: c, p: p}
	for _, pt := range p.Points {
		if err := c.validateRecord(pt.X); err != nil {
			return nil, err
		}
		k.base += pt.Cost[0]
	}
	return lazy.NewChecker(lazy.Checked{Parts: len(c.sets), Bound: k.bound, Extra: k.extra, Checker: k.part}, plan)
}

// validateRecord reports a record that the class cannot read.
func (c *Class) validateRecord(x []uint16) error {
	if len(x) != len(c.options.Sizes) {
		return fmt.Errorf("sparse: a record has %d attributes, the class %d", len(x), len(c.options.Sizes))
	}
	for j, category := range x {
		if int(category) >= c.options.Sizes[j] {
			return fmt.Errorf("sparse: a record has category %d of %d in attribute %d", category, c.options.Sizes[j], j+1)
		}
	}
	return nil
}

// A cell is the records of a part that have the same groups: what they cost beyond predicting 0,
// by what their points on other attributes leave to the threshold.
type cell struct {
	groups []uint16
	cost   map[int]int64
}

// cellsOf returns those of a set.
func (k *checked) cellsOf(s set) map[string]*cell {
	cells := map[string]*cell{}
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
			cells[string(key)] = &cell{groups, map[int]int64{}}
		}
		cells[string(key)].cost[rest] += pt.Cost[1] - pt.Cost[0]
	}
	return cells
}

// extra returns what the cards of set i cost beyond their part: predicting 0, the charge, and the
// terms on its number.
func (k *checked) extra(i int) int64 {
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

// own returns the terms on the cards of set i.
func (k *checked) own(i int) []int64 {
	if k.p.Terms == nil {
		return nil
	}
	return k.p.Terms[k.class.selector():][:k.class.parts[i].Separator()]
}

// bound tries all shifts that points on the set can make on each cell.
func (k *checked) bound(i int) int64 {
	s := k.class.sets[i]
	reach := len(s) * k.class.options.Points
	sum := k.extra(i)
	for _, t := range k.own(i) {
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

// part returns the checker of set i.
func (k *checked) part(i int, plan []int) (class.Checker, error) {
	s := k.class.sets[i]
	own := class.Problem[[]uint16]{Unit: k.p.Unit, Terms: k.own(i)}
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
