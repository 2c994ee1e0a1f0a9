package scorecard

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A normChecker is the checker of a class with a limit on the norm. As a
// checker does, it keeps what is known of every attribute and the groups that
// this leaves, and finds what the limit allows by trying choices out.
type normChecker struct {
	posed
	order []place
	norms map[int]int64   // what each squared norm of a card is charged
	path  []normCheckNode // the root first
}

// A normCheckNode is a node on the path.
type normCheckNode struct {
	attrs  []known
	groups []group
	left   int // of the norm
}

// normChecker returns a walker of the tree whose plan lists all categories, each
// as its attribute and itself, in the order decided, and then the multipliers
// of the distinct records, which may be any that are not too large.
func (c *Class) normChecker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	k := &normChecker{posed: posed{class: c}, norms: map[int]int64{}}
	var all []place
	root := normCheckNode{left: c.options.Norm}
	for j := range c.attributes {
		root.attrs = append(root.attrs, unknown(&c.attributes[j], -1))
		for cat := range c.attributes[j].categories {
			all = append(all, place{j, cat})
		}
	}
	if len(plan) < 2*len(all) {
		return nil, fmt.Errorf("scorecard: the plan has %d entries for %d decisions, two for each", len(plan), len(all))
	}
	for at := range all {
		k.order = append(k.order, place{plan[2*at], plan[2*at+1]})
	}
	for _, d := range all {
		if !slices.Contains(k.order, d) {
			return nil, fmt.Errorf("scorecard: the plan does not decide category %d of attribute %d", d.category, d.attribute+1)
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
		root.groups = append(root.groups, group{pattern: pattern, steps: []stair{{0, d[pattern]}}})
	}
	if err := k.multiply(root.groups, plan[2*len(all):], p.Terms != nil); err != nil {
		return nil, err
	}
	k.path = []normCheckNode{root}
	return k, nil
}

// multiply gives the groups at the root multipliers, and takes what these cost a
// card off what its points are charged.
func (k *normChecker) multiply(groups []group, multipliers []int, terms bool) error {
	if len(multipliers) != len(groups) {
		return fmt.Errorf("scorecard: the plan has %d multipliers for %d records", len(multipliers), len(groups))
	}
	sum := int64(0)
	for _, v := range multipliers {
		m := int64(v)
		if m < -mostMultiplier || m > mostMultiplier {
			return fmt.Errorf("scorecard: a multiplier of the plan is outside -%d..%[1]d", int64(mostMultiplier))
		}
		if sum += max(m, -m); sum > mostMultiplier {
			return fmt.Errorf("scorecard: the multipliers of the plan come to more than %d", int64(mostMultiplier))
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

func (k *normChecker) here() *normCheckNode { return &k.path[len(k.path)-1] }

// gentlest returns the least squared norm that the undecided categories of an
// attribute can have: all of those of a one-hot attribute can be as near to 0
// as the decided ones let them at once, in order too.
func (a known) gentlest() int {
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

// nearest returns the least square of the values.
func nearest(values []int) int {
	least := values[0] * values[0]
	for _, v := range values {
		least = min(least, v*v)
	}
	return least
}

// answers lists the contributions of the category at hand that leave a card.
func (k *normChecker) answers() []int {
	if len(k.path) > len(k.order) {
		return nil
	}
	s, at := k.here(), k.order[len(k.path)-1]
	others := 0
	for j, a := range s.attrs {
		if j != at.attribute {
			others += a.gentlest()
		}
	}
	var out []int
	for _, v := range s.attrs[at.attribute].differences(at.category) {
		if v*v+others+s.attrs[at.attribute].decide(at.category, v).gentlest() <= s.left {
			out = append(out, v)
		}
	}
	return out
}

// Children returns how many children the node has.
func (k *normChecker) Children() int { return len(k.answers()) }

// Up returns to the parent.
func (k *normChecker) Up() { k.path = k.path[:len(k.path)-1] }

// Down enters child i.
func (k *normChecker) Down(i int) {
	at, v := k.order[len(k.path)-1], k.answers()[i]
	n := *k.here()
	n.attrs = slices.Clone(n.attrs)
	n.attrs[at.attribute] = n.attrs[at.attribute].decide(at.category, v)
	n.groups = decide(pairs(n.groups, at.attribute, at.category), v)
	n.left -= v * v
	k.path = append(k.path, n)
}

// Bound returns a lower bound on the cost of every card below the node: what is
// decided, and the least that the rest can cost within the norm that is left.
// Where no two undecided categories meet in a record, it is the least cost of
// points that keep to that norm and to what each category by itself may have.
func (k *normChecker) Bound() int64 {
	s := k.here()
	bound := k.base
	costs := make([][]map[int]int64, len(s.attrs)) // of each undecided category's contributions
	for j, a := range s.attrs {
		costs[j] = make([]map[int]int64, len(a.set))
		for cat, set := range a.set {
			if set {
				bound += k.term(j, cat, a.diff[cat])
				continue
			}
			costs[j][cat] = map[int]int64{}
			for _, v := range a.differences(cat) {
				if v*v <= s.left {
					costs[j][cat][v] = k.term(j, cat, v)
				}
			}
		}
	}
	alone := !slices.ContainsFunc(s.groups, func(g group) bool { return len(k.open(g)) > 1 })
	for _, g := range s.groups {
		open := k.open(g)
		if !alone || len(open) == 0 {
			bound += k.apart(g, open)
			continue
		}
		for v := range costs[open[0].attribute][open[0].category] {
			costs[open[0].attribute][open[0].category][v] += g.costs(nil, v, v, k.class.options.Threshold)[0]
		}
	}
	return bound + k.cheapest(costs)
}

// term returns what terms charge a contribution.
func (k *normChecker) term(j, cat, v int) int64 {
	if k.terms == nil {
		return 0
	}
	return k.terms[j][cat][v]
}

// open lists the undecided categories of a group's records.
func (k *normChecker) open(g group) (open []place) {
	for j := range k.class.attributes {
		if cat := g.undecided(j); cat != blank {
			open = append(open, place{j, cat})
		}
	}
	return open
}

// apart returns the least cost of a group by itself: its further points are sums
// of what each category may contribute that keep to the norm which is left.
func (k *normChecker) apart(g group, open []place) int64 {
	s := k.here()
	least := map[int]int{0: 0} // of each sum: the least squared norm
	for _, at := range open {
		longer := map[int]int{}
		for sum, norm := range least {
			for _, v := range s.attrs[at.attribute].differences(at.category) {
				if n, ok := longer[sum+v]; norm+v*v <= s.left && (!ok || norm+v*v < n) {
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

// cheapest returns the least cost of contributions of all undecided categories,
// and of the norm that they make: it extends all partial choices, keeping the
// cheapest of those that leave the same.
func (k *normChecker) cheapest(costs [][]map[int]int64) int64 {
	sums := map[int]int64{k.class.options.Norm - k.here().left: 0} // by norm
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
