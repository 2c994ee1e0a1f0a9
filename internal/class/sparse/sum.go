package sparse

import (
	"context"
	"math"
	"math/big"
	"runtime"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/decay"
	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// The partition function of the cards on a set of attributes is computed without a search. The attribute with the
// most groups is called the tail, and the other attributes of the set the head. Only the points of the head are
// enumerated. For each choice of them, the cost of a card is a sum over the groups of the tail, and the points of a
// group change only its own term. So the sum over all points of the tail is a product with one factor for each of its
// groups.
//
// The number of operations does not depend on the costs. The base must be 0, as it is if one card is sampled.

// Sum returns the partition function of all cards for the problem p: the sum of e^{-λ·cost}, where the cost includes
// the charge. The problem must not have terms. bound(k) must be an upper bound on e^{-λk} for k ≥ 0. The result
// satisfies the inequality of class.Mass, where every card has the weight 1. Sum fails with the context's error, or
// with class.ErrRange.
func (c *Class) Sum(ctx context.Context, p class.Problem[[]uint16], bound func(k int64) class.Upper) (class.Mass[Card], error) {
	if _, ok := c.spread(p); !ok {
		return nil, class.ErrRange
	}
	m := &mass{
		columns: c.newColumns(p), decays: decays{decay.New(bound, new(big.Rat).SetFrac(big.NewInt(1), c.size))},
		values: make([]value, len(c.sets)),
	}
	err := parallel.Do(ctx, min(runtime.GOMAXPROCS(0), mostThreads), len(c.sets), func() func(i int) {
		var cells []int64
		return func(i int) {
			cells = m.columns.table(i, cells)
			m.values[i] = m.enumeration(i, cells).from(0)
			m.values[i].least += m.extra(i)
		}
	})
	if err != nil {
		return nil, err
	}
	m.total = m.decays.sum(m.values, setSlack)
	return m, nil
}

// SumWork estimates the time of Sum on one thread, in units of 10 ns, for the given number of
// distinct records. It does not depend on the contents of the records.
func (c *Class) SumWork(records int64) int64 {
	work, levels := float64(c.Work(records)), float64(2*c.options.Points+1)
	for _, s := range c.sets {
		head, tail := 0, 0
		for _, j := range s {
			head, tail = head+c.groups[j], max(tail, c.groups[j])
		}
		work += math.Pow(levels, float64(head-tail)) * (workOfHead + workOfTail*float64(tail)*levels)
	}
	return int64(min(work, math.MaxInt64/2))
}

// workOfHead and workOfTail estimate the time for one choice of the points of a head, in units of
// 10 ns: workOfHead is a constant part, and workOfTail the time for each possible number of points
// of each group of the tail.
const (
	workOfHead = 6
	workOfTail = 1.5
)

// A value describes a set of cards by two numbers. The field least is the least cost M of a card.
// The field mass is a number f such that f·e^{-λM} is an upper bound on the sum of e^{-λ·cost} over
// these cards.
type value struct {
	mass  float64
	least int64
}

// The factors by which values are increased. They exceed the rounding errors of a sum over the
// points of one group, or over all sets, and of the weights that a descent computes from the same
// values (docs/explanation/proofs/sparse.md, section 6).
const (
	slack    = 1 + 0x1p-40
	setSlack = 1 + 0x1p-30
)

// decays is a decay.Table with the operations on values: sums and sampling weights.
type decays struct{ *decay.Table }

// sum returns the value of the union of disjoint sets of cards, increased by the factor slack.
func (d decays) sum(of []value, slack float64) value {
	least, mass := int64(math.MaxInt64), 0.0
	for _, v := range of {
		least = min(least, v.least)
	}
	for _, v := range of {
		mass += v.mass * d.At(v.least-least)
	}
	return value{mass * slack, least}
}

// weights returns cumulative integer weights for sampling one of several disjoint sets of cards,
// whose union has the value whole. The weights are rounded up to multiples of a power of two, which
// is chosen so that their sum has about 60 bits.
func (d decays) weights(of []value, whole value) []uint64 {
	_, exponent := math.Frexp(whole.mass)
	sum, sums := uint64(0), make([]uint64, len(of))
	for i, v := range of {
		w := v.mass * d.At(v.least-whole.least)
		sum += max(1, uint64(math.Ceil(math.Ldexp(w*(1+0x1p-49), 60-exponent))))
		sums[i] = sum
	}
	return sums
}

// A mass is the partition function of all sparse cards, from which a descent samples. It implements
// class.Mass.
type mass struct {
	columns *columns
	decays  decays
	values  []value // [set]: the value of the cards on the set, with the costs that they have in common
	total   value   // the value of all cards
}

// extra returns the cost that all cards on the set with index i have in common: that of predicting
// 0 for all points, and the charge of the set.
func (m *mass) extra(i int) int64 {
	return m.columns.base + m.columns.class.charges[i]*m.columns.p.PenaltyUnit()
}

func (m *mass) Bound() (f class.Upper, least int64) {
	return class.UpperOfFloat(m.total.mass), m.total.least
}

func (m *mass) Descend() class.Descent[Card] { return &descent{mass: m, set: -1} }

// An enumeration goes through all choices of points for the head of a set of attributes, and keeps
// the table of the costs for the points that are chosen so far.
type enumeration struct {
	decays    decays
	points    int // P
	threshold int
	order     []int     // the attributes of the set, by their positions in the set; the last is the tail
	groups    []int     // of these attributes
	spans     []int     // [i]: the number of cells of the attributes from i on
	steps     [][2]int  // the groups of the head in the order in which they are decided: an attribute and its group
	tables    [][]int64 // [i]: the cells of the attributes from i on, for each total of the attributes before i, from -iP to iP
	options   [][]value // [step]: scratch memory for the values of its options
	values    []value   // scratch memory for the values of the points of a group of the tail
}

// enumeration returns the enumeration for set i, whose table (see columns.table) has the given
// cells.
func (m *mass) enumeration(i int, cells []int64) *enumeration {
	c, s := m.columns.class, m.columns.class.sets[i]
	levels := 2*c.options.Points + 1
	e := &enumeration{decays: m.decays, points: c.options.Points, threshold: c.options.Threshold, values: make([]value, levels)}
	for k := range s {
		e.order = append(e.order, k)
	}
	tail := 0
	for k, j := range s {
		if c.groups[j] > c.groups[s[tail]] {
			tail = k
		}
	}
	e.order = append(slices.Delete(e.order, tail, tail+1), tail)
	e.spans = make([]int, len(s)+1)
	e.spans[len(s)] = 1
	for k := len(s) - 1; k >= 0; k-- {
		e.spans[k] = e.spans[k+1] * c.groups[s[e.order[k]]]
	}
	for k, at := range e.order {
		e.groups = append(e.groups, c.groups[s[at]])
		e.tables = append(e.tables, make([]int64, (2*k*e.points+1)*e.spans[k]))
		for g := range e.groups[k] {
			if k < len(s)-1 {
				e.steps = append(e.steps, [2]int{k, g})
				e.options = append(e.options, make([]value, levels))
			}
		}
	}
	m.columns.forEachCell(s, cells, func(groups []uint16, _ int, own []int64) {
		at := 0
		for k, position := range e.order {
			at += int(groups[position]) * e.spans[k+1]
		}
		e.tables[0][at] = own[0]
	})
	return e
}

// place gives v points to the group g of attribute k that the step decides, if sign is 1, and takes
// them back if sign is -1. It adds the cells of this group, times sign, to the table of the
// attributes after k, shifted by v.
func (e *enumeration) place(step, v int, sign int64) {
	k, g := e.steps[step][0], e.steps[step][1]
	width := e.spans[k+1]
	for total := range 2*k*e.points + 1 {
		from := e.tables[k][total*e.spans[k]+g*width:][:width]
		to := e.tables[k+1][(total+e.points+v)*width:][:width]
		for i, d := range from {
			to[i] += sign * d
		}
	}
}

// from returns the value (see value) of all cards that have the points placed by the steps before
// the given one, and any points for all other groups of the set.
func (e *enumeration) from(step int) value {
	if step == len(e.steps) {
		return e.tail()
	}
	return e.decays.sum(e.optionsAt(step), slack)
}

// optionsAt returns the values (see value) of the cards for each number of points that the group of
// the given step may have. The result is valid until the next call with this step.
func (e *enumeration) optionsAt(step int) []value {
	options := e.options[step]
	for i := range options {
		e.place(step, i-e.points, 1)
		options[i] = e.from(step + 1)
		e.place(step, i-e.points, -1)
	}
	return options
}

// tail returns the value (see value) of the cards with the placed points on the head of a set and
// any points on the tail.
func (e *enumeration) tail() value {
	all := value{1, 0}
	for g := range e.groups[len(e.groups)-1] {
		v := e.decays.sum(e.tailOptions(g), slack)
		all = value{all.mass * v.mass * slack, all.least + v.least}
	}
	return all
}

// tailOptions returns a value for each number of points that group g of the tail may have, counting
// only the costs of the records of this group. The result is valid until the next call.
func (e *enumeration) tailOptions(g int) []value {
	k := len(e.groups) - 1
	table, width, middle := e.tables[k], e.spans[k], k*e.points
	cost, total := int64(0), 2*middle // the cost of predicting 1 for all records of the group above this total
	for i := range e.values {
		for ; total >= 0 && total-middle+i-e.points >= e.threshold; total-- {
			cost += table[total*width+g]
		}
		e.values[i] = value{1, cost}
	}
	return e.values
}

// A descent samples a card: first its set of attributes, then the points of the groups of the head,
// then those of the groups of the tail.
type descent struct {
	*mass
	set  int // -1 if it is not chosen yet
	e    *enumeration
	step int     // the number of groups of the head that have points
	next int     // the number of groups of the tail that have points
	card [][]int // by position in the set
	cost int64
}

// options returns the values of the options of the next choice when a card is sampled, and the
// value of their union. It returns nil if the card is complete.
func (d *descent) options() (of []value, whole value) {
	switch {
	case d.set < 0:
		return d.values, d.total
	case d.step < len(d.e.steps):
		of = d.e.optionsAt(d.step)
	case d.next < d.e.groups[len(d.e.groups)-1]:
		of = d.e.tailOptions(d.next)
	default:
		return nil, value{}
	}
	return of, d.e.decays.sum(of, slack)
}

// Weights returns the cumulative weights of the options of the next choice, when a card is sampled.
func (d *descent) Weights(ctx context.Context) ([]uint64, error) {
	of, whole := d.options()
	if of == nil {
		return nil, ctx.Err()
	}
	return d.decays.weights(of, whole), ctx.Err()
}

// Take makes the next choice when a card is sampled: a set of attributes, or the points of the next
// group of categories.
func (d *descent) Take(i int) {
	if d.set < 0 {
		d.set, d.e = i, d.enumeration(i, d.columns.table(i, nil))
		d.card, d.cost = make([][]int, len(d.e.order)), d.extra(i)
		return
	}
	k := len(d.e.order) - 1
	if d.step < len(d.e.steps) {
		k = d.e.steps[d.step][0]
		d.e.place(d.step, i-d.e.points, 1)
		d.step++
	} else {
		d.cost += d.e.tailOptions(d.next)[i].least
		d.next++
	}
	at := d.e.order[k]
	d.card[at] = append(d.card[at], i-d.e.points)
}

// Hypothesis returns the sampled card, its prior weight 1 and its cost.
func (d *descent) Hypothesis() (h Card, weight *big.Rat, cost int64) {
	return Card{d.columns.class.sets[d.set], d.card}, big.NewRat(1, 1), d.cost
}
