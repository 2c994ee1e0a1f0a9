package declist

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker recomputes the bounds of a search tree with simple code, from the literals that records
// satisfy. At a node "more" (see tree) it keeps a table with one sum of costs for each antecedent,
// from which the bounds of the children follow. It derives this table from the table of the
// previous node "more" on the path.
type checker struct {
	class        *Class
	index        index
	charge       func(position int, r Rule) int64
	leastCharges []int64  // [n]: a lower bound on the sum of the charges of n rules at the first n positions
	empty        [2]int64 // [z]: the cost of the terms for the empty list with default z
	path         []*checkNode
}

// A group represents all points that satisfy the same literals, so no list of the class
// distinguishes them.
type group struct {
	x        []uint16
	literals []int    // the indices of the satisfied literals, in ascending order
	excess   [2]int64 // the cost of each label minus the cost of the cheaper one
}

// A checkNode is the state of a checker at one node of its path from the root of the search tree.
type checkNode struct {
	kind    kind
	goal    int        // the number of rules that all lists below the node have, or 0 for no goal
	rules   int        // the number of rules of the prefix
	last    Rule       // the last rule of the prefix
	empty   int        // for an empty list: its default
	settled int64      // the cost that the prefix decides
	left    [2]int64   // [z]: the cost of label z on the groups that no rule captures
	parent  *checkNode // nil at the root
	groups  []*group   // for a node "more", once its table is computed: the groups that no rule captures
	table   *table     // for a node "more": its table, or nil if it is not computed
	known   bool       // whether bound is computed
	bound   int64
}

// A table holds sums of costs for each antecedent and label, at a node "more" of the search tree
// (see tree). The bounds of the children are computed from them.
type table struct {
	sums       [][2]int64 // [antecedent]: the sum over the groups that satisfy it and that no rule captures
	descending [2][]int   // [z]: the antecedents with the largest sums[·][z], in descending order of these sums
	lastRules  [2][]int   // [z]: the antecedents that the best last rule for default z may have
	rules      []Rule     // the rules that the children add
}

// Checker returns a checker, which verifies the bounds of the search tree. The tree depends only on
// the class, so plan must be empty.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	if len(plan) > 0 {
		return nil, fmt.Errorf("declist: the certificate's plan has %d entries, but must be empty", len(plan))
	}
	if err := p.CheckTerms(c.Separator()); err != nil {
		return nil, err
	}
	for _, pt := range p.Points {
		if err := c.validateRecord(pt.X); err != nil {
			return nil, err
		}
	}
	if !c.inRange(p) {
		return nil, class.ErrRange
	}
	k := &checker{class: c, index: newIndex(c), charge: c.chargeByBits(p)}
	k.leastCharges = make([]int64, c.rules()+1)
	for i := range c.rules() {
		least := int64(math.MaxInt64)
		for a := range c.antecedents {
			least = min(least, k.charge(i, Rule{a, false}), k.charge(i, Rule{a, true}))
		}
		k.leastCharges[i+1] = k.leastCharges[i] + least
	}
	if p.Terms != nil {
		k.empty[1] = p.Terms[slices.Index(c.Separate(List{Default: true}), true)]
	}
	root := &checkNode{}
	root.groups, root.settled = c.groups(p.Points)
	for _, w := range root.groups {
		root.left[0] += w.excess[0]
		root.left[1] += w.excess[1]
	}
	k.path = []*checkNode{root}
	return k, nil
}

// validateRecord returns an error if record x has a wrong length or a category that is out of
// range.
func (c *Class) validateRecord(x []uint16) error {
	if len(x) != len(c.attributes) {
		return fmt.Errorf("declist: a record has %d attributes, but the class has %d", len(x), len(c.attributes))
	}
	for j, v := range x {
		if int(v) >= c.attributes[j].Categories() {
			return fmt.Errorf("declist: attribute %d of a record has category %d, outside 0..%d", j+1, v, c.attributes[j].Categories()-1)
		}
	}
	return nil
}

