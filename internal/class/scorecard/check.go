package scorecard

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker walks the tree of a plan and computes every bound from the
// problem's points. It has no code in common with the walker beyond the
// definitions of the class: it keeps what is known of every attribute, and the
// curves of the groups of records that the plan leaves at each level.
//
// Its children partition the class whatever the plan says: the plan only
// chooses which category is asked for next.
type checker struct {
	posed
	plan    blueprint
	others  []int // the attributes but the last
	levels  []question
	penalty int64
	least   [][]int64 // of each category: the least of its terms
	attrs   []known
	groups  *grouping
	nodes   []checkNode // by depth, the root first
	depth   int
}

// A posed is a problem as a checker reads it.
type posed struct {
	class *Class
	base  int64             // the cost of predicting 0 everywhere
	terms [][]map[int]int64 // of each category: what each contribution costs; nil without terms
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
	before  known  // the attribute that was decided to get here, as it was
	value   int    // what a step decided
	certain int    // attributes that are surely used
	fixed   int64  // of the bound: the base, certain penalties and terms
	apart   int64  // of the bound: the groups, each by itself
	joined  bool   // the groups have their curves, and apart is known
	total   answer // what was answered to askSum
	left    answer // what of it the other attributes have still to give
	answers []answer
	listed  bool // of the answers
}

// Checker returns a walker of the tree that the plan describes. It takes time
// in proportion to the points times the decisions, and Down and Bound to the
// groups that a decision changes. It refuses a plan that does not decide every category
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
	k := &checker{posed: posed{class: c}, plan: b, penalty: c.options.Penalty * p.PenaltyUnit()}
	for j := range c.attributes {
		k.attrs = append(k.attrs, unknown(&c.attributes[j], b.refs[j]))
		if j != b.last {
			k.others = append(k.others, j)
		}
	}
	d, err := k.differences(p.Points)
	if err != nil {
		return nil, err
	}
	root := checkNode{fixed: k.base, joined: true}
	if p.Terms != nil {
		k.terms = c.termsOf(p.Terms)
		for j := range k.terms {
			k.least = append(k.least, nil)
			for _, costs := range k.terms[j] {
				k.least[j] = append(k.least[j], slices.Min(slices.Collect(maps.Values(costs))))
				root.fixed += k.least[j][len(k.least[j])-1]
			}
		}
	}
	for _, attr := range k.attrs {
		if !attr.mayBeZero() {
			root.certain++
			root.fixed += k.penalty
		}
	}
	k.groups = newGrouping(k.attrs, d, c.options.Threshold)
	root.apart = k.groups.apart()
	if err := k.covered(); err != nil {
		return nil, err
	}
	for _, s := range b.steps {
		k.groups.decide(s.attribute, s.category)
	}
	k.groups.end(b.last)
	k.ask()
	k.nodes = make([]checkNode, len(k.levels))
	k.nodes[0] = root
	if len(b.steps) == 0 {
		k.freeTail(&k.nodes[0])
	}
	return k, nil
}

// termsOf returns what the terms make each contribution of each category cost.
func (c *Class) termsOf(terms []int64) [][]map[int]int64 {
	out := make([][]map[int]int64, len(c.attributes))
	for j, of := range c.levels {
		for _, levels := range of {
			costs := map[int]int64{}
			sum := int64(0)
			for i, v := range levels {
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

// differences returns, by pattern of nothing decided, what predicting 1 costs more
// than predicting 0, and adds what predicting 0 costs to the base.
func (k *posed) differences(points []class.Point[[]uint16]) (map[string]int64, error) {
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
	maps.DeleteFunc(d, func(_ string, d int64) bool { return d == 0 })
	return d, nil
}

// covered tells whether the steps decide all that matters but the last
// attribute.
func (k *checker) covered() error {
	for _, j := range k.others {
		for _, cat := range k.plan.free[j] {
			matters := k.groups.have(j, cat)
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

func (k *checker) node() *checkNode { return &k.nodes[k.depth] }

func (k *checker) question() question { return k.levels[k.depth] }

// Children returns how many children the node has.
func (k *checker) Children() int { return len(k.answers()) }

// Up returns to the parent.
func (k *checker) Up() {
	n := k.node()
	k.depth--
	switch q := k.question(); q.ask {
	case askStep, askTail, askFree:
		k.attrs[q.attribute] = n.before
		k.attrs[q.attribute].forget(q.category)
	case askLast, askOffset:
		k.attrs[q.attribute] = n.before
	}
}

// Down enters child i.
func (k *checker) Down(i int) {
	k.join(math.MaxInt64)
	q, a, parent := k.question(), k.answers()[i], k.node()
	attr := &k.attrs[q.attribute]
	k.depth++
	n := k.node()
	*n = checkNode{
		before: *attr, value: a.value, certain: parent.certain, fixed: parent.fixed, apart: parent.apart, joined: true,
		total: parent.total, left: parent.left, answers: n.answers,
	}
	zero := attr.mayBeZero()
	switch q.ask {
	case askStep, askTail, askFree:
		attr.assign(q.category, a.value)
		n.joined = q.ask != askStep
		if k.terms != nil && q.ask != askTail {
			n.fixed += k.terms[q.attribute][q.category][a.value] - k.least[q.attribute][q.category]
		}
	case askSum:
		n.total, n.left = a, a
		if k.class.tracked() {
			n.certain = a.used
			if !k.attrs[k.plan.last].mayBeZero() {
				n.certain++
			}
		}
	case askLast:
		*attr = attr.place(a.value)
	case askOffset:
		*attr = attr.place(a.value)
		attr.uses = a.used
		n.left.value -= a.value
		n.left.used -= a.used
	}
	if zero && !attr.mayBeZero() && (q.ask == askStep || q.ask == askLast || q.ask == askTail) {
		n.certain++
	}
	n.fixed += int64(n.certain-parent.certain) * k.penalty
	if q.ask == askStep && k.question().ask == askSum {
		k.freeTail(n)
	}
}

// freeTail takes the least terms of the categories that the steps leave of the last
// attribute out of what is fixed: together looks at them.
func (k *checker) freeTail(n *checkNode) {
	for _, cat := range k.plan.free[k.plan.last] {
		if k.terms != nil {
			n.fixed -= k.least[k.plan.last][cat]
		}
	}
}

// answers lists the children of the node.
func (k *checker) answers() []answer {
	q, n := k.question(), k.node()
	if n.listed {
		return n.answers
	}
	n.answers, n.listed = n.answers[:0], true
	add := func(value, used int) { n.answers = append(n.answers, answer{value, used}) }
	attr := &k.attrs[q.attribute]
	switch q.ask {
	case askStep:
		if k.class.tracked() && n.certain == k.class.most() && attr.mayBeZero() {
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
				if reached && k.lastFits(k.attrs[k.plan.last], u) {
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
	return n.answers
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
	return !k.class.tracked() || u < most || u == most && attr.mayBeZero()
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
		attr := &k.attrs[j]
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
