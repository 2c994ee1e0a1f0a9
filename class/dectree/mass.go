package dectree

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A mass is the class over one problem: the distinct records by their columns, and the
// options of all of them.
type mass[T cell] struct {
	class       *Class
	plan        *plan
	decays      *decays
	kernel      kernel[T]
	codes       []uint16 // of record i from i times the number of attributes on
	columns     []int32  // of record i from i times the number of groups on
	differences []T      // of record i from i times the number of outcomes but one on
	records     int      // beside one more that costs nothing, which stands for any that is not there
	zero        int64    // the cost of predicting 0 for all records
	root        []option
}

func newMass[T cell](c *Class, records []class.Charged[[]uint16], decay func(int64) class.Upper, k kernel[T]) *mass[T] {
	m := &mass[T]{class: c, plan: newPlan(c), decays: newDecays(decay, c.LeastPrior()), kernel: k, records: len(records)}
	m.codes = make([]uint16, 0, (m.records+1)*len(c.attributes))
	m.columns = make([]int32, 0, (m.records+1)*len(m.plan.groups))
	m.differences = make([]T, 0, (m.records+1)*m.plan.more)
	for _, r := range records {
		m.add(r.X)
		m.zero += r.Costs[0]
		for _, cost := range r.Costs[1:] {
			m.differences = append(m.differences, T(cost-r.Costs[0]))
		}
	}
	m.add(make([]uint16, len(c.attributes)))
	m.differences = append(m.differences, make([]T, m.plan.more)...)
	return m
}

// add appends a record's categories.
func (m *mass[T]) add(x []uint16) {
	m.codes = append(m.codes, x[:len(m.plan.attributes)]...)
	for i, g := range m.plan.groups {
		m.columns = append(m.columns, int32(m.plan.base[i]+m.plan.category(g, x)))
	}
}

func (m *mass[T]) valuer() *valuer[T] { return newValuer(m) }

// all numbers all records.
func (m *mass[T]) all() []int32 {
	records := make([]int32, m.records)
	for i := range records {
		records[i] = int32(i)
	}
	return records
}

// of returns the columns of a record.
func (m *mass[T]) of(record int32) []int32 {
	n := len(m.plan.groups)
	return m.columns[int(record)*n:][:n]
}

// code returns the category of attribute j of a record.
func (m *mass[T]) code(record int32, j int) uint16 {
	return m.codes[int(record)*len(m.plan.attributes)+j]
}

// costs returns the differences of a record.
func (m *mass[T]) costs(record int32) []T {
	return m.differences[int(record)*m.plan.more:][:m.plan.more]
}

// count makes the table by columns of the records.
func (m *mass[T]) count(table []T, records []int32) {
	clear(table)
	for _, r := range records {
		m.kernel.count(m.plan, table, m.of(r), m.costs(r))
	}
}

// matrix returns that of the records.
func (m *mass[T]) matrix(records []int32) matrix[T] {
	table, out := newTable[T](m.plan), newMatrix[T](m.plan)
	m.count(table, records)
	byTests(m.plan, out, table, make([]T, len(m.plan.row)))
	return out
}

// differencesOf returns those of the records.
func (m *mass[T]) differencesOf(records []int32) []T {
	sum := make([]T, m.plan.more)
	for _, r := range records {
		add(sum, m.costs(r))
	}
	return sum
}

// divide returns the records of which test t is true, and the others.
func (m *mass[T]) divide(records []int32, t int) (yes, no []int32) {
	test := m.plan.tests[t]
	for _, r := range records {
		if m.accepts(test, r) {
			yes = append(yes, r)
		} else {
			no = append(no, r)
		}
	}
	return yes, no
}

// mark does so too, with the record that costs nothing in place of those that are missing:
// whatever the test, what is done with either part takes as long as with the whole.
func (m *mass[T]) mark(records []int32, t int) (yes, no []int32) {
	test := m.plan.tests[t]
	yes, no = slices.Clone(records), slices.Clone(records)
	for i, r := range records {
		if m.accepts(test, r) {
			no[i] = int32(m.records)
		} else {
			yes[i] = int32(m.records)
		}
	}
	return yes, no
}

// accepts tells whether a test is true of a record.
func (m *mass[T]) accepts(test Test, record int32) bool {
	return test.Accepts(m.code(record, test.Attribute))
}

// byCategory returns the records of each category of attribute j.
func (m *mass[T]) byCategory(records []int32, j int) [][]int32 {
	parts := make([][]int32, m.plan.attributes[j].Categories)
	counts := make([]int32, len(parts)+1)
	for _, r := range records {
		counts[m.code(r, j)]++
	}
	room := make([]int32, len(records))
	for c := range parts {
		parts[c], room = room[:0:counts[c]], room[counts[c]:]
	}
	for _, r := range records {
		c := m.code(r, j)
		parts[c] = append(parts[c], r)
	}
	return parts
}

