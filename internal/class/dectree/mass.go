package dectree

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A mass is the class over one problem: the distinct records, and the options of all of them.
type mass[T cell] struct {
	class       *Class
	plan        *plan
	layout      *layout
	decays      *decays
	kernel      kernel[T]
	rows        []byte  // of the records, as the layout has them, and of one that costs nothing and stands for any that is not there
	differences []T     // of record i from i times the number of outcomes but one on
	zero        int64   // the cost of predicting 0 for all records
	all         []int32 // the numbers of all records
	whole       []T     // the differences of all records
	root        []option
}

func newMass[T cell](c *Class, records class.Records[[]uint16], decay func(int64) class.Upper, k kernel[T]) *mass[T] {
	p := newPlan(c)
	m := &mass[T]{class: c, plan: p, layout: newLayout(p), decays: newDecays(decay, c.LeastPrior()), kernel: k}
	n := records.Len()
	m.rows, m.all = make([]byte, (n+1)*m.layout.stride), make([]int32, n)
	m.differences, m.whole = make([]T, (n+1)*p.more), make([]T, p.more)
	x, costs := make([]uint16, len(c.attributes)), make([]int64, c.outcomes)
	m.enter(n, x)
	for i := range n {
		m.all[i] = int32(i)
		m.enter(i, records.Record(i, x))
		of := records.Costs(i, costs)
		m.zero += of[0]
		own := m.costs(int32(i))
		for o, cost := range of[1:] {
			own[o] = T(cost - of[0])
		}
		add(m.whole, own)
	}
	return m
}

// enter writes a record's categories.
func (m *mass[T]) enter(record int, x []uint16) {
	row := m.row(int32(record))
	for i, g := range m.plan.groups {
		m.layout.set(row, i, m.plan.category(g, x))
	}
}

func (m *mass[T]) valuer() *valuer[T] { return newValuer(m) }

// row returns that of a record.
func (m *mass[T]) row(record int32) []byte {
	return m.rows[int(record)*m.layout.stride:][:m.layout.stride]
}

// column returns that of attribute j.
func (m *mass[T]) column(j int) column { return column{m.layout.of[j], m.rows, m.layout.stride} }

// costs returns the differences of a record.
func (m *mass[T]) costs(record int32) []T {
	return m.differences[int(record)*m.plan.more:][:m.plan.more]
}

// count makes the table by columns of the records, with room for the columns of one.
func (m *mass[T]) count(table []T, records, columns []int32) {
	clear(table)
	for _, r := range records {
		m.layout.columns(m.row(r), columns)
		m.kernel.count(m.plan, table, columns, m.costs(r))
	}
}

// matrix returns that of the records.
func (m *mass[T]) matrix(records []int32) matrix[T] {
	table, out := newTable[T](m.plan), newMatrix[T](m.plan)
	m.count(table, records, make([]int32, len(m.plan.groups)))
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

// divide returns the records of which test t is true, and the others, in that room.
func (m *mass[T]) divide(records []int32, t int, room []int32) (yes, no []int32) {
	test := m.plan.tests[t]
	column := m.column(test.Attribute)
	first, last := 0, len(records)
	for _, r := range records {
		if test.Accepts(column.at(r)) {
			room[first] = r
			first++
		} else {
			last--
			room[last] = r
		}
	}
	return room[:first], room[last:len(records)]
}

// byCategory returns the records of each category of attribute j, in that room.
func (m *mass[T]) byCategory(records []int32, j int, room []int32) [][]int32 {
	parts := make([][]int32, m.plan.attributes[j].Categories)
	counts := make([]int32, len(parts)+1)
	column := m.column(j)
	for _, r := range records {
		counts[column.at(r)]++
	}
	for c := range parts {
		parts[c], room = room[:0:counts[c]], room[counts[c]:]
	}
	for _, r := range records {
		c := column.at(r)
		parts[c] = append(parts[c], r)
	}
	return parts
}

// Bound returns the value of all records for the depth of the class.
func (m *mass[T]) Bound() (f class.Upper, least int64) {
	v := m.valuer()
	top := v.combine(v.leaf(m.whole), m.root, m.class.depth)
	return class.UpperOfFloat(top.mass), m.zero + top.least
}

// Descend begins at the root.
func (m *mass[T]) Descend() class.Descent[*Tree] {
	d := &descent[T]{mass: m, tree: &Tree{}, cost: m.zero, options: m.root, at: make([]uint8, len(m.all)), in: -1}
	d.open = []place{{node: d.tree, depth: m.class.depth}}
	return d
}

// A descent makes a tree from the root down, yes before no.
type descent[T cell] struct {
	*mass[T]
	tree *Tree
	cost int64

	open    []place  // nodes to be decided, the next one last
	options []option // of the next one; nil: not yet computed
	asked   uint8    // nodes that ask, each of which gave its number to No and the next to Yes
	at      []uint8  // of each record, the number of its node
	room    []int32  // the records of a node, made when one asks
	in      int      // its number; -1 for none
}

// A place is a node to be decided.
type place struct {
	node   *Tree
	number uint8
	depth  int // that is left
}

// recordsAt returns the records of a node, with the record that costs nothing in place of
// all others: whatever the tests, what is done with those of any node takes as long as with all.
func (d *descent[T]) recordsAt(p place) []int32 {
	switch {
	case d.asked == 0:
		return d.all
	case d.in == int(p.number):
		return d.room
	case d.room == nil:
		d.room = make([]int32, len(d.all))
	}
	d.in = int(p.number)
	for i, n := range d.at {
		record := int32(len(d.all))
		if n == p.number {
			record = int32(i)
		}
		d.room[i] = record
	}
	return d.room
}

// next makes the options of the next node.
func (d *descent[T]) next(ctx context.Context) (at place, err error) {
	at = d.open[len(d.open)-1]
	if d.options == nil && at.depth > 0 {
		d.options, err = d.mass.options(ctx, d.recordsAt(at), at.depth)
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
	for o, c := range d.differencesOf(d.recordsAt(at)) {
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
	return d.valuer().weights(d.differencesOf(d.recordsAt(at)), d.options, at.depth), nil
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
			d.cost += int64(d.differencesOf(d.recordsAt(at))[i-1])
		}
		return
	}
	at.node.Test, at.node.Yes, at.node.No = i, &Tree{}, &Tree{}
	d.asked++
	d.part(at.number, d.plan.tests[i])
	d.open = append(d.open, place{at.node.No, at.number, at.depth - 1}, place{at.node.Yes, d.asked, at.depth - 1})
}

// part has the records of a node of which a test is true lie at the node numbered last.
func (d *descent[T]) part(number uint8, test Test) {
	d.in = -1
	column := d.column(test.Attribute)
	for i, n := range d.at {
		if yes := test.Accepts(column.at(int32(i))); yes && n == number {
			d.at[i] = d.asked
		}
	}
}

// Hypothesis returns the tree that was made.
func (d *descent[T]) Hypothesis() (h *Tree, prior *big.Rat, cost int64) {
	return d.tree, d.class.Prior(d.tree), d.cost
}
