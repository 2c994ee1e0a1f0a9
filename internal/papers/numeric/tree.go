package numeric

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A tree is the search tree of one problem (class.Tree). The children of the root decide the threshold. Below them,
// each level decides the weight of one column, in the order of the plan.
type tree struct {
	class  *Class
	order  []int  // the columns in the order in which they are decided
	root   *state // the state after the threshold is decided
	charge Charge
	levels []level     // levels[k] describes the records if k weights are decided
	d      []int64     // for each record, the cost of predicting 1 minus that of predicting 0
	floor  int64       // the sum of the cheaper costs of all points
	share  class.Upper // the fraction of leaves that have a given threshold

	ceiling       int64
	incumbent     Halfspace
	incumbentCost int64
}

// A level describes the possible contributions of the undecided columns to the weighted sum of each record.
type level struct {
	value     []int64 // for each record, its value in the next column
	low, high []int64 // for each record, the least and the greatest weighted sum of the undecided columns
	// For each record, the squared norm of its values in the undecided columns, or MaxUint64 if it
	// overflows. It is nil if the class has no limit on the norm.
	square []uint64
}

// Tree returns the search tree of the problem p. Its memory and the time to build it are proportional to the number
// of distinct records times the number of columns. The local search for an incumbent takes additional time. Tree
// returns class.ErrRange if costs can exceed 62 bits.
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

// ordered returns the order in which the tree decides the columns: the columns with the greatest influence on
// predictions come first. The influence of a column is a sum over the records, of the range of the products of the
// record's value with the column's possible weights, times the record's cost difference |d|.
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

// last returns the level of the search tree on which the weights of all columns are decided.
func (t *tree) last() level {
	n := len(t.d)
	l := level{low: make([]int64, n), high: make([]int64, n)}
	if t.class.norm() < t.class.square() {
		l.square = make([]uint64, n)
	}
	return l
}

// before returns the level that precedes the level next. Its undecided columns are those of next, and column j.
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

// addSquare adds x² to a sum of squares. It returns MaxUint64 if the sum overflows.
func addSquare(sum uint64, x int64) uint64 {
	hi, lo := bits.Mul64(uint64(max(x, -x)), uint64(max(x, -x)))
	total, carry := bits.Add64(sum, lo, 0)
	if hi > 0 || carry > 0 {
		return math.MaxUint64
	}
	return total
}

// Layout returns an upper bound on the memory of a tree for the given number of distinct records: the memory of its
// levels and of the counter's states.
func (c *Class) Layout(records int64) class.Layout {
	choices, _ := c.choices()
	cells := class.Sum(class.Product(records, int64(len(c.columns)+1)), choices.Int64())
	return class.Layout{Cells: cells, Bytes: class.Product(200, cells)}
}

// Plan returns the order in which the search tree decides the weights of the columns.
func (t *tree) Plan() []int { return slices.Clone(t.order) }

// Incumbent returns the halfspace that a local search found, and its cost. A search starts with it as its best
// solution.
func (t *tree) Incumbent() (Halfspace, int64) {
	return Halfspace{slices.Clone(t.incumbent.Weights), t.incumbent.Threshold}, t.incumbentCost
}

// Ceiling returns an upper bound on the cost of every halfspace.
func (t *tree) Ceiling() int64 { return t.ceiling }
