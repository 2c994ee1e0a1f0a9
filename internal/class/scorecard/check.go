package scorecard

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker recomputes, from the points of the problem, the bounds of the search tree that a plan
// describes. It shares the definition of the class with the walker of the tree, and no other code.
// It stores the decided part of every attribute. For each group of records, it stores a curve: the
// cost of the group as a function of the points that its records get from the undecided categories
// (see curveGroup).
//
// A plan determines only which category is decided next. So the children of a node partition the
// hypotheses of the node whatever the plan is.
type checker struct {
	checkedProblem
	plan      parsedPlan
	others    []int // the attributes other than the last one
	decisions []decision
	penalty   int64
	least     [][]int64 // [attribute][category]: the least cost of the category's terms
	attrs     []attributeState
	groups    *grouping
	nodes     []checkNode // the nodes on the path, by depth
	depth     int
}

// A checkedProblem holds a problem in the form that a checker uses: the cost of predicting 0 for
// all records, and the costs of points by linear terms.
type checkedProblem struct {
	class *Class
	base  int64             // the cost of predicting 0 for all records
	terms [][]map[int]int64 // [attribute][category][contribution]; nil without terms
}

// A decision describes what the nodes at one depth of the tree decide, for example the points of
// one category. Each child of a node has another value of the decision.
type decision struct {
	kind      decisionKind
	attribute int
	category  int
	other     int // for decideOffset and decideFree: the index of the attribute in checker.others
}

type decisionKind uint8

const (
	decideStep   decisionKind = iota // the difference of a category, by a step
	decideSum                        // the sum of the offsets of all attributes but the last, and how many of these are used
	decideLast                       // the last attribute's offset
	decideTail                       // the difference of a category of the last attribute
	decideOffset                     // the offset of an attribute other than the last, and whether this attribute is used
	decideFree                       // the difference of a category, which no record has, of an attribute other than the last
	decideNothing
)

// A checkOption describes one child of a node: the value that the child's decision has and, if the
// decision includes it, the number of attributes that the cards below the child use.
type checkOption struct{ value, used int }

// A checkNode is the state of a checker at one node of its path from the root of the search tree.
type checkNode struct {
	before        attributeState // the previous state of the attribute that the parent decided
	value         int            // the value decided by a step
	certain       int            // the number of attributes that every card below uses
	fixed         int64          // the part of the bound that the base, certain penalties and terms contribute
	groupSum      int64          // the part of the bound that the groups contribute: the sum of their least costs
	hasCurves     bool           // whether the curves of the groups and groupSum are computed
	total         checkOption    // the option chosen for decideSum
	remaining     checkOption    // total minus the offsets and uses of the attributes already decided
	options       []checkOption
	optionsListed bool // whether options is computed
}

// Checker returns a checker, which verifies the bounds of the tree that the plan describes. It
// takes time proportional to the number of points times the number of decisions. The methods Down
// and Bound of the checker take time proportional to the number of groups of records that a
// decision changes.
//
// Checker fails unless the plan decides every category exactly once. It also fails if records or
// terms depend on a category that no step of the plan decides, unless the category belongs to the
// last attribute.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	if _, ok := c.spread(p); !ok {
		return nil, class.ErrRange
	}
	if err := p.CheckTerms(c.Separator()); err != nil {
		return nil, err
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

// termsOf returns the costs that the linear terms of a problem assign to the points of each
// category. The result is indexed by attribute, category and number of points.
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

// differences returns, for each distinct record, the cost of predicting 1 minus the cost of
// predicting 0, summed over all points of the problem with this record. The key is the record's
// category codes, two bytes each. Records with difference 0 are omitted. The cost of predicting 0
// for all points is added to k.base.
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

// checkCoverage returns an error if the cost of a card depends on a category that no step of the
// plan decides, unless the category belongs to the last attribute. The cost depends on a category
// if records have it or if it has a nonzero term. The tree assumes that the categories of the other
// attributes that remain undecided after the steps do not affect the cost.
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
				return fmt.Errorf("scorecard: the certificate's plan lacks a step for category %d of attribute %d, on which the cost depends", cat, j+1)
			}
		}
	}
	return nil
}

// listDecisions computes which decision about the points of a card the search tree makes at each
// depth, and stores the list in k.decisions. Element 0 is the decision of the root.
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

// Children returns the number of children of the current node of the search tree.
func (k *checker) Children() int { return len(k.options()) }

// Up moves to the parent of the current node of the search tree.
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

// Down moves to child i of the current node of the search tree.
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

// dropTailTerms subtracts the least cost of the terms of each category in the tail from n.fixed,
// because jointBound includes these terms. The tail consists of the last attribute's categories
// that no step decides.
func (k *checker) dropTailTerms(n *checkNode) {
	for _, cat := range k.plan.free[k.plan.last] {
		if k.terms != nil {
			n.fixed -= k.least[k.plan.last][cat]
		}
	}
}

// options returns the possible values of the decision at the current node of the checker, one for
// each child. It computes them at the first call.
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

// uses returns 2 if the cost or the validity of a card depends on the number of attributes that it
// uses, and otherwise 1. If it returns 2, the vectors of an attribute are counted in two cases:
// case 0 is the zero vector, which does not use the attribute, and case 1 all other vectors.
// Otherwise case 0 contains all vectors.
func (k *checker) uses() int {
	if k.class.countsUsed() {
		return 2
	}
	return 1
}

// fits reports whether an attribute other than the last one may still have a vector of case u: for
// u = 0 the zero vector, and for u = 1 another vector. The parameter attr is the state of the
// attribute. If the two cases are not distinguished (see uses), fits returns true.
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

// lastFits reports whether a card can still satisfy the limit on the number of used attributes if
// it uses u attributes other than the last one. The parameter attr is the state of the last
// attribute.
func (k *checker) lastFits(attr attributeState, u int) bool {
	most := k.class.most()
	return !k.class.countsUsed() || u < most || u == most && attr.mayBeZero()
}

// A sumSet holds the possible sums of the offsets of some attributes. reached[u][i] reports whether
// the sum lo+i is possible for a card that uses exactly u of these attributes.
type sumSet struct {
	lo      int
	reached [][]bool
}

func (s sumSet) has(sum, used int) bool {
	i := sum - s.lo
	return used >= 0 && used < len(s.reached) && i >= 0 && i < len(s.reached[used]) && s.reached[used][i]
}

// sums returns the possible sums of the offsets of the attributes k.others[i:], all attributes from
// index i on except the last one of the plan.
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
