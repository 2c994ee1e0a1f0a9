package scorecard

import (
	"fmt"
	"slices"
)

// A parsedPlan is the plan of a search tree in the form that the checker uses. The plan
// determines in which order categories are decided, but not the bounds. So a wrong plan cannot
// lead to a wrong bound.
type parsedPlan struct {
	refs  []int // for each attribute, the reference category, or -1 without reference coding
	last  int
	steps []coordinate
	free  [][]int // for each attribute, the categories that no step decides
}

// A coordinate identifies one category of one attribute.
type coordinate struct{ attribute, category int }

// readPlan parses a plan, the description of a search tree in a certificate. It fails unless
// the plan decides every category of every attribute exactly once; reference categories count
// as decided initially. The parameter terms reports whether the problem has linear terms, which
// exclude reference categories.
func (c *Class) readPlan(plan []int, terms bool) (parsedPlan, error) {
	k := len(c.attributes)
	if len(plan) < k+2 {
		return parsedPlan{}, fmt.Errorf("scorecard: the certificate's plan has only %d entries, but needs at least two more than the %d attributes", len(plan), k)
	}
	b := parsedPlan{refs: slices.Clone(plan[:k]), last: plan[k], free: make([][]int, k)}
	steps, pairs := plan[k+1], plan[k+2:]
	decided := make([][]bool, k)
	open := 0
	for j, a := range c.attributes {
		ref := b.refs[j]
		decided[j] = make([]bool, a.categories)
		open += a.categories
		switch {
		case ref < -1 || ref >= a.categories:
			return parsedPlan{}, fmt.Errorf("scorecard: in the certificate's plan, the reference category is %d for attribute %d, but must be -1 to %d", ref, j+1, a.categories-1)
		case ref >= 0 && terms:
			return parsedPlan{}, fmt.Errorf("scorecard: the certificate's plan must not have a reference category for attribute %d, because the problem has linear terms", j+1)
		case ref >= 0 && !a.oneHot():
			return parsedPlan{}, fmt.Errorf("scorecard: the certificate's plan must not have a reference category for attribute %d, because the attribute has listed vectors of points", j+1)
		case ref >= 0:
			decided[j][ref] = true
			open--
		}
	}
	if b.last < 0 || b.last >= k {
		return parsedPlan{}, fmt.Errorf("scorecard: in the certificate's plan, the last attribute is %d, but must be 1 to %d", b.last+1, k)
	}
	if len(pairs) != 2*open {
		return parsedPlan{}, fmt.Errorf("scorecard: the certificate's plan has %d entries for %d decisions, but must have two for each", len(pairs), open)
	}
	if steps < 0 || steps > open {
		return parsedPlan{}, fmt.Errorf("scorecard: the number of steps in the certificate's plan is %d, but must be 0 to %d", steps, open)
	}
	for i := range open {
		j, cat := pairs[2*i], pairs[2*i+1]
		if j < 0 || j >= k || cat < 0 || cat >= len(decided[j]) {
			return parsedPlan{}, fmt.Errorf("scorecard: decision %d of the certificate's plan: category %d of attribute %d does not exist", i+1, cat, j+1)
		}
		if decided[j][cat] {
			return parsedPlan{}, fmt.Errorf("scorecard: the certificate's plan decides category %d of attribute %d twice", cat, j+1)
		}
		decided[j][cat] = true
		if i < steps {
			b.steps = append(b.steps, coordinate{j, cat})
		} else {
			b.free[j] = append(b.free[j], cat)
		}
	}
	return b, nil
}
