package dectree

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/decay"
)

// A mass bounds the partition function of all trees, the sum of prior·e^{-λ·cost}, for one problem
// (see [class.Mass]). It stores the distinct records, and the options for the test at the root.
type mass[T cell] struct {
	class       *Class
	plan        *plan
	layout      *layout
	decays      *decay.Table
	kernel      kernel[T]
	rows        []byte   // the rows of the records, followed by the row of a record whose costs are 0
	differences []T      // those of record i start at index i·otherOutcomes
	zeroCost    int64    // the cost of predicting 0 for all records
	all         []int32  // the indices of all records, without the additional one
	total       []T      // the differences of all records
	root        []option // the options of all records for the depth of the class
}

func newMass[T cell](c *Class, records class.Records[[]uint16], bound func(int64) class.Upper, k kernel[T]) *mass[T] {
	p := newPlan(c)
	m := &mass[T]{class: c, plan: p, layout: newLayout(p), decays: decay.New(bound, c.LeastPrior()), kernel: k}
	n := records.Len()
	m.rows, m.all = make([]byte, (n+1)*m.layout.stride), make([]int32, n)
	m.differences, m.total = make([]T, (n+1)*p.otherOutcomes), make([]T, p.otherOutcomes)
	x, costs := make([]uint16, len(c.attributes)), make([]int64, c.outcomes)
	m.setRecord(n, x)
	for i := range n {
		m.all[i] = int32(i)
		m.setRecord(i, records.Record(i, x))
		of := records.Costs(i, costs)
		m.zeroCost += of[0]
		own := m.costs(int32(i))
		for o, cost := range of[1:] {
			own[o] = T(cost - of[0])
		}
		add(m.total, own)
	}
	return m
}

// setRecord stores the categories x of a record as a row of bytes (see layout).
func (m *mass[T]) setRecord(record int, x []uint16) {
	row := m.row(int32(record))
	for i, g := range m.plan.groups {
		m.layout.set(row, i, m.plan.category(g, x))
	}
}

func (m *mass[T]) evaluator() *evaluator[T] { return newEvaluator(m) }

// row returns the row of bytes in which the mass stores the categories of a record.
func (m *mass[T]) row(record int32) []byte {
	return m.rows[int(record)*m.layout.stride:][:m.layout.stride]
}

// column returns a reader of the records' categories of attribute j.
func (m *mass[T]) column(j int) column { return column{m.layout.positions[j], m.rows, m.layout.stride} }

// costs returns the cost differences of a record: for each outcome but 0, the cost of predicting it
// minus the cost of predicting outcome 0.
func (m *mass[T]) costs(record int32) []T {
	return m.differences[int(record)*m.plan.otherOutcomes:][:m.plan.otherOutcomes]
}

// count clears a table by columns (see plan) and adds the records to it. The parameter columns is
// scratch memory for one record.
func (m *mass[T]) count(table []T, records, columns []int32) {
	clear(table)
	for _, r := range records {
		m.layout.columns(m.row(r), columns)
		m.kernel.count(m.plan, table, columns, m.costs(r))
	}
}

// matrix returns the matrix by tests (see plan) of the given records.
func (m *mass[T]) matrix(records []int32) matrix[T] {
	table, out := newTable[T](m.plan), newMatrix[T](m.plan)
	m.count(table, records, make([]int32, len(m.plan.groups)))
	fillMatrix(m.plan, out, table, make([]T, len(m.plan.pairStart)))
	return out
}

// differencesOf returns the sums of the cost differences of the given records.
func (m *mass[T]) differencesOf(records []int32) []T {
	sum := make([]T, m.plan.otherOutcomes)
	for _, r := range records {
		add(sum, m.costs(r))
	}
	return sum
}

// divide splits the records into those for which test t is true (yes) and the others (no). It
// stores both lists in buffer.
func (m *mass[T]) divide(records []int32, t int, buffer []int32) (yes, no []int32) {
	test := m.plan.tests[t]
	column := m.column(test.Attribute)
	first, last := 0, len(records)
	for _, r := range records {
		if test.Accepts(column.at(r)) {
			buffer[first] = r
			first++
		} else {
			last--
			buffer[last] = r
		}
	}
	return buffer[:first], buffer[last:len(records)]
}

// byCategory splits the records by their category of attribute j. It stores the resulting lists in
// buffer, one after another, and returns them.
func (m *mass[T]) byCategory(records []int32, j int, buffer []int32) [][]int32 {
	parts := make([][]int32, m.plan.attributes[j].Categories)
	counts := make([]int32, len(parts)+1)
	column := m.column(j)
	for _, r := range records {
		counts[column.at(r)]++
	}
	for c := range parts {
		parts[c], buffer = buffer[:0:counts[c]], buffer[counts[c]:]
	}
	for _, r := range records {
		c := column.at(r)
		parts[c] = append(parts[c], r)
	}
	return parts
}

// Bound returns the minimum cost of all trees (least), and a number f such that f·e^{-λ·least} is an
// upper bound on the partition function of the class, where λ is the rate of the exponential
// mechanism (see class.Mass).
func (m *mass[T]) Bound() (f class.Upper, least int64) {
	v := m.evaluator()
	top := v.combine(v.leaf(m.total), m.root, m.class.depth)
	return class.UpperOfFloat(top.mass), m.zeroCost + top.least
}

// Descend returns a descent, which builds a random tree step by step from the root.
func (m *mass[T]) Descend() class.Descent[*Tree] {
	d := &descent[T]{mass: m, tree: &Tree{}, cost: m.zeroCost, options: m.root, nodeOf: make([]uint8, len(m.all)), buffered: -1}
	d.undecided = []openNode{{node: d.tree, depth: m.class.depth}}
	return d
}

