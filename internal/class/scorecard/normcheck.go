package scorecard

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A normChecker is the checker of a class with a limit on the norm. Like checker, it stores the
// decided part of every attribute and the resulting groups of records. To apply the limit, it
// enumerates the possible points of each category.
type normChecker struct {
	checkedProblem
	order []coordinate
	norms map[int]int64   // the charge of each squared norm that a card has
	path  []normCheckNode // the nodes from the root to the current one
}

// A normCheckNode is the state of a normChecker at one node of the path from the root.
type normCheckNode struct {
	attrs    []attributeState
	groups   []group
	normLeft int // the limit minus the squared norm of the decided points
}

// normChecker returns a checker of the tree that the plan describes, for a class with a limit on
// the norm. The plan lists the attribute and the category of each decision, in order, followed by
// the Lagrange multiplier of each distinct record. The bounds are valid for all multipliers, but
// multipliers so large that costs might overflow are rejected.
func (c *Class) normChecker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	k := &normChecker{checkedProblem: checkedProblem{class: c}, norms: map[int]int64{}}
	var all []coordinate
	root := normCheckNode{normLeft: c.options.Norm}
	for j := range c.attributes {
		root.attrs = append(root.attrs, newAttributeState(&c.attributes[j], -1))
		for cat := range c.attributes[j].categories {
			all = append(all, coordinate{j, cat})
		}
	}
	if len(plan) < 2*len(all) {
		return nil, fmt.Errorf("scorecard: the certificate's plan has %d entries for %d decisions, but must have two for each", len(plan), len(all))
	}
	for at := range all {
		k.order = append(k.order, coordinate{plan[2*at], plan[2*at+1]})
	}
	for _, d := range all {
		if !slices.Contains(k.order, d) {
			return nil, fmt.Errorf("scorecard: the certificate's plan lacks a decision for category %d of attribute %d", d.category, d.attribute+1)
		}
	}
	if p.Terms != nil {
		k.terms = c.termsOf(p.Terms)
	}
	sum := int64(0)
	for i, s := range c.norms {
		if i > 0 && p.Terms != nil {
			sum += p.Terms[len(p.Terms)-len(c.norms)+i]
		}
		k.norms[int(s)] = sum
	}
	d, err := k.differences(p.Points)
	if err != nil {
		return nil, err
	}
	for _, pattern := range slices.Sorted(maps.Keys(d)) {
		root.groups = append(root.groups, group{pattern: pattern, steps: []sumStep{{0, d[pattern]}}})
	}
	if err := k.setMultipliers(root.groups, plan[2*len(all):], p.Terms != nil); err != nil {
		return nil, err
	}
	k.path = []normCheckNode{root}
	return k, nil
}

// setMultipliers gives each group of records at the root a Lagrange multiplier. A multiplier adds
// to the cost of the group a linear function of the points of its records. setMultipliers subtracts
// the same numbers from the costs of the categories' points, so that the cost of a card does not
// change. The parameter terms reports whether the problem has linear terms.
func (k *normChecker) setMultipliers(groups []group, multipliers []int, terms bool) error {
	if len(multipliers) != len(groups) {
		return fmt.Errorf("scorecard: the certificate's plan has %d multipliers, but the problem has %d distinct records", len(multipliers), len(groups))
	}
	sum := int64(0)
	for _, v := range multipliers {
		m := int64(v)
		if m < -mostMultiplier || m > mostMultiplier {
			return fmt.Errorf("scorecard: multiplier %d of the certificate's plan is outside -%d..%[2]d", m, int64(mostMultiplier))
		}
		if sum += max(m, -m); sum > mostMultiplier {
			return fmt.Errorf("scorecard: the absolute multipliers of the certificate's plan sum to more than %d", int64(mostMultiplier))
		}
	}
	if !terms {
		k.terms = k.class.termsOf(make([]int64, k.class.Separator()))
	}
	for i, m := range multipliers {
		groups[i].line.slope = int64(m)
		for j := range k.class.attributes {
			cost := k.terms[j][groups[i].undecided(j)]
			for v := range cost {
				cost[v] -= int64(m * v)
			}
		}
	}
	return nil
}

func (k *normChecker) node() *normCheckNode { return &k.path[len(k.path)-1] }

// leastNorm returns the least squared norm that the undecided categories of the attribute can have
// together. If the attribute was created by OneHot, each of them can have its least absolute value
// at the same time, even if the categories are ordered.
func (a attributeState) leastNorm() int {
	if !a.attr.oneHot() {
		least := -1
		for _, v := range a.vectors {
			own := 0
			for c, p := range v {
				if !a.set[c] {
					own += p * p
				}
			}
			if least < 0 || own < least {
				least = own
			}
		}
		return least
	}
	sum := 0
	for c, set := range a.set {
		if !set {
			sum += nearest(a.differences(c))
		}
	}
	return sum
}

// nearest returns the square of that element of values that is nearest to 0.
func nearest(values []int) int {
	least := values[0] * values[0]
	for _, v := range values {
		least = min(least, v*v)
	}
	return least
}

