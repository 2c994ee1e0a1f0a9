package scorecard

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker walks the tree of a plan and computes every bound from the
// problem's points. It has no code in common with the walker beyond the
// definitions of the class: a node keeps what is known of every attribute and
// the groups of records that this leaves, and each child makes them anew.
//
// Its children partition the class whatever the plan says: the plan only
// chooses which category is asked for next.
type checker struct {
	class    *Class
	plan     blueprint
	others   []int // the attributes but the last
	levels   []question
	base     int64 // the cost of predicting 0 everywhere
	penalty  int64
	terms    [][]map[int]int64 // of each category: what each contribution costs; nil without terms
	nodes    []checkNode       // the path, the root first
	children []answer          // of the node at hand, if listed
	listed   bool
}

// A question is what the children of a node decide.
type question struct {
	ask       ask
	attribute int
	category  int
	other     int // the place of the attribute among those but the last
}

type ask uint8

const (
	askStep   ask = iota // the difference of a category, by a step
	askSum               // the sum of the offsets of all attributes but the last, and how many of these are used
	askLast              // the last attribute's offset
	askTail              // the difference of a category of the last attribute
	askOffset            // the offset of another attribute, and whether it is used
	askFree              // the difference of a category that matters to no record
	askNothing
)

// An answer leads to a child: a value, and how many attributes it uses where
// the question asks for that too.
type answer struct{ value, used int }

// A checkNode is a node on the path.
type checkNode struct {
	attrs  []known
	groups []group
	pairs  []pair // what becomes of the groups below; nil until asked for
	total  answer // what was answered to askSum
	left   answer // what of it the other attributes have still to give
}

// Checker returns a walker of the tree that the plan describes. It takes time
// in proportion to the points, and Down and Bound to the distinct patterns
// that the node leaves. It refuses a plan that does not decide every category
// exactly once, or that leaves a category undecided by steps which records or
// terms depend on and which is not of the last attribute.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	if _, ok := c.spread(p); !ok {
		return nil, class.ErrRange
	}
	if p.Terms != nil && len(p.Terms) != c.Separator() {
		return nil, fmt.Errorf("scorecard: the problem has %d terms, the class %d bits", len(p.Terms), c.Separator())
	}
	if c.options.Norm > 0 {
		return c.normChecker(p, plan)
	}
	b, err := c.readPlan(plan, p.Terms != nil)
	if err != nil {
		return nil, err
	}
	k := &checker{class: c, plan: b, penalty: c.options.Penalty * p.PenaltyUnit()}
	root := checkNode{}
	for j := range c.attributes {
		root.attrs = append(root.attrs, unknown(&c.attributes[j], b.refs[j]))
		if j != b.last {
			k.others = append(k.others, j)
		}
	}
	if p.Terms != nil {
		k.terms = c.termsOf(p.Terms)
	}
	if root.groups, err = k.collapse(p.Points); err != nil {
		return nil, err
	}
	if err := k.covered(root.groups); err != nil {
		return nil, err
	}
	k.nodes = []checkNode{root}
	k.ask()
	return k, nil
}

// termsOf returns what the terms make each contribution of each category cost.
func (c *Class) termsOf(terms []int64) [][]map[int]int64 {
	out := make([][]map[int]int64, len(c.attributes))
	for j, a := range c.attributes {
		for cat := range a.categories {
			costs := map[int]int64{}
			sum := int64(0)
			for i, v := range a.Levels(cat) {
				if i > 0 {
					sum, terms = sum+terms[0], terms[1:]
				}
				costs[v] = sum
			}
			out[j] = append(out[j], costs)
		}
	}
	return out
}

// collapse groups the points as they are at the root.
func (k *checker) collapse(points []class.Point[[]uint16]) ([]group, error) {
	d := map[string]int64{}
	var pattern []byte
	for _, pt := range points {
		if err := k.class.validateRecord(pt.X); err != nil {
			return nil, err
		}
		pattern = pattern[:0]
		for _, cat := range pt.X {
			pattern = binary.BigEndian.AppendUint16(pattern, cat)
		}
		d[string(pattern)] += pt.Cost[1] - pt.Cost[0]
		k.base += pt.Cost[0]
	}
	var groups []group
	for _, pattern := range slices.Sorted(maps.Keys(d)) {
		if d[pattern] != 0 {
			groups = append(groups, group{pattern: pattern, steps: []stair{{0, d[pattern]}}})
		}
	}
	for j, ref := range k.plan.refs {
		if ref >= 0 {
			groups = decide(pairs(groups, j, ref), 0)
		}
	}
	return groups, nil
}

// covered tells whether the steps decide all that matters but the last
// attribute.
func (k *checker) covered(groups []group) error {
	for _, j := range k.others {
		for _, cat := range k.plan.free[j] {
			matters := slices.ContainsFunc(groups, func(g group) bool { return g.undecided(j) == cat })
			if k.terms != nil {
				for _, cost := range k.terms[j][cat] {
					matters = matters || cost != 0
				}
			}
			if matters {
				return fmt.Errorf("scorecard: no step of the plan decides category %d of attribute %d, which matters", cat, j+1)
			}
		}
	}
	return nil
}

// ask lists the questions, from the root on.
func (k *checker) ask() {
	for _, s := range k.plan.steps {
		k.levels = append(k.levels, question{ask: askStep, attribute: s.attribute, category: s.category})
	}
	k.levels = append(k.levels, question{ask: askSum}, question{ask: askLast, attribute: k.plan.last})
	for _, cat := range k.plan.free[k.plan.last] {
		k.levels = append(k.levels, question{ask: askTail, attribute: k.plan.last, category: cat})
	}
	for i, j := range k.others {
		k.levels = append(k.levels, question{ask: askOffset, attribute: j, other: i})
		for _, cat := range k.plan.free[j] {
			k.levels = append(k.levels, question{ask: askFree, attribute: j, category: cat, other: i})
		}
	}
	k.levels = append(k.levels, question{ask: askNothing})
}

