package scorecard

import (
	"fmt"
	"slices"
)

// A blueprint is a plan as the checker reads it: the shape of the tree, without
// anything that could make a bound wrong.
type blueprint struct {
	refs  []int // of each attribute the reference category, -1 off the gauge
	last  int
	steps []place
	free  [][]int // of each attribute: the categories that no step decides
}

// A place is one category of one attribute.
type place struct{ attribute, category int }

// readPlan checks that the plan decides every category of every attribute
// exactly once, where a reference category counts as decided from the start.
func (c *Class) readPlan(plan []int, terms bool) (blueprint, error) {
	k := len(c.attributes)
	if len(plan) < k+2 {
		return blueprint{}, fmt.Errorf("scorecard: the plan has %d entries, too few for %d attributes", len(plan), k)
	}
	b := blueprint{refs: slices.Clone(plan[:k]), last: plan[k], free: make([][]int, k)}
	steps, pairs := plan[k+1], plan[k+2:]
	decided := make([][]bool, k)
	open := 0
	for j, a := range c.attributes {
		ref := b.refs[j]
		decided[j] = make([]bool, a.categories)
		open += a.categories
		switch {
		case ref < -1 || ref >= a.categories:
			return blueprint{}, fmt.Errorf("scorecard: the plan refers attribute %d to category %d of %d", j+1, ref, a.categories)
		case ref >= 0 && terms:
			return blueprint{}, fmt.Errorf("scorecard: the plan refers attribute %d to a category, though the problem has terms", j+1)
		case ref >= 0 && !a.oneHot():
			return blueprint{}, fmt.Errorf("scorecard: the plan refers attribute %d to a category, though its vectors are a list", j+1)
		case ref >= 0:
			decided[j][ref] = true
			open--
		}
	}
	if b.last < 0 || b.last >= k {
		return blueprint{}, fmt.Errorf("scorecard: the plan ends with attribute %d of %d", b.last+1, k)
	}
	if len(pairs) != 2*open {
		return blueprint{}, fmt.Errorf("scorecard: the plan has %d entries for %d decisions, two for each", len(pairs), open)
	}
	if steps < 0 || steps > open {
		return blueprint{}, fmt.Errorf("scorecard: the plan has %d steps of %d decisions", steps, open)
	}
	for i := range open {
		j, cat := pairs[2*i], pairs[2*i+1]
		if j < 0 || j >= k || cat < 0 || cat >= len(decided[j]) {
			return blueprint{}, fmt.Errorf("scorecard: decision %d of the plan is on category %d of attribute %d, which does not exist", i+1, cat, j+1)
		}
		if decided[j][cat] {
			return blueprint{}, fmt.Errorf("scorecard: the plan decides category %d of attribute %d twice", cat, j+1)
		}
		decided[j][cat] = true
		if i < steps {
			b.steps = append(b.steps, place{j, cat})
		} else {
			b.free[j] = append(b.free[j], cat)
		}
	}
	return b, nil
}