// chargeByBits returns a function that computes the charge of a rule at a position of a list: its
// penalty and its terms. To find the terms, the function encodes a list with the rule at this
// position as separator bits.
func (c *Class) chargeByBits(p class.Problem[[]uint16]) func(int, Rule) int64 {
	penalty := p.PenaltyUnit() * c.options.Penalty
	return func(position int, r Rule) int64 {
		cost := penalty
		if p.Terms == nil {
			return cost
		}
		bits := c.Separate(List{Rules: append(make([]Rule, position), r)})
		per := len(bits) / c.rules()
		for b := position * per; b < (position+1)*per; b++ {
			if bits[b] {
				cost += p.Terms[b]
			}
		}
		return cost
	}
}

// groups merges the points that satisfy the same literals into groups. The result settled is the
// cost that every list incurs: the sum of the cost of the cheaper label for each group.
func (c *Class) groups(points []class.Point[[]uint16]) (all []*group, settled int64) {
	byLiterals := map[string]*group{}
	for _, pt := range points {
		var satisfied []int
		for i, l := range c.literals {
			if l.holds(pt.X[l.Attribute]) {
				satisfied = append(satisfied, i)
			}
		}
		key := fmt.Sprint(satisfied)
		w := byLiterals[key]
		if w == nil {
			w = &group{x: pt.X, literals: satisfied}
			byLiterals[key] = w
			all = append(all, w)
		}
		w.excess[0] += pt.Cost[0]
		w.excess[1] += pt.Cost[1]
	}
	for _, w := range all {
		least := min(w.excess[0], w.excess[1])
		settled += least
		w.excess[0] -= least
		w.excess[1] -= least
	}
	return all, settled
}

// An index maps an antecedent, given by the indices of its literals, to its index in the class.
type index struct {
	literals []Literal
	first    []int   // [attribute]: the index of its first literal
	count    []int   // [attribute]: the number of its literals
	start    [][]int // [j][k]: the index of the first antecedent on attributes j and k; nil if antecedents have one literal
}

func newIndex(c *Class) index {
	n := len(c.attributes)
	ix := index{literals: c.literals, first: make([]int, n), count: make([]int, n)}
	for i := len(c.literals) - 1; i >= 0; i-- {
		ix.first[c.literals[i].Attribute] = i
		ix.count[c.literals[i].Attribute]++
	}
	if c.options.Literals < 2 {
		return ix
	}
	for range n {
		ix.start = append(ix.start, make([]int, n))
	}
	for a := len(c.antecedents) - 1; c.antecedents[a][1] != none; a-- {
		j, k := c.literals[c.antecedents[a][0]].Attribute, c.literals[c.antecedents[a][1]].Attribute
		ix.start[j][k] = a
	}
	return ix
}

// pair returns the index of the antecedent that consists of the literals p and q. The attribute of
// p must precede that of q.
func (ix *index) pair(p, q int) int {
	j, k := ix.literals[p].Attribute, ix.literals[q].Attribute
	return ix.start[j][k] + (p-ix.first[j])*ix.count[k] + q - ix.first[k]
}

func (k *checker) at() *checkNode { return k.path[len(k.path)-1] }

// Children returns the number of children of the current node of the search tree.
func (k *checker) Children() int { return k.children(k.at()) }

// Down moves to child i of the current node of the search tree.
func (k *checker) Down(i int) {
	child := k.child(k.at(), i)
	k.path = append(k.path, &child)
}

func (k *checker) children(s *checkNode) int {
	switch {
	case s.kind == atEnd || s.kind == atPrefix && k.full(s):
		return 0
	case s.kind == atMore:
		return len(k.openTable(s).rules)
	case s.rules == 0 && k.class.counts.goals != nil:
		return 2 + k.class.rules()
	case s.rules == 0:
		return 3
	case s.goal > 0:
		return 1
	default:
		return 2
	}
}

// full reports whether no rule may be added to the prefix at node s: the prefix has the maximum
// number of rules of the class, or the number of rules that all lists below the node must have (its
// goal).
func (k *checker) full(s *checkNode) bool {
	return s.rules == k.class.rules() || s.rules > 0 && s.rules == s.goal
}