// Bound returns the value of all records for the depth of the class.
func (m *mass[T]) Bound() (f class.Upper, least int64) {
	v := m.valuer()
	top := v.combine(v.leaf(m.differencesOf(m.all())), m.root, m.class.depth)
	return class.UpperOfFloat(top.mass), m.zero + top.least
}

// Descend begins at the root.
func (m *mass[T]) Descend() class.Descent[*Tree] {
	d := &descent[T]{mass: m, tree: &Tree{}, cost: m.zero}
	d.open = []place{{d.tree, m.all(), m.class.depth}}
	d.options = m.root
	return d
}

// A descent makes a tree from the root down, yes before no.
type descent[T cell] struct {
	*mass[T]
	tree *Tree
	cost int64

	open    []place  // nodes to be decided, the next one last
	options []option // of the next one; nil: not yet computed
}

// A place is a node to be decided.
type place struct {
	node    *Tree
	records []int32
	depth   int // that is left
}

// next makes the options of the next node.
func (d *descent[T]) next(ctx context.Context) (at place, err error) {
	at = d.open[len(d.open)-1]
	if d.options == nil && at.depth > 0 {
		d.options, err = d.mass.options(ctx, at.records, at.depth)
	}
	return at, err
}

// descends is a descent that can also be made to what costs least.
type descends interface {
	class.Descent[*Tree]
	least(context.Context) (option int, err error)
}

// least returns the first option of the next node that costs least, -1 at a tree.
func (d *descent[T]) least(ctx context.Context) (option int, err error) {
	if len(d.open) == 0 {
		return -1, ctx.Err()
	}
	at, err := d.next(ctx)
	if err != nil {
		return 0, err
	}
	least := int64(0)
	for o, c := range d.differencesOf(at.records) {
		if int64(c) < least {
			least, option = int64(c), 1+o
		}
	}
	for t, o := range d.options {
		if cost := o.yes.least + o.no.least; cost < least {
			least, option = cost, d.class.outcomes+t
		}
	}
	return option, nil
}

// Weights returns those of all outcomes and then of all tests.
func (d *descent[T]) Weights(ctx context.Context) ([]uint64, error) {
	if len(d.open) == 0 {
		return nil, ctx.Err()
	}
	at, err := d.next(ctx)
	if err != nil {
		return nil, err
	}
	return d.valuer().weights(d.differencesOf(at.records), d.options, at.depth), nil
}

// weights returns the partial sums of whole weights of the options of a set of
// records: multiples of a power of two that makes them as large as 60 bits allow,
// rounded up.
func (v *valuer[T]) weights(differences []T, options []option, d int) []uint64 {
	leaf := v.leaf(differences)
	top, each := leaf, v.each
	if d > 0 {
		top = v.combine(leaf, options, d)
		each *= v.at(leaf.least-top.least) / 2
	}
	_, exponent := math.Frexp(top.mass)
	sum, sums := uint64(0), make([]uint64, 0, 1+len(differences)+len(options))
	take := func(w float64) {
		sum += max(1, uint64(math.Ceil(math.Ldexp(w*(1+0x1p-49), 60-exponent))))
		sums = append(sums, sum)
	}
	take(each * v.at(-leaf.least))
	for _, c := range differences {
		take(each * v.at(int64(c)-leaf.least))
	}
	for _, o := range options {
		take(o.yes.mass * o.no.mass * v.at(o.yes.least+o.no.least-top.least) * v.half)
	}
	return sums
}

// Take decides the next node.
func (d *descent[T]) Take(i int) {
	last := len(d.open) - 1
	at := d.open[last]
	d.open, d.options = d.open[:last], nil
	if outcomes := d.class.outcomes; i >= outcomes {
		i -= outcomes
	} else {
		if at.node.Outcome = i; i > 0 {
			d.cost += int64(d.differencesOf(at.records)[i-1])
		}
		return
	}
	at.node.Test, at.node.Yes, at.node.No = i, &Tree{}, &Tree{}
	yes, no := d.mark(at.records, i)
	d.open = append(d.open, place{at.node.No, no, at.depth - 1}, place{at.node.Yes, yes, at.depth - 1})
}

// Hypothesis returns the tree that was made.
func (d *descent[T]) Hypothesis() (h *Tree, prior *big.Rat, cost int64) {
	return d.tree, d.class.Prior(d.tree), d.cost
}