// options returns the numbers of points that the next category to decide has in at least one card
// below the current node.
func (k *normChecker) options() []int {
	if len(k.path) > len(k.order) {
		return nil
	}
	s, at := k.node(), k.order[len(k.path)-1]
	others := 0
	for j, a := range s.attrs {
		if j != at.attribute {
			others += a.leastNorm()
		}
	}
	var out []int
	for _, v := range s.attrs[at.attribute].differences(at.category) {
		if v*v+others+s.attrs[at.attribute].decide(at.category, v).leastNorm() <= s.normLeft {
			out = append(out, v)
		}
	}
	return out
}

// Children returns the number of children of the current node of the search tree.
func (k *normChecker) Children() int { return len(k.options()) }

// Up moves to the parent of the current node of the search tree.
func (k *normChecker) Up() { k.path = k.path[:len(k.path)-1] }

// Down moves to child i of the current node of the search tree.
func (k *normChecker) Down(i int) {
	at, v := k.order[len(k.path)-1], k.options()[i]
	n := *k.node()
	n.attrs = slices.Clone(n.attrs)
	n.attrs[at.attribute] = n.attrs[at.attribute].decide(at.category, v)
	n.groups = decide(pairs(n.groups, at.attribute, at.category), v)
	n.normLeft -= v * v
	k.path = append(k.path, n)
}

// Bound returns a lower bound on the cost of every card below the node. It adds the costs of the
// decided categories and a lower bound on the cost of the undecided categories within the remaining
// norm. If every record has at most one undecided category, the second bound is the least cost of
// points that satisfy the limit on the norm and, for each category separately, the constraints of
// its attribute.
func (k *normChecker) Bound() int64 {
	s := k.node()
	bound := k.base
	costs := make([][]map[int]int64, len(s.attrs)) // [attribute][category][contribution], for undecided categories
	for j, a := range s.attrs {
		costs[j] = make([]map[int]int64, len(a.set))
		for cat, set := range a.set {
			if set {
				bound += k.term(j, cat, a.diff[cat])
				continue
			}
			costs[j][cat] = map[int]int64{}
			for _, v := range a.differences(cat) {
				if v*v <= s.normLeft {
					costs[j][cat][v] = k.term(j, cat, v)
				}
			}
		}
	}
	alone := !slices.ContainsFunc(s.groups, func(g group) bool { return len(k.open(g)) > 1 })
	for _, g := range s.groups {
		open := k.open(g)
		if !alone || len(open) == 0 {
			bound += k.groupBound(g, open)
			continue
		}
		for v := range costs[open[0].attribute][open[0].category] {
			costs[open[0].attribute][open[0].category][v] += g.costs(nil, v, v, k.class.options.Threshold)[0]
		}
	}
	return bound + k.cheapest(costs)
}

// term returns the charge for giving v points to category cat of attribute j: the cost by linear
// terms, corrected for the Lagrange multipliers (see setMultipliers).
func (k *normChecker) term(j, cat, v int) int64 {
	if k.terms == nil {
		return 0
	}
	return k.terms[j][cat][v]
}

// open returns the undecided categories that all records of group g have: at most one for each
// attribute.
func (k *normChecker) open(g group) (open []coordinate) {
	for j := range k.class.attributes {
		if cat := g.undecided(j); cat != blank {
			open = append(open, coordinate{j, cat})
		}
	}
	return open
}

// groupBound returns the least cost of the records of group g, independently of other records, if
// the undecided categories of the group, listed in open, may have any points within the remaining
// norm.
func (k *normChecker) groupBound(g group, open []coordinate) int64 {
	s := k.node()
	least := map[int]int{0: 0} // the least squared norm of contributions with each sum
	for _, at := range open {
		longer := map[int]int{}
		for sum, norm := range least {
			for _, v := range s.attrs[at.attribute].differences(at.category) {
				if n, ok := longer[sum+v]; norm+v*v <= s.normLeft && (!ok || norm+v*v < n) {
					longer[sum+v] = norm + v*v
				}
			}
		}
		least = longer
	}
	sums := slices.Sorted(maps.Keys(least))
	lo, hi := sums[0], sums[len(sums)-1]
	costs := g.costs(nil, lo, hi, k.class.options.Threshold)
	best := costs[0]
	for _, sum := range sums {
		best = min(best, costs[sum-lo])
	}
	return best
}

// cheapest returns the least cost of deciding all undecided categories, including the charge of the
// resulting norm. It uses dynamic programming over the norm. costs[j][c][v] is the cost if category
// c of attribute j has v points.
func (k *normChecker) cheapest(costs [][]map[int]int64) int64 {
	sums := map[int]int64{k.class.options.Norm - k.node().normLeft: 0} // the least cost of contributions with each squared norm
	for _, categories := range costs {
		for _, own := range categories {
			if own == nil {
				continue
			}
			longer := map[int]int64{}
			for norm, sum := range sums {
				for v, cost := range own {
					n := norm + v*v
					if known, ok := longer[n]; n <= k.class.options.Norm && (!ok || sum+cost < known) {
						longer[n] = sum + cost
					}
				}
			}
			sums = longer
		}
	}
	var least int64
	found := false
	for norm, sum := range sums {
		charge, ok := k.norms[norm]
		if ok && (!found || sum+charge < least) {
			least, found = sum+charge, true
		}
	}
	return least
}

var _ class.Checker = (*normChecker)(nil)