func (k *checker) child(s *checkNode, i int) checkNode {
	child := checkNode{kind: atEnd, goal: s.goal, rules: s.rules, last: s.last, settled: s.settled, left: s.left, parent: s}
	switch last := k.children(s) - 1; {
	case s.kind == atMore:
		r := k.openTable(s).rules[i]
		captured := s.table.sums[r.Antecedent]
		child.kind = atPrefix
		child.rules, child.last = s.rules+1, r
		child.settled += captured[bit(r.Label)] + k.charge(s.rules, r)
		child.left[0] -= captured[0]
		child.left[1] -= captured[1]
	case s.rules == 0 && i < 2:
		child.empty = i
	case s.rules == 0 && k.class.counts.goals != nil:
		child.kind = atMore
		child.goal = i - 1
	case i == last:
		child.kind = atMore
	}
	return child
}

// Up moves to the parent of the current node of the search tree.
func (k *checker) Up() { k.path = k.path[:len(k.path)-1] }

// Bound returns a lower bound on the cost of every list below the node. It is at least the bound of
// the parent.
func (k *checker) Bound() int64 { return k.bound(k.at()) }

func (k *checker) bound(s *checkNode) int64 {
	if s.known {
		return s.bound
	}
	switch {
	case s.kind == atEnd:
		s.bound = k.endingCost(s)
	case s.kind == atPrefix:
		s.bound = k.boundPrefix(s)
	default:
		s.bound = k.boundMore(s)
	}
	if s.parent != nil {
		s.bound = max(s.bound, k.bound(s.parent))
	}
	s.known = true
	return s.bound
}

// boundMore returns a lower bound on the costs below a node "more" (see tree). It is the greater of
// the bound that boundLonger computes from the prefix and the least bound of a child.
func (k *checker) boundMore(s *checkNode) int64 {
	least := int64(math.MaxInt64)
	for i := range k.children(s) {
		child := k.child(s, i)
		least = min(least, k.boundPrefix(&child))
	}
	return max(least, k.boundLonger(s.parent, s.goal))
}

// boundPrefix returns a lower bound on the cost of the lists that begin with the rules of node s.
func (k *checker) boundPrefix(s *checkNode) int64 {
	if s.goal > s.rules {
		return k.boundLonger(s, s.goal)
	}
	return min(k.endingCost(s), k.boundLonger(s, 0))
}

// endingCost returns the cost of the list that has only the rules of the prefix s. Without rules
// there are two lists, one for each default; then endingCost returns the lesser of their costs.
func (k *checker) endingCost(s *checkNode) int64 {
	if s.rules > 0 {
		return s.settled + s.left[bit(!s.last.Label)]
	}
	zero, one := s.settled+s.left[0]+k.empty[0], s.settled+s.left[1]+k.empty[1]
	switch {
	case s.kind == atPrefix:
		return min(zero, one)
	case s.empty == 0:
		return zero
	default:
		return one
	}
}

// boundLonger returns a lower bound on the cost of all lists that begin with the rules of node s
// and have at least one further rule. If the parameter goal is positive, it considers only the
// lists with exactly this number of rules.
//
// Method: consider a list with n further rules and the default z. If all points that no rule of s
// captures were predicted z, their cost would be known. A further rule with antecedent a saves at
// most the part of this cost that comes from the points that satisfy a, which is sums[a][z]. So n
// rules save at most the sum of the n largest of these numbers. The antecedent of the last rule of
// s is left out, because no further rule has it.
func (k *checker) boundLonger(s *checkNode, goal int) int64 {
	least := int64(math.MaxInt64)
	if k.full(s) {
		return least
	}
	from, to := 1, k.class.rules()-s.rules
	if goal > 0 {
		from, to = goal-s.rules, goal-s.rules
	}
	for n := from; n <= to; n++ {
		for z := range 2 {
			left := int64(0)
			if s.parent != nil {
				a := s.last.Antecedent
				save := s.parent.table.largestSums(a, z, n)
				if s.rules+1 == k.class.rules() {
					save = s.parent.table.maxGain(a, z)
				}
				left = max(0, s.left[z]-save)
			}
			least = min(least, s.settled+k.leastCharges[s.rules+n]-k.leastCharges[s.rules]+left)
		}
	}
	return least
}

