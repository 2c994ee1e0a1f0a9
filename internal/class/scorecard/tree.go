package scorecard

import (
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A tree is the search tree of a class of scorecards for one problem. It holds a program of merges,
// and the cost tables that remain after all merges.
//
// The levels of the tree, from the root:
//
//  1. one level for each step, which decides the value of one category of one attribute;
//  2. the sum O of the offsets of all attributes but the last. If the number U of these attributes
//     that are used matters, this level decides U as well;
//  3. the offset of the last attribute;
//  4. one level for each category of the last attribute that no step decides. Below these levels
//     the cost is exact;
//  5. for each of the other attributes its offset, and then one level for each of its categories
//     that no step decides. No record has such a category.
type tree[T cell] struct {
	class   *Class
	axes    []axis
	states  [][]axisState // [attribute]: the states of its axis
	order   [][]int       // [attribute]: its categories in the order in which they are decided
	steps   []step[T]
	last    int   // the last attribute
	others  []int // the attributes other than the last
	rootSum int64 // the bound at the root minus the sum of the minima of the cost tables
	ceiling int64
	terms   [][][]int64
	penalty int64

	kernel      kernel[T]
	arena, mins []T
	live        []int32    // the cost tables at the root
	tables      tail       // the tables that remain after the steps
	limit       *normLimit // the limit on the norm, or nil
	records     []record
	clusters    []cluster       // by depth; nil if nodes have no Mass
	tableStarts []int32         // [cost table]: the index in the arena of its entry 0
	leastTotal  int             // the total that belongs to entry 0 of every cost table
	freeCounts  [][]class.Upper // freeCounts[j][n] bounds the number of ways to choose the points of n unconstrained categories of attribute j

	incumbent     Card
	incumbentCost int64
}

// A step is a level of the search tree that decides the points of one category, together with the
// merges of cost tables that this decision requires.
type step[T cell] struct {
	attribute, category int
	batches             []batch[T]
}

// A tail holds the cost tables that remain after all steps of a search tree: one for the records
// with every category decided, and one for each undecided category of the last attribute.
type tail struct {
	closed table
	byCat  []table // in the order in which these categories are decided
}

// A table is one of the cost tables that remain after all steps. Its entry 0 is for the total lo.
// The table of a category of the last attribute also has the range of the category's points,
// least..most, and the costs that the linear terms assign to them.
type table struct {
	costTable
	lo          int
	least, most int
	terms       []int64
}

// A record is a distinct record of a problem, with the cost difference summed over all points that
// have it.
type record struct {
	x          []uint16
	d          int64 // the cost of predicting 1 minus that of predicting 0
	multiplier int64 // the record's Lagrange multiplier: a further cost for each unit of its total
}

// collapse merges the points of a problem with equal records. It leaves out records for which both
// predictions cost the same. The result base is the cost of predicting 0 for all points.
func collapse(points []class.Point[[]uint16]) (records []record, base int64) {
	for _, pt := range class.Distinct(points, slices.Compare) {
		base += pt.Cost[0]
		if d := pt.Cost[1] - pt.Cost[0]; d != 0 {
			records = append(records, record{x: pt.X, d: d})
		}
	}
	return records, base
}

// Tree builds the search tree of the problem. The time grows with the product of the number of
// distinct records and the number of categories; for some thousands of records it is some
// milliseconds. If Tree expects a long search, it tries several orders of steps, which takes
// longer. It panics if the tables have more than class.MostCells cells; Layout bounds their number
// in advance.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[Card], error) {
	spread, ok := c.spread(p)
	if !ok {
		return nil, class.ErrRange
	}
	records, base := collapse(p.Points)
	incumbent := newDescent(c, p, records, base).best()
	switch {
	case c.options.Norm > 0:
		return c.normTree(p, records, base, incumbent, spread), nil
	case spread < narrowCosts:
		return plainTree[int32](c, p, records, base, incumbent), nil
	default:
		return plainTree[int64](c, p, records, base, incumbent), nil
	}
}

// narrowCosts determines the size of the entries of cost tables: 32 bits if the sum of all absolute
// costs is less than narrowCosts, and otherwise 64 bits.
const narrowCosts = 1 << 28

// plainTree builds the search tree of a class without a limit on the norm. Tree and newTree explain
// the parameters.
func plainTree[T cell](c *Class, p class.Problem[[]uint16], records []record, base int64, incumbent Card) class.Tree[Card] {
	return newTree[T](c, p, records, base, incumbent).build(records, func(t *tree[T]) class.Tree[Card] { return t })
}

// references returns the reference category of each attribute, or -1 for an attribute that is not
// reference-coded (see axis). If the parameter refCoded is true, the attributes created by OneHot
// are reference-coded; otherwise no attribute is. The reference category is the one whose records
// have the greatest sum of absolute cost differences.
func (c *Class) references(records []record, refCoded bool) []int {
	refs := make([]int, len(c.attributes))
	for j, a := range c.attributes {
		refs[j] = -1
		if !refCoded || !a.oneHot() {
			continue
		}
		weight := make([]int64, a.categories)
		for _, r := range records {
			weight[r.x[j]] += max(r.d, -r.d)
		}
		refs[j] = slices.Index(weight, slices.Max(weight))
	}
	return refs
}

