package scorecard

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker walks the tree of a plan and computes every bound from the problem's points. Beyond the
// definition of the class it shares no code with the walker. It keeps the decided part of every
// attribute and the curves of the groups of records.
//
// The children of a node partition its hypotheses for any plan: the plan only determines which
// category is decided next.
type checker struct {
	checkedProblem
	plan      parsedPlan
	others    []int // the attributes other than the last
	decisions []decision
	penalty   int64
	least     [][]int64 // for each category, the minimum of its terms
	attrs     []attributeState
	groups    *grouping
	nodes     []checkNode // by depth
	depth     int
}

// A checkedProblem is a problem in the form that a checker uses.
type checkedProblem struct {
	class *Class
	base  int64             // the cost of predicting 0 for all records
	terms [][]map[int]int64 // [attribute][category][contribution]; nil without terms
}

// A decision is what the children of a node decide.
type decision struct {
	kind      decisionKind
	attribute int
	category  int
	other     int // the index of the attribute among those other than the last
}

type decisionKind uint8

const (
	decideStep   decisionKind = iota // the difference of a category, by a step
	decideSum                        // the sum of the offsets of all attributes but the last, and how many of these are used
	decideLast                       // the last attribute's offset
	decideTail                       // the difference of a category of the last attribute
	decideOffset                     // the offset of another attribute, and whether it is used
	decideFree                       // the difference of a category that no record has
	decideNothing
)

// A checkOption leads to a child: a value, and the number of used attributes if the decision
// includes it.
type checkOption struct{ value, used int }

// A checkNode is one node of the path.
type checkNode struct {
	before        attributeState // the attribute decided by the parent, in its previous state
	value         int            // the value decided by a step
	certain       int            // number of attributes that are certainly used
	fixed         int64          // part of the bound: the base, certain penalties and terms
	groupSum      int64          // part of the bound: the sum of the least costs of the groups
	hasCurves     bool           // the curves of the groups and groupSum are computed
	total         checkOption    // the option chosen for decideSum
	remaining     checkOption    // the part of total that the attributes not yet decided must provide
	options       []checkOption
	optionsListed bool // options is computed
}

// Checker returns a checker of the tree that the plan describes. It takes time proportional to the
// number of points times the number of decisions; Down and Bound take time proportional to the
// groups that a decision changes. It fails unless the plan decides every category exactly once and
// its steps decide every category that records or terms depend on, except those of the last
// attribute.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	if _, ok := c.spread(p); !ok {
		return nil, class.ErrRange
	}
	if p.Terms != nil && len(p.Terms) != c.Separator() {
		return nil, fmt.Errorf("scorecard: the problem has %d terms, but the separator has %d bits", len(p.Terms), c.Separator())
	}
	if c.options.Norm > 0 {
		return c.normChecker(p, plan)
	}
	b, err := c.readPlan(plan, p.Terms != nil)
	if err != nil {
		return nil, err
	}
	k := &checker{checkedProblem: checkedProblem{class: c}, plan: b, penalty: c.options.Penalty * p.PenaltyUnit()}
	for j := range c.attributes {
		k.attrs = append(k.attrs, newAttributeState(&c.attributes[j], b.refs[j]))
		if j != b.last {
			k.others = append(k.others, j)
		}
	}
	d, err := k.differences(p.Points)
	if err != nil {
		return nil, err
	}
	root := checkNode{fixed: k.base, hasCurves: true}
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
	root.groupSum = k.groups.sumOfLeast()
	if err := k.checkCoverage(); err != nil {
		return nil, err
	}
	for _, s := range b.steps {
		k.groups.decide(s.attribute, s.category)
	}
	k.groups.end(b.last)
	k.listDecisions()
	k.nodes = make([]checkNode, len(k.decisions))
	k.nodes[0] = root
	if len(b.steps) == 0 {
		k.dropTailTerms(&k.nodes[0])
	}
	return k, nil
}

// termsOf returns the cost that the terms assign to each contribution of each category.
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

