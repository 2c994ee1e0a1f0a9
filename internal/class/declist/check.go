package declist

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker walks the tree with bounds from the literals that records satisfy,
// summed up afresh at every node "more", slowly and simply.
type checker struct {
	class    *Class
	index    index
	charge   func(position int, r Rule) int64
	cheapest []int64 // [n]: the least that rules at the first n positions are charged
	empty    [2]int64
	path     []*station
}

// A witness stands for all points that satisfy the same literals.
type witness struct {
	x        []uint16
	literals []int
	excess   [2]int64 // of either label over the cheaper one
}

// A station is a node on the checker's path.
type station struct {
	kind    kind
	goal    int   // rules of the lists below, 0 for any number
	rules   int   // of the prefix
	last    Rule  // of these
	empty   int   // the default, at the end of an empty list
	paid    int64 // by the rules, with what nothing can avoid
	left    [2]int64
	above   *station // the parent
	witness []*witness
	table   *table // of "more"
	known   bool
	bound   int64
}

// A table says what the children of "more" save.
type table struct {
	sums    [][2]int64 // of each antecedent
	falling [2][]int   // [z]: antecedents in falling order of sums[·][z], as many as count
	last    [2][]int   // [z]: antecedents that can be best as the last rule of default z
	rules   []Rule     // of the children
}

// Checker returns an independent walker of the tree. The class alone shapes
// the tree, so there is one plan, the empty one.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	if len(plan) > 0 {
		return nil, fmt.Errorf("declist: the plan has %d entries; there is nothing to plan", len(plan))
	}
	if p.Terms != nil && len(p.Terms) != c.Separator() {
		return nil, fmt.Errorf("declist: there are %d terms for %d bits", len(p.Terms), c.Separator())
	}
	for _, pt := range p.Points {
		if err := c.validateRecord(pt.X); err != nil {
			return nil, err
		}
	}
	if !c.spread(p) {
		return nil, class.ErrRange
	}
	k := &checker{class: c, index: newIndex(c), charge: c.chargeByBits(p)}
	k.cheapest = make([]int64, c.rules()+1)
	for i := range c.rules() {
		least := int64(math.MaxInt64)
		for a := range c.antecedents {
			least = min(least, k.charge(i, Rule{a, false}), k.charge(i, Rule{a, true}))
		}
		k.cheapest[i+1] = k.cheapest[i] + least
	}
	if p.Terms != nil {
		k.empty[1] = p.Terms[slices.Index(c.Separate(List{Default: true}), true)]
	}
	root := &station{}
	root.witness, root.paid = c.witnesses(p.Points)
	for _, w := range root.witness {
		root.left[0] += w.excess[0]
		root.left[1] += w.excess[1]
	}
	k.path = []*station{root}
	return k, nil
}

// validateRecord reports a record that the class cannot read.
func (c *Class) validateRecord(x []uint16) error {
	if len(x) != len(c.attributes) {
		return fmt.Errorf("declist: a record has %d attributes, the class %d", len(x), len(c.attributes))
	}
	for j, v := range x {
		if int(v) >= c.attributes[j].Categories() {
			return fmt.Errorf("declist: a record has category %d of %d at attribute %d", v, c.attributes[j].Categories(), j+1)
		}
	}
	return nil
}

// chargeByBits returns what a rule at a position adds to penalties and terms,
// by the bits of a list that has it there.
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

// witnesses sums up points that satisfy the same literals, and what all lists
// pay for them.
func (c *Class) witnesses(points []class.Point[[]uint16]) (all []*witness, paid int64) {
	byLiterals := map[string]*witness{}
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
			w = &witness{x: pt.X, literals: satisfied}
			byLiterals[key] = w
			all = append(all, w)
		}
		w.excess[0] += pt.Cost[0]
		w.excess[1] += pt.Cost[1]
	}
	for _, w := range all {
		least := min(w.excess[0], w.excess[1])
		paid += least
		w.excess[0] -= least
		w.excess[1] -= least
	}
	return all, paid
}