// A descent builds a tree from the root down, in depth-first order. At each inner node it builds
// first the subtree Yes, then the subtree No.
type descent[T cell] struct {
	*mass[T]
	tree *Tree
	cost int64

	undecided []openNode // the nodes that are not decided yet; the last element is decided next
	options   []option   // the options of the next node; nil if not computed
	splits    uint8      // the number of inner nodes; when one is decided, its child No receives its number, and its child Yes the new value of splits
	nodeOf    []uint8    // [record]: the number of its node
	buffer    []int32    // the records of a node, allocated at the first split
	buffered  int        // the number of the node whose records are in buffer; -1 for none
}

// An openNode is a node of the tree that is still to be decided: it may become a leaf, or get one
// of the tests.
type openNode struct {
	node   *Tree
	number uint8
	depth  int // the remaining depth
}

// recordsAt returns the records that reach node p. The list has an entry for every record of the problem, so that the
// time of processing a node does not depend on how many reach it. A record that does not reach p is replaced by an
// additional record whose costs are 0.
func (d *descent[T]) recordsAt(p openNode) []int32 {
	switch {
	case d.splits == 0:
		return d.all
	case d.buffered == int(p.number):
		return d.buffer
	case d.buffer == nil:
		d.buffer = make([]int32, len(d.all))
	}
	d.buffered = int(p.number)
	for i, n := range d.nodeOf {
		record := int32(len(d.all))
		if n == p.number {
			record = int32(i)
		}
		d.buffer[i] = record
	}
	return d.buffer
}

// nextNode returns the node of the tree that the descent decides next, and computes the options of this node.
func (d *descent[T]) nextNode(ctx context.Context) (at openNode, err error) {
	at = d.undecided[len(d.undecided)-1]
	if d.options == nil && at.depth > 0 {
		d.options, err = d.mass.options(ctx, d.recordsAt(at), at.depth)
	}
	return at, err
}

// A leastDescent is a descent that can choose an option of least cost instead of a random one.
type leastDescent interface {
	class.Descent[*Tree]
	least(context.Context) (option int, err error)
}

// least returns the index of the first option of least cost at the next node, or -1 if the tree is
// complete.
func (d *descent[T]) least(ctx context.Context) (option int, err error) {
	if len(d.undecided) == 0 {
		return -1, ctx.Err()
	}
	at, err := d.nextNode(ctx)
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

// Weights returns the cumulative weights of the options of the next node: first to become a leaf,
// one option for each outcome, and then to become an inner node, one option for each test.
func (d *descent[T]) Weights(ctx context.Context) ([]uint64, error) {
	if len(d.undecided) == 0 {
		return nil, ctx.Err()
	}
	at, err := d.nextNode(ctx)
	if err != nil {
		return nil, err
	}
	return d.evaluator().weights(d.differencesOf(d.recordsAt(at)), d.options, at.depth), nil
}

// weights returns the cumulative integer weights of the options at a node, in the order of Weights.
// The parameter d is the number of levels that remain below the node. Weights are rounded up to
// multiples of a power of two, which is chosen so that their sum has about 60 bits.
func (v *evaluator[T]) weights(differences []T, options []option, d int) []uint64 {
	leaf := v.leaf(differences)
	top, each := leaf, v.outcomePrior
	if d > 0 {
		top = v.combine(leaf, options, d)
		each *= v.At(leaf.least-top.least) / 2
	}
	_, exponent := math.Frexp(top.mass)
	sum, sums := uint64(0), make([]uint64, 0, 1+len(differences)+len(options))
	add := func(w float64) {
		sum += max(1, uint64(math.Ceil(math.Ldexp(w*(1+0x1p-49), 60-exponent))))
		sums = append(sums, sum)
	}
	add(each * v.At(-leaf.least))
	for _, c := range differences {
		add(each * v.At(int64(c)-leaf.least))
	}
	for _, o := range options {
		add(o.yes.mass * o.no.mass * v.At(o.yes.least+o.no.least-top.least) * v.testPrior)
	}
	return sums
}

// Take decides the next node by option i: it becomes a leaf with an outcome, or an inner node with
// a test.
func (d *descent[T]) Take(i int) {
	last := len(d.undecided) - 1
	at := d.undecided[last]
	d.undecided, d.options = d.undecided[:last], nil
	if outcomes := d.class.outcomes; i >= outcomes {
		i -= outcomes
	} else {
		if at.node.Outcome = i; i > 0 {
			d.cost += int64(d.differencesOf(d.recordsAt(at))[i-1])
		}
		return
	}
	at.node.Test, at.node.Yes, at.node.No = i, &Tree{}, &Tree{}
	d.splits++
	d.moveRecords(at.number, d.plan.tests[i])
	d.undecided = append(d.undecided, openNode{at.node.No, at.number, at.depth - 1}, openNode{at.node.Yes, d.splits, at.depth - 1})
}

// moveRecords moves those records of a node for which the test is true to the child Yes of the
// node. The parameter number is the number of the node; the child gets the number d.splits.
func (d *descent[T]) moveRecords(number uint8, test Test) {
	d.buffered = -1
	column := d.column(test.Attribute)
	for i, n := range d.nodeOf {
		if yes := test.Accepts(column.at(int32(i))); yes && n == number {
			d.nodeOf[i] = d.splits
		}
	}
}

// Hypothesis returns the tree that the descent has built, with its prior probability and its cost.
func (d *descent[T]) Hypothesis() (h *Tree, prior *big.Rat, cost int64) {
	return d.tree, d.class.Prior(d.tree), d.cost
}