// differences returns the cost of predicting 1 minus that of predicting 0 for each pattern of
// undecided categories, and adds the cost of predicting 0 to the base.
func (k *checkedProblem) differences(points []class.Point[[]uint16]) (map[string]int64, error) {
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

// checkCoverage returns an error if a category of an attribute other than the last matters but is
// decided by no step.
func (k *checker) checkCoverage() error {
	for _, j := range k.others {
		for _, cat := range k.plan.free[j] {
			matters := k.groups.contains(j, cat)
			if k.terms != nil {
				for _, cost := range k.terms[j][cat] {
					matters = matters || cost != 0
				}
			}
			if matters {
				return fmt.Errorf("scorecard: the plan must decide category %d of attribute %d by a step, because records or terms depend on it", cat, j+1)
			}
		}
	}
	return nil
}

// listDecisions fills decisions, from the root on.
func (k *checker) listDecisions() {
	for _, s := range k.plan.steps {
		k.decisions = append(k.decisions, decision{kind: decideStep, attribute: s.attribute, category: s.category})
	}
	k.decisions = append(k.decisions, decision{kind: decideSum}, decision{kind: decideLast, attribute: k.plan.last})
	for _, cat := range k.plan.free[k.plan.last] {
		k.decisions = append(k.decisions, decision{kind: decideTail, attribute: k.plan.last, category: cat})
	}
	for i, j := range k.others {
		k.decisions = append(k.decisions, decision{kind: decideOffset, attribute: j, other: i})
		for _, cat := range k.plan.free[j] {
			k.decisions = append(k.decisions, decision{kind: decideFree, attribute: j, category: cat, other: i})
		}
	}
	k.decisions = append(k.decisions, decision{kind: decideNothing})
}

func (k *checker) node() *checkNode { return &k.nodes[k.depth] }

func (k *checker) decision() decision { return k.decisions[k.depth] }

// Children returns the number of children.
func (k *checker) Children() int { return len(k.options()) }

// Up returns to the parent.
func (k *checker) Up() {
	n := k.node()
	k.depth--
	switch q := k.decision(); q.kind {
	case decideStep, decideTail, decideFree:
		k.attrs[q.attribute] = n.before
		k.attrs[q.attribute].undecide(q.category)
	case decideLast, decideOffset:
		k.attrs[q.attribute] = n.before
	}
}

// Down enters child i.
func (k *checker) Down(i int) {
	k.computeCurves(math.MaxInt64)
	q, a, parent := k.decision(), k.options()[i], k.node()
	attr := &k.attrs[q.attribute]
	k.depth++
	n := k.node()
	*n = checkNode{
		before: *attr, value: a.value, certain: parent.certain, fixed: parent.fixed, groupSum: parent.groupSum, hasCurves: true,
		total: parent.total, remaining: parent.remaining, options: n.options,
	}
	zero := attr.mayBeZero()
	switch q.kind {
	case decideStep, decideTail, decideFree:
		attr.assign(q.category, a.value)
		n.hasCurves = q.kind != decideStep
		if k.terms != nil && q.kind != decideTail {
			n.fixed += k.terms[q.attribute][q.category][a.value] - k.least[q.attribute][q.category]
		}
	case decideSum:
		n.total, n.remaining = a, a
		if k.class.countsUsed() {
			n.certain = a.used
			if !k.attrs[k.plan.last].mayBeZero() {
				n.certain++
			}
		}
	case decideLast:
		*attr = attr.setOffset(a.value)
	case decideOffset:
		*attr = attr.setOffset(a.value)
		attr.uses = a.used
		n.remaining.value -= a.value
		n.remaining.used -= a.used
	}
	if zero && !attr.mayBeZero() && (q.kind == decideStep || q.kind == decideLast || q.kind == decideTail) {
		n.certain++
	}
	n.fixed += int64(n.certain-parent.certain) * k.penalty
	if q.kind == decideStep && k.decision().kind == decideSum {
		k.dropTailTerms(n)
	}
}

// dropTailTerms subtracts the least terms of the tail from fixed, since jointBound includes the
// terms of the tail.
func (k *checker) dropTailTerms(n *checkNode) {
	for _, cat := range k.plan.free[k.plan.last] {
		if k.terms != nil {
			n.fixed -= k.least[k.plan.last][cat]
		}
	}
}

// options returns the children of the node.
func (k *checker) options() []checkOption {
	q, n := k.decision(), k.node()
	if n.optionsListed {
		return n.options
	}
	n.options, n.optionsListed = n.options[:0], true
	add := func(value, used int) { n.options = append(n.options, checkOption{value, used}) }
	attr := &k.attrs[q.attribute]
	switch q.kind {
	case decideStep:
		if k.class.countsUsed() && n.certain == k.class.most() && attr.mayBeZero() {
			add(0, 0)
			break
		}
		for _, v := range attr.differences(q.category) {
			add(v, 0)
		}
	case decideSum:
		sums := k.sums(0)
		for u, at := range sums.reached {
			for i, reached := range at {
				if reached && k.lastFits(k.attrs[k.plan.last], u) {
					add(sums.lo+i, u)
				}
			}
		}
	case decideLast:
		lo, hi := attr.offsets()
		for v := lo; v <= hi; v++ {
			if k.lastFits(attr.setOffset(v), n.total.used) {
				add(v, 0)
			}
		}
	case decideTail:
		for _, v := range attr.differences(q.category) {
			if k.lastFits(attr.decide(q.category, v), n.total.used) {
				add(v, 0)
			}
		}
	case decideOffset:
		after := k.sums(q.other + 1)
		lo, hi := attr.offsets()
		for u := range k.uses() {
			for v := lo; v <= hi; v++ {
				if k.fits(attr.setOffset(v), u) && after.has(n.remaining.value-v, n.remaining.used-u) {
					add(v, u)
				}
			}
		}
	case decideFree:
		for _, v := range attr.differences(q.category) {
			if k.fits(attr.decide(q.category, v), attr.uses) {
				add(v, 0)
			}
		}
	}
	return n.options
}

// uses returns the number of values of an attribute's use: 2, or 1 if use does not matter.
func (k *checker) uses() int {
	if k.class.countsUsed() {
		return 2
	}
	return 1
}

// fits reports whether an attribute other than the last can use u attributes, 0 or 1.
func (k *checker) fits(attr attributeState, u int) bool {
	switch {
	case !k.class.countsUsed():
		return true
	case u == 0:
		return attr.mayBeZero()
	default:
		return attr.mayBeUsed()
	}
}

// lastFits reports whether the last attribute has a valid vector if u of the other attributes are
// used.
func (k *checker) lastFits(attr attributeState, u int) bool {
	most := k.class.most()
	return !k.class.countsUsed() || u < most || u == most && attr.mayBeZero()
}

// A sumSet holds the possible sums of offsets of some attributes, by the number of these that are
// used: reached[u][i] reports whether the sum lo+i is possible.
type sumSet struct {
	lo      int
	reached [][]bool
}

func (s sumSet) has(sum, used int) bool {
	i := sum - s.lo
	return used >= 0 && used < len(s.reached) && i >= 0 && i < len(s.reached[used]) && s.reached[used][i]
}

// sums returns the possible sums of the attributes other than the last, from the i-th of these on.
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
				if !k.fits(attr.setOffset(v), u) {
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