// largestSums returns an upper bound on the cost that n further rules save if the default label is z.
// The bound is the sum of the n largest of the numbers sums[b][z], over all antecedents b other than a.
func (t *table) largestSums(a, z, n int) int64 {
	total := int64(0)
	for _, other := range t.descending[z] {
		if other != a && n > 0 {
			total += t.sums[other][z]
			n--
		}
	}
	return total
}

// maxGain returns an upper bound on the cost that one further rule saves, if it is the last rule,
// the default is z, and the rule before it has antecedent a.
//
// Let b be the antecedent of the further rule. Its records get label 1-z instead of z. This saves
// at most sums[b][z] and adds the cost sums[b][1-z]. The rule with antecedent a may capture some of
// these records first. That reduces the added cost by at most sums[a][1-z].
func (t *table) maxGain(a, z int) int64 {
	best := int64(math.MinInt64)
	for _, b := range t.lastRules[z] {
		if b != a {
			best = max(best, t.sums[b][z]-max(0, t.sums[b][1-z]-t.sums[a][1-z]))
		}
	}
	return best
}

// undominated selects the antecedents that may be needed for the last rule of a list with default z. A rule with
// antecedent b saves sums[b][z] and adds the cost sums[b][1-z]. An antecedent is not needed if two selected
// antecedents save at least as much and add no more cost. The parameter order lists the antecedents by descending
// saving.
func (t *table) undominated(order []int, z int) []int {
	var out []int
	for _, b := range order {
		before := 0
		for _, other := range out {
			if t.sums[other][1-z] <= t.sums[b][1-z] {
				before++
			}
		}
		if before < 2 {
			out = append(out, b)
		}
	}
	return out
}

// openTable returns the table of s, a node "more" (see tree). It subtracts the costs of the groups
// of points that the last rule captures from the table of the previous node "more" on the path.
func (k *checker) openTable(s *checkNode) *table {
	if s.table != nil {
		return s.table
	}
	t := &table{sums: make([][2]int64, len(k.class.antecedents))}
	if before := s.parent.parent; before == nil {
		s.groups = s.parent.groups
		for _, w := range s.groups {
			k.addGroup(t, w, 1)
		}
	} else {
		copy(t.sums, before.table.sums)
		for _, w := range before.groups {
			if k.class.satisfies(s.last.Antecedent, w.x) {
				k.addGroup(t, w, -1)
			} else {
				s.groups = append(s.groups, w)
			}
		}
	}
	if s.rules+1 < k.class.rules() { // otherwise the children are single lists
		k.rank(t)
	}
	used := make([]bool, len(t.sums))
	for at := s; at.rules > 0; at = at.parent {
		used[at.last.Antecedent] = true
	}
	for _, y := range []bool{s.last.Label, !s.last.Label} {
		for a := range t.sums {
			r := Rule{a, y}
			if !used[a] && (s.rules == 0 || r.mayFollow(s.last)) {
				t.rules = append(t.rules, r)
			}
		}
	}
	s.table = t
	return t
}

// addGroup adds the costs of the group of points w to the sums of all antecedents that the group
// satisfies, multiplied by sign, which is 1 or -1.
func (k *checker) addGroup(t *table, w *group, sign int64) {
	add := func(a int) {
		t.sums[a][0] += sign * w.excess[0]
		t.sums[a][1] += sign * w.excess[1]
	}
	for i, p := range w.literals {
		add(p)
		if k.index.start == nil {
			continue
		}
		for _, q := range w.literals[i+1:] {
			if k.index.literals[p].Attribute != k.index.literals[q].Attribute {
				add(k.index.pair(p, q))
			}
		}
	}
}

// rank sorts the antecedents by the sums of costs of the records that satisfy them. It sets the fields descending
// and lastRules of the table.
func (k *checker) rank(t *table) {
	for z := range 2 {
		order := make([]int, len(t.sums))
		for a := range order {
			order[a] = a
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(t.sums[b][z], t.sums[a][z]), cmp.Compare(a, b))
		})
		t.descending[z] = slices.Clone(order[:min(len(order), k.class.rules()+1)])
		t.lastRules[z] = t.undominated(order, z)
	}
}
