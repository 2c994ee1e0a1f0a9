package scorecard

import (
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A tree is the class laid out over one problem: a static program of merges,
// and what is left when it has run.
//
// The levels of the tree, from the root:
//
//  1. one for each step: the value of one category of one attribute;
//  2. the sum O of the offsets of all attributes but the last, with the number
//     U of these that are used where that matters;
//  3. the offset of the last attribute;
//  4. one for each category of the last attribute that no step decided; at the
//     end of these levels the cost is exact;
//  5. for each of the other attributes its offset, and then its categories
//     that no record has and no step decided.
type tree[T cell] struct {
	class   *Class
	axes    []axis
	fills   [][]filling // of each attribute, its categories in the order decided
	order   [][]int     // that order
	steps   []step[T]
	last    int   // the last attribute
	others  []int // the attributes but the last
	rootSum int64 // the bound at the root without the slots' minima
	ceiling int64
	terms   [][][]int64
	penalty int64

	kernel      kernel[T]
	arena, mins []T
	live        []int32    // the slots at the root
	open        tail       // the tables left after the steps
	limit       *normLimit // on the norm; nil for none
	records     []record
	clusters    []cluster       // by depth, nil where nodes are not weighed
	places      []int32         // of each slot in the arena, where they are
	lowest      int             // the total of the entry there
	free        [][]class.Upper // of each attribute: how many ways so many free categories have

	incumbent     Card
	incumbentCost int64
}

// A step decides one category.
type step[T cell] struct {
	attribute, category int
	batches             []batch[T]
}

// A tail holds the tables that remain when all steps are done: that of the
// records with every category decided, and those of the records with one
// category of the last attribute still undecided.
type tail struct {
	closed table
	byCat  []table // in the order these categories are decided
}

// A table is a slot with the total its entry 0 belongs to; for a category of
// the last attribute, also its contributions and the costs of their terms.
type table struct {
	slot
	lo          int
	least, most int
	terms       []int64
}

// record is a distinct record with its costs.
type record struct {
	x          []uint16
	d          int64 // the cost of predicting 1 less that of predicting 0
	multiplier int64 // what a unit of the total costs beyond that
}

// collapse sums up the points: equal records become one, those that cost the
// same either way go. base is the cost of predicting 0 everywhere.
func collapse(points []class.Point[[]uint16]) (records []record, base int64) {
	for _, pt := range class.Distinct(points, slices.Compare) {
		base += pt.Cost[0]
		if d := pt.Cost[1] - pt.Cost[0]; d != 0 {
			records = append(records, record{x: pt.X, d: d})
		}
	}
	return records, base
}

// Tree lays the class out for search over the problem. It takes a time that
// grows with the distinct records times the categories that they have, some
// milliseconds for some thousands of records, more where the search will take
// longer still. It panics where the tables have more than class.MostCells cells,
// which Layout tells before.
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

// narrowCosts is what all costs together stay below where tables have cells of 32 bits.
const narrowCosts = 1 << 28

// plainTree returns the tree of a class without a limit on the norm.
func plainTree[T cell](c *Class, p class.Problem[[]uint16], records []record, base int64, incumbent Card) class.Tree[Card] {
	return newTree[T](c, p, records, base, incumbent).layOut(records, func(t *tree[T]) class.Tree[Card] { return t })
}

// references chooses each attribute's reference category on the gauge: the
// one that most of the cost falls on. Without a gauge it is -1.
func (c *Class) references(records []record, gauge bool) []int {
	refs := make([]int, len(c.attributes))
	for j, a := range c.attributes {
		refs[j] = -1
		if !gauge || !a.oneHot() {
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

// newTree returns the tree with its charges, before its steps are laid out.
func newTree[T cell](c *Class, p class.Problem[[]uint16], records []record, base int64, incumbent Card) *tree[T] {
	t := &tree[T]{
		class: c, penalty: c.options.Penalty * p.PenaltyUnit(),
		terms: c.termCosts(p.Terms), rootSum: base,
		kernel:    fastest[T](),
		incumbent: incumbent, incumbentCost: class.Cost(c, p, incumbent),
		records: records,
	}
	// A constant moved from one attribute to another changes the norm, and terms.
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

// layOut lays out the program for the records, in the best order of the steps that
// is tried. Finish makes the class's tree of one whose order is known.
func (t *tree[T]) layOut(records []record, finish func(*tree[T]) class.Tree[Card]) class.Tree[Card] {
	b := newBuilder[T](t.axes, records, t.class.options.Threshold, t.class.options.Norm)
	t.live = slices.Clone(b.live)
	return t.try(b, finish)
}

// ordered returns the tree with the order of the steps that a learner finds.
func (t tree[T]) ordered(b *builder[T], share int64) *tree[T] {
	learner := newLearner(&t, b, share)
	learner.learn()
	t.order = learner.order
	t.last = learner.last
	for j := range t.axes {
		t.fills = append(t.fills, t.axes[j].fillings(t.order[j]))
		if j != t.last {
			t.others = append(t.others, j)
		}
	}
	t.open = openTail(&t, b)
	t.cluster(b)
	// Learning has filled the program's tables along one path. No walker
	// relies on that, but for the slots at the root and zeros.
	b.arena = b.arena[:len(b.arena)+room(b.span)]
	t.arena, t.mins = b.arena, b.mins
	return &t
}

// openTail finds the tables that remain in the builder after the steps.
func openTail[T cell](t *tree[T], b *builder[T]) tail {
	pattern := make([]uint16, len(t.axes))
	for j := range pattern {
		pattern[j] = decided
	}
	find := func() table {
		lo, n := b.totals(b.reach(pattern))
		id := b.holder(b.patterns.number(pattern))
		if id < 0 {
			id = b.zero(n)
		}
		return table{slot: b.slots[id], lo: lo}
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

// stepsOf counts the steps that decide categories of attribute j.
func (t *tree[T]) stepsOf(j int) int {
	n := 0
	for _, s := range t.steps {
		if s.attribute == j {
			n++
		}
	}
	return n
}

// tailOrder returns the categories of the last attribute that no step decides.
func (t *tree[T]) tailOrder() []int { return t.order[t.last][t.stepsOf(t.last):] }

// Plan returns, in one list, the reference category of each attribute (-1 off
// the gauge), the last attribute, the number of steps, and then pairs of
// attribute and category: the steps, and what is left in the order decided.
func (t *tree[T]) Plan() []int {
	var plan []int
	for _, a := range t.axes {
		plan = append(plan, a.ref)
	}
	plan = append(plan, t.last, len(t.steps))
	taken := make([]int, len(t.axes))
	for _, s := range t.steps {
		plan = append(plan, s.attribute, s.category)
		taken[s.attribute]++
	}
	for j, order := range t.order {
		for _, cat := range order[taken[j]:] {
			plan = append(plan, j, cat)
		}
	}
	return plan
}

// Incumbent returns the card that coordinate descent found.
func (t *tree[T]) Incumbent() (Card, int64) { return t.incumbent.clone(), t.incumbentCost }

// Ceiling returns what all points, terms and penalties cost at their worst.
func (t *tree[T]) Ceiling() int64 { return t.ceiling }

// WalkerBytes counts the tables. A limit on the norm leaves it at one walker, which remembers
// what it has counted.
func (t *tree[T]) WalkerBytes() int64 {
	if t.limit != nil {
		return math.MaxInt64
	}
	return 8 * int64(len(t.arena)+len(t.mins))
}

// validateRecord reports a record that the class cannot read.
func (c *Class) validateRecord(x []uint16) error {
	if len(x) != len(c.attributes) {
		return fmt.Errorf("scorecard: a record has %d attributes, the class %d", len(x), len(c.attributes))
	}
	for j, cat := range x {
		if int(cat) >= c.attributes[j].categories {
			return fmt.Errorf("scorecard: a record has category %d of %d in attribute %d", cat, c.attributes[j].categories, j+1)
		}
	}
	return nil
}
