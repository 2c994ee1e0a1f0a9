package dectree

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A mass is the class over one problem: the distinct records by their columns, and the
// options of all of them.
type mass struct {
	class   *Class
	plan    *plan
	decays  *decays
	columns []int32 // of record i from i times the number of attributes on
	costs   []cost  // of record i
	root    []option
}

func newMass(c *Class, points []class.Point[[]uint16], decay func(int64) class.Upper) *mass {
	m := &mass{class: c, plan: newPlan(c), decays: newDecays(decay, c.LeastPrior())}
	for _, p := range points {
		for j, x := range p.X {
			m.columns = append(m.columns, int32(m.plan.base[j]+int(x)))
		}
		m.costs = append(m.costs, cost{p.Cost[0], p.Cost[1]})
	}
	return m
}

// negligible is how many binary places a term lies below the least mass that a sum may
// have before it is rounded up to that.
const negligible = 74

// newDecays lays out the tables of e, down to what is negligible beside the least
// prior of a hypothesis.
func newDecays(decay func(int64) class.Upper, leastPrior *big.Rat) *decays {
	places := leastPrior.Denom().BitLen() + negligible
	small := func(k int64) bool { return above(decay(k)) < math.Ldexp(1, -places) }
	reach := int64(1)
	for reach < 1<<60 && !small(reach) {
		reach *= 2
	}
	d := &decays{}
	for uint64(reach)>>d.shift >= uint64(len(d.e)) {
		d.shift++
	}
	for {
		k := d.last << d.shift
		d.e[d.last] = min(1, above(decay(k)))
		d.leaf[d.last] = 0.5 + 0.5*d.e[d.last]
		if k >= reach || small(k) {
			return d
		}
		d.last++
	}
}

// above returns a float that is neither below u nor below 2^-1000.
func above(u class.Upper) float64 {
	if u.Head == 0 || u.Exponent < -1063 {
		return 0x1p-1000
	}
	head := u.Head >> 11
	if head<<11 != u.Head {
		head++
	}
	return math.Ldexp(float64(head), int(u.Exponent)+11)
}

func (m *mass) valuer() *valuer { return newValuer(m.decays, len(m.plan.tests)) }

// all numbers all records.
func (m *mass) all() []int32 {
	records := make([]int32, len(m.costs))
	for i := range records {
		records[i] = int32(i)
	}
	return records
}

// of returns the columns of a record.
func (m *mass) of(record int32) []int32 {
	n := len(m.plan.attributes)
	return m.columns[int(record)*n:][:n]
}

// count makes the table by columns of the records.
func (m *mass) count(table []cost, records []int32) {
	clear(table)
	for _, r := range records {
		m.plan.count(table, m.of(r), m.costs[r])
	}
}

// table returns the table by tests of the records.
func (m *mass) table(records []int32) []cost {
	columns, table := make([]cost, m.plan.cols), make([]cost, m.plan.size)
	m.count(columns, records)
	m.plan.byTests(table, columns, make([]cost, len(m.plan.row)))
	return table
}

// costOf returns what the records cost.
func (m *mass) costOf(records []int32) cost {
	var c cost
	for _, r := range records {
		c = c.plus(m.costs[r])
	}
	return c
}

// divide returns the records of which test t is true, and the others.
func (m *mass) divide(records []int32, t int) (yes, no []int32) {
	test := m.plan.tests[t]
	for _, r := range records {
		if test.Accepts(uint16(int(m.of(r)[test.Attribute]) - m.plan.base[test.Attribute])) {
			yes = append(yes, r)
		} else {
			no = append(no, r)
		}
	}
	return yes, no
}

// byCategory returns the records of each category of attribute j.
func (m *mass) byCategory(records []int32, j int) [][]int32 {
	parts := make([][]int32, m.plan.attributes[j].Categories)
	counts := make([]int32, len(parts)+1)
	for _, r := range records {
		counts[int(m.of(r)[j])-m.plan.base[j]]++
	}
	room := make([]int32, len(records))
	for c := range parts {
		parts[c], room = room[:0:counts[c]], room[counts[c]:]
	}
	for _, r := range records {
		c := int(m.of(r)[j]) - m.plan.base[j]
		parts[c] = append(parts[c], r)
	}
	return parts
}

// Bound returns the value of all records for the depth of the class.
func (m *mass) Bound() (f *big.Rat, least int64) {
	v := m.valuer().combine(m.costOf(m.all()), m.root, m.class.depth)
	return new(big.Rat).SetFloat64(v.mass), v.least
}

// Descend begins at the root.
func (m *mass) Descend() class.Descent[*Tree] {
	d := &descent{mass: m, tree: &Tree{}}
	d.open = []place{{d.tree, m.all(), m.class.depth}}
	d.options = m.root
	return d
}

// A descent makes a tree from the root down, yes before no.
type descent struct {
	*mass
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

// Weights returns those of both labels, 0 first, and then of all tests.
func (d *descent) Weights(ctx context.Context) ([]uint64, error) {
	if len(d.open) == 0 {
		return nil, ctx.Err()
	}
	at := d.open[len(d.open)-1]
	if d.options == nil && at.depth > 0 {
		var err error
		if d.options, err = d.mass.options(ctx, at.records, at.depth); err != nil {
			return nil, err
		}
	}
	return d.valuer().weights(d.costOf(at.records), d.options, at.depth), nil
}

// weights returns the partial sums of whole weights of the options of a set of
// records: multiples of a power of two that makes them as large as 60 bits allow,
// rounded up.
func (v *valuer) weights(all cost, options []option, d int) []uint64 {
	leaf := v.of(all)
	top, label := leaf, 0.5
	if d > 0 {
		top = v.combine(all, options, d)
		label = v.e[v.at(leaf.least-top.least)] / 4
	}
	_, exponent := math.Frexp(top.mass)
	sum, sums := uint64(0), make([]uint64, 0, 2+len(options))
	take := func(w float64) {
		sum += max(1, uint64(math.Ceil(math.Ldexp(w*(1+0x1p-49), 60-exponent))))
		sums = append(sums, sum)
	}
	take(label * v.e[v.at(all.zero-leaf.least)])
	take(label * v.e[v.at(all.one-leaf.least)])
	for _, o := range options {
		take(o.yes.mass * o.no.mass * v.e[v.at(o.yes.least+o.no.least-top.least)] * v.half)
	}
	return sums
}

// Take decides the next node.
func (d *descent) Take(i int) {
	last := len(d.open) - 1
	at := d.open[last]
	d.open, d.options = d.open[:last], nil
	if i < 2 {
		at.node.Label = i == 1
		c := d.costOf(at.records)
		if at.node.Label {
			d.cost += c.one
		} else {
			d.cost += c.zero
		}
		return
	}
	at.node.Test, at.node.Yes, at.node.No = i-2, &Tree{}, &Tree{}
	yes, no := d.divide(at.records, i-2)
	d.open = append(d.open, place{at.node.No, no, at.depth - 1}, place{at.node.Yes, yes, at.depth - 1})
}

// Hypothesis returns the tree that was made.
func (d *descent) Hypothesis() (h *Tree, prior *big.Rat, cost int64) {
	return d.tree, d.class.Prior(d.tree), d.cost
}
