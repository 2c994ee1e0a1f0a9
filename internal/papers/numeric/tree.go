package numeric

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A tree is the class laid out over one problem. The threshold is decided at
// the root, then one weight at each level, in an order that is the plan.
type tree struct {
	class  *Class
	order  []int
	root   *state // with the threshold decided
	charge Charge
	levels []level     // before each weight, and after the last
	d      []int64     // of each record
	floor  int64       // every record at the cheaper of its predictions
	share  class.Upper // of each threshold

	ceiling       int64
	incumbent     Halfspace
	incumbentCost int64
}

// A level holds what is known where some columns, the rest, are undecided.
type level struct {
	value     []int64  // of each record, in the first column of the rest
	low, high []int64  // of each record, the least and greatest total of the rest
	square    []uint64 // of each record, the squared norm of the rest's values; MaxUint64 where that is too large; nil where no norm limits
}

// Tree lays the class out for search over the problem, in memory and time that
// grow with the distinct records times the columns, and some time more to find
// a good incumbent.
func (c *Class) Tree(p class.Problem[[]int64]) (class.Tree[Halfspace], error) {
	if _, ok := c.Spread(p); !ok {
		return nil, class.ErrRange
	}
	records, base := collapse(p.Points)
	t := &tree{
		class: c, order: c.ordered(records), floor: base, ceiling: base,
		charge: c.Charge(p.Terms, c.options.Penalty*p.PenaltyUnit()),
		share:  class.Ratio(big.NewInt(1), big.NewInt(int64(len(c.thresholds)))),
	}
	t.root = newCounter(c, t.order, t.charge).root()
	for _, r := range records {
		t.d = append(t.d, r.d)
		t.floor += min(r.d, 0)
		t.ceiling += max(r.d, 0)
	}
	t.ceiling += t.root.most + slices.Max(t.charge.Threshold)
	t.levels = make([]level, len(t.order)+1)
	t.levels[len(t.order)] = t.last()
	for k := len(t.order) - 1; k >= 0; k-- {
		t.levels[k] = t.before(&t.levels[k+1], t.order[k], records)
	}
	t.incumbent = newDescent(c, t.charge, records).best()
	t.incumbentCost = class.Cost(c, p, t.incumbent)
	return t, nil
}

// ordered returns the columns, those first whose weights move the totals of
// dear records most.
func (c *Class) ordered(records []record) []int {
	moves := make([]float64, len(c.columns))
	for _, r := range records {
		for j, col := range c.columns {
			low, high := col.reach(r.x[j])
			moves[j] += math.Abs(float64(r.d)) * float64(high-low)
		}
	}
	order := c.inOrder()
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(moves[j], moves[i]) })
	return order
}

// last returns the level with nothing undecided.
func (t *tree) last() level {
	n := len(t.d)
	l := level{low: make([]int64, n), high: make([]int64, n)}
	if t.class.norm() < t.class.square() {
		l.square = make([]uint64, n)
	}
	return l
}

// before returns the level whose rest is that of the next one and column j.
func (t *tree) before(next *level, j int, records []record) level {
	col := t.class.columns[j]
	var l level
	for i, r := range records {
		low, high := col.reach(r.x[j])
		l.value = append(l.value, r.x[j])
		l.low = append(l.low, next.low[i]+low)
		l.high = append(l.high, next.high[i]+high)
		if next.square != nil {
			l.square = append(l.square, addSquare(next.square[i], r.x[j]))
		}
	}
	return l
}

// addSquare adds x² to a sum of squares, unless that is too large.
func addSquare(sum uint64, x int64) uint64 {
	hi, lo := bits.Mul64(uint64(max(x, -x)), uint64(max(x, -x)))
	total, carry := bits.Add64(sum, lo, 0)
	if hi > 0 || carry > 0 {
		return math.MaxUint64
	}
	return total
}

// Layout bounds, for every record, the sums that the weights left at each level
// come to, and the states of counting.
func (c *Class) Layout(records int64) class.Layout {
	choices, _ := c.choices()
	cells := class.Sum(class.Product(records, int64(len(c.columns)+1)), choices.Int64())
	return class.Layout{Cells: cells, Bytes: class.Product(200, cells)}
}

// Plan returns the order in which the weights are decided.
func (t *tree) Plan() []int { return slices.Clone(t.order) }

// Incumbent returns the halfspace that local search found.
func (t *tree) Incumbent() (Halfspace, int64) {
	return Halfspace{slices.Clone(t.incumbent.Weights), t.incumbent.Threshold}, t.incumbentCost
}

// Ceiling returns what all points cost at their worst, and so the choices.
func (t *tree) Ceiling() int64 { return t.ceiling }