// newTree returns a search tree that has no steps yet. It computes the costs by penalties and
// terms.
func newTree[T cell](c *Class, p class.Problem[[]uint16], records []record, base int64, incumbent Card) *tree[T] {
	t := &tree[T]{
		class: c, penalty: c.options.Penalty * p.PenaltyUnit(),
		terms: c.termCosts(p.Terms), rootSum: base,
		kernel:    fastest[T](),
		incumbent: incumbent, incumbentCost: class.Cost(c, p, incumbent),
		records: records,
	}
	// Moving a constant from one attribute to another would change the norm and the costs of terms.
	for j, ref := range c.references(records, p.Terms == nil && c.options.Norm == 0) {
		t.axes = append(t.axes, newAxis(c.attributes[j], ref, c.options.Norm))
	}
	for j := range t.terms {
		for _, costs := range t.terms[j] {
			least := slices.Min(costs)
			t.rootSum += least
			for i := range costs {
				costs[i] -= least
			}
		}
	}
	t.ceiling = t.rootSum + int64(c.most())*t.penalty
	for j := range t.terms {
		for _, costs := range t.terms[j] {
			t.ceiling += slices.Max(costs)
		}
	}
	for _, r := range records {
		t.ceiling += max(r.d, 0)
	}
	return t
}

// build tries several orders of the steps for the records, and returns the tree with the best one.
// The function finish completes a tree whose order is known.
func (t *tree[T]) build(records []record, finish func(*tree[T]) class.Tree[Card]) class.Tree[Card] {
	b := newBuilder[T](t.axes, records, t.class.options.Threshold, t.class.options.Norm)
	t.live = slices.Clone(b.live)
	return t.bestOrder(b, finish)
}

// withOrder returns a copy of the tree with an order of the steps. A learner determines the order,
// with the scale given by the parameter share of newLearner.
func (t tree[T]) withOrder(b *builder[T], share int64) *tree[T] {
	learner := newLearner(&t, b, share)
	learner.learn()
	t.order = learner.order
	t.last = learner.last
	for j := range t.axes {
		t.states = append(t.states, t.axes[j].states(t.order[j]))
		if j != t.last {
			t.others = append(t.others, j)
		}
	}
	t.tables = openTail(&t, b)
	t.findClusters(b)
	// Learning has filled the tables along one path. Walkers rely only on the cost tables at the
	// root and on the tables of zeros.
	b.arena = b.arena[:len(b.arena)+paddedSize(b.span)]
	t.arena, t.mins = b.arena, b.mins
	return &t
}

// openTail returns the cost tables that remain in builder b after all steps of the search tree t.
func openTail[T cell](t *tree[T], b *builder[T]) tail {
	pattern := make([]uint16, len(t.axes))
	for j := range pattern {
		pattern[j] = decided
	}
	find := func() table {
		lo, n := b.totals(b.rangeOf(pattern))
		id := b.tableFor(b.patterns.number(pattern))
		if id < 0 {
			id = b.zero(n)
		}
		return table{costTable: b.costTables[id], lo: lo}
	}
	open := tail{closed: find()}
	for _, cat := range t.tailOrder() {
		pattern[t.last] = uint16(cat)
		tb := find()
		tb.least, tb.most = t.axes[t.last].attr.bounds(cat)
		if t.terms != nil {
			tb.terms = t.terms[t.last][cat]
		}
		open.byCat = append(open.byCat, tb)
	}
	return open
}

// stepsOf returns the number of steps that decide categories of attribute j.
func (t *tree[T]) stepsOf(j int) int {
	n := 0
	for _, s := range t.steps {
		if s.attribute == j {
			n++
		}
	}
	return n
}

// tailOrder returns the categories of the last attribute that no step of the search tree decides.
func (t *tree[T]) tailOrder() []int { return t.order[t.last][t.stepsOf(t.last):] }

// Plan returns the description of the tree for a certificate, as a list of integers. It consists of
// these parts, in this order:
//
//   - the reference category of each attribute, or -1 without reference coding (see axis);
//   - the last attribute;
//   - the number of steps;
//   - two numbers for each decision, its attribute and its category: first the steps, then the
//     remaining categories in the order in which they are decided.
func (t *tree[T]) Plan() []int {
	var plan []int
	for _, a := range t.axes {
		plan = append(plan, a.ref)
	}
	plan = append(plan, t.last, len(t.steps))
	steps := make([]int, len(t.axes))
	for _, s := range t.steps {
		plan = append(plan, s.attribute, s.category)
		steps[s.attribute]++
	}
	for j, order := range t.order {
		for _, cat := range order[steps[j]:] {
			plan = append(plan, j, cat)
		}
	}
	return plan
}

// Incumbent returns the best card that a local search found, and its cost. Searches of the tree
// start from this card.
func (t *tree[T]) Incumbent() (Card, int64) { return t.incumbent.clone(), t.incumbentCost }

// Ceiling returns an upper bound on the cost of every card: the maximum cost of all points, plus
// the maximum cost of all terms and penalties.
func (t *tree[T]) Ceiling() int64 { return t.ceiling }

// WalkerBytes returns the memory in bytes of a walker's copy of the cost tables. If there is a
// limit on the norm, it returns math.MaxInt64, because walkers then cache counts, and only one of
// them should be created.
func (t *tree[T]) WalkerBytes() int64 {
	if t.limit != nil {
		return math.MaxInt64
	}
	return 8 * int64(len(t.arena)+len(t.mins))
}

// validateRecord returns an error if record x has a wrong length or a category that is out of
// range.
func (c *Class) validateRecord(x []uint16) error {
	if len(x) != len(c.attributes) {
		return fmt.Errorf("scorecard: a record has %d attributes, but the class has %d", len(x), len(c.attributes))
	}
	for j, cat := range x {
		if int(cat) >= c.attributes[j].categories {
			return fmt.Errorf("scorecard: attribute %d of a record has category %d, outside 0..%d", j+1, cat, c.attributes[j].categories-1)
		}
	}
	return nil
}