// An index finds the number of an antecedent by its literals.
type index struct {
	literals []Literal
	first    []int   // the first literal of each attribute
	count    []int   // the literals of each attribute
	start    [][]int // the first antecedent over two attributes
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

// pair returns the number of the conjunction of literals p and q of different
// attributes, p before q.
func (ix *index) pair(p, q int) int {
	j, k := ix.literals[p].Attribute, ix.literals[q].Attribute
	return ix.start[j][k] + (p-ix.first[j])*ix.count[k] + q - ix.first[k]
}

func (k *checker) at() *station { return k.path[len(k.path)-1] }

// Children returns how many children the node has.
func (k *checker) Children() int { return k.children(k.at()) }

// Down enters child i.
func (k *checker) Down(i int) {
	child := k.child(k.at(), i)
	k.path = append(k.path, &child)
}

func (k *checker) children(s *station) int {
	switch {
	case s.kind == atEnd || s.kind == atPrefix && k.full(s):
		return 0
	case s.kind == atMore:
		return len(k.open(s).rules)
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

// full tells whether no list has more rules than the prefix.
func (k *checker) full(s *station) bool {
	return s.rules == k.class.rules() || s.rules > 0 && s.rules == s.goal
}

func (k *checker) child(s *station, i int) station {
	child := station{kind: atEnd, goal: s.goal, rules: s.rules, last: s.last, paid: s.paid, left: s.left, above: s}
	switch last := k.children(s) - 1; {
	case s.kind == atMore:
		r := k.open(s).rules[i]
		gone := s.table.sums[r.Antecedent]
		child.kind = atPrefix
		child.rules, child.last = s.rules+1, r
		child.paid += gone[bit(r.Label)] + k.charge(s.rules, r)
		child.left[0] -= gone[0]
		child.left[1] -= gone[1]
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

// Up returns to the parent.
func (k *checker) Up() { k.path = k.path[:len(k.path)-1] }

// Bound returns a lower bound on the cost of every list below the node, the
// parent's or a higher one.
func (k *checker) Bound() int64 { return k.bound(k.at()) }

func (k *checker) bound(s *station) int64 {
	if s.known {
		return s.bound
	}
	switch {
	case s.kind == atEnd:
		s.bound = k.ending(s)
	case s.kind == atPrefix:
		s.bound = k.beginning(s)
	default:
		s.bound = k.ahead(s)
	}
	if s.above != nil {
		s.bound = max(s.bound, k.bound(s.above))
	}
	s.known = true
	return s.bound
}

// ahead returns the bound at "more", from its prefix and from its children.
func (k *checker) ahead(s *station) int64 {
	least := int64(math.MaxInt64)
	for i := range k.children(s) {
		child := k.child(s, i)
		least = min(least, k.beginning(&child))
	}
	return max(least, k.longer(s.above, s.goal))
}

// beginning returns a lower bound on the lists that begin with the prefix.
func (k *checker) beginning(s *station) int64 {
	if s.goal > s.rules {
		return k.longer(s, s.goal)
	}
	return min(k.ending(s), k.longer(s, 0))
}

// ending returns what the list costs that ends at the prefix, or the cheaper
// of the empty ones.
func (k *checker) ending(s *station) int64 {
	if s.rules > 0 {
		return s.paid + s.left[bit(!s.last.Label)]
	}
	zero, one := s.paid+s.left[0]+k.empty[0], s.paid+s.left[1]+k.empty[1]
	switch {
	case s.kind == atPrefix:
		return min(zero, one)
	case s.empty == 0:
		return zero
	default:
		return one
	}
}

// longer returns a lower bound on lists that are longer than the prefix, of as
// many rules as the goal if there is one: with n more, of default z, what is
// left of z but for the n largest sums of other antecedents.
func (k *checker) longer(s *station, goal int) int64 {
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
			if s.above != nil {
				a := s.last.Antecedent
				save := s.above.table.saved(a, z, n)
				if s.rules+1 == k.class.rules() {
					save = s.above.table.gained(a, z)
				}
				left = max(0, s.left[z]-save)
			}
			least = min(least, s.paid+k.cheapest[s.rules+n]-k.cheapest[s.rules]+left)
		}
	}
	return least
}

// saved returns the sum of the n largest sums[·][z] of antecedents other than a.
func (t *table) saved(a, z, n int) int64 {
	total := int64(0)
	for _, other := range t.falling[z] {
		if other != a && n > 0 {
			total += t.sums[other][z]
			n--
		}
	}
	return total
}

// gained returns the most by which one last rule, behind one with antecedent a,
// can better default z: it is charged for all it captures of the other label
// but for what a has captured, or may have.
func (t *table) gained(a, z int) int64 {
	best := int64(math.MinInt64)
	for _, b := range t.last[z] {
		if b != a {
			best = max(best, t.sums[b][z]-max(0, t.sums[b][1-z]-t.sums[a][1-z]))
		}
	}
	return best
}

// undominated returns those of the antecedents, given in falling order of
// sums[·][z], before which fewer than two have sums[·][1-z] as low.
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

// open makes the table of "more": the prefix's above, less what its last rule
// captures.
func (k *checker) open(s *station) *table {
	if s.table != nil {
		return s.table
	}
	t := &table{sums: make([][2]int64, len(k.class.antecedents))}
	if before := s.above.above; before == nil {
		s.witness = s.above.witness
		for _, w := range s.witness {
			k.tally(t, w, 1)
		}
	} else {
		copy(t.sums, before.table.sums)
		for _, w := range before.witness {
			if k.class.satisfies(s.last.Antecedent, w.x) {
				k.tally(t, w, -1)
			} else {
				s.witness = append(s.witness, w)
			}
		}
	}
	if s.rules+1 < k.class.rules() { // or the children are single lists
		k.rank(t)
	}
	used := make([]bool, len(t.sums))
	for at := s; at.rules > 0; at = at.above {
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

// tally counts a witness for every antecedent that it satisfies.
func (k *checker) tally(t *table, w *witness, sign int64) {
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

// rank orders the antecedents for either default.
func (k *checker) rank(t *table) {
	for z := range 2 {
		order := make([]int, len(t.sums))
		for a := range order {
			order[a] = a
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(t.sums[b][z], t.sums[a][z]), cmp.Compare(a, b))
		})
		t.falling[z] = slices.Clone(order[:min(len(order), k.class.rules()+1)])
		t.last[z] = t.undominated(order, z)
	}
}