func (k *checker) node() *checkNode { return &k.nodes[len(k.nodes)-1] }

func (k *checker) question() question { return k.levels[len(k.nodes)-1] }

// Children returns how many children the node has.
func (k *checker) Children() int { return len(k.answers()) }

// Up returns to the parent.
func (k *checker) Up() {
	k.nodes = k.nodes[:len(k.nodes)-1]
	k.listed = false
}

// Down enters child i.
func (k *checker) Down(i int) {
	q, a := k.question(), k.answers()[i]
	n := *k.node()
	n.attrs = slices.Clone(n.attrs)
	attr := &n.attrs[q.attribute]
	switch q.ask {
	case askStep, askTail, askFree:
		*attr = attr.decide(q.category, a.value)
		if n.pairs == nil {
			n.pairs = pairs(n.groups, q.attribute, q.category)
			k.node().pairs = n.pairs
		}
		n.groups, n.pairs = decide(n.pairs, a.value), nil
	case askSum:
		n.total, n.left = a, a
	case askLast:
		*attr = attr.place(a.value)
	case askOffset:
		*attr = attr.place(a.value)
		attr.uses = a.used
		n.left.value -= a.value
		n.left.used -= a.used
	}
	k.nodes = append(k.nodes, n)
	k.listed = false
}

// answers lists the children of the node.
func (k *checker) answers() []answer {
	if k.listed {
		return k.children
	}
	k.children, k.listed = k.children[:0], true
	q, n := k.question(), k.node()
	add := func(value, used int) { k.children = append(k.children, answer{value, used}) }
	attr := n.attrs[q.attribute]
	switch q.ask {
	case askStep:
		if k.class.tracked() && k.certain() == k.class.most() && attr.mayBeZero() {
			add(0, 0)
			break
		}
		for _, v := range attr.differences(q.category) {
			add(v, 0)
		}
	case askSum:
		sums := k.sums(0)
		for u, at := range sums.reached {
			for i, reached := range at {
				if reached && k.lastFits(n.attrs[k.plan.last], u) {
					add(sums.lo+i, u)
				}
			}
		}
	case askLast:
		lo, hi := attr.offsets()
		for v := lo; v <= hi; v++ {
			if k.lastFits(attr.place(v), n.total.used) {
				add(v, 0)
			}
		}
	case askTail:
		for _, v := range attr.differences(q.category) {
			if k.lastFits(attr.decide(q.category, v), n.total.used) {
				add(v, 0)
			}
		}
	case askOffset:
		after := k.sums(q.other + 1)
		lo, hi := attr.offsets()
		for u := range k.uses() {
			for v := lo; v <= hi; v++ {
				if k.fits(attr.place(v), u) && after.has(n.left.value-v, n.left.used-u) {
					add(v, u)
				}
			}
		}
	case askFree:
		for _, v := range attr.differences(q.category) {
			if k.fits(attr.decide(q.category, v), attr.uses) {
				add(v, 0)
			}
		}
	}
	return k.children
}

// uses returns how many answers there are to how many attributes one attribute
// uses: only 0 where it does not matter.
func (k *checker) uses() int {
	if k.class.tracked() {
		return 2
	}
	return 1
}

// fits tells whether an attribute other than the last may use u attributes.
func (k *checker) fits(attr known, u int) bool {
	switch {
	case !k.class.tracked():
		return true
	case u == 0:
		return attr.mayBeZero()
	default:
		return attr.mayBeUsed()
	}
}

// lastFits tells whether the last attribute has a vector left when u of the
// attributes before it are used.
func (k *checker) lastFits(attr known, u int) bool {
	most := k.class.most()
	return !k.class.tracked() || u <= most && attr.mayBeZero() || u < most && attr.mayBeUsed()
}

// certain counts the attributes that are surely used.
func (k *checker) certain() int {
	n, count := k.node(), 0
	given := k.question().ask > askSum
	if given {
		count = n.total.used
	}
	for j, attr := range n.attrs {
		if (!given || j == k.plan.last) && !attr.mayBeZero() {
			count++
		}
	}
	return count
}

// A sumSet says which sums of offsets, with how many attributes used, some
// attributes can give: reached[u][i] is that of the sum lo+i.
type sumSet struct {
	lo      int
	reached [][]bool
}

func (s sumSet) has(sum, used int) bool {
	i := sum - s.lo
	return used >= 0 && used < len(s.reached) && i >= 0 && i < len(s.reached[used]) && s.reached[used][i]
}

// sums returns what the attributes but the last can give, from the i-th of these
// on.
func (k *checker) sums(i int) sumSet {
	out := sumSet{0, [][]bool{{true}}}
	for _, j := range k.others[i:] {
		attr := k.node().attrs[j]
		lo, hi := attr.offsets()
		next := sumSet{lo: out.lo + lo}
		for range len(out.reached) + k.uses() - 1 {
			next.reached = append(next.reached, make([]bool, len(out.reached[0])+hi-lo))
		}
		for v := lo; v <= hi; v++ {
			for u := range k.uses() {
				if !k.fits(attr.place(v), u) {
					continue
				}
				for before, at := range out.reached {
					for s, reached := range at {
						if reached {
							next.reached[before+u][s+v-lo] = true
						}
					}
				}
			}
		}
		out = next
	}
	return out
}
