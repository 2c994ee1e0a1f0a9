package numeric

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
)

// A Class is the set of all halfspaces with weights and thresholds from given finite sets, within the limits of
// Options. It implements class.Enumerable[[]int64, Halfspace]. The zero value is invalid; use New.
type Class struct {
	columns    []Column
	thresholds []int64
	options    Options
	size       *big.Int
	norms      []int64 // if NormBits is set, the squared norms of all halfspaces of the class, ascending
}

// Options holds the public parameters of a class, except its columns and thresholds.
type Options struct {
	// Norm is R, the maximum squared Euclidean norm of the weights; 0 means no limit.
	Norm int64
	// Most is the maximum number of weights that are not 0; 0 means no limit.
	Most int
	// Penalty is the data-independent cost of each weight that is not 0.
	Penalty int64
	// If NormBits is true, the separator has additional bits for the squared norm of the weights:
	// one bit for each squared norm of a halfspace of the class, except the least. Terms can then
	// depend on the norm, and the class has an Embedding.
	NormBits bool
}

// These constants limit the parameters of a class of halfspaces, so that sums do not overflow and tables stay small.
const (
	mostTotal      = 1 << 60 // the greatest absolute value of a weighted sum or threshold
	mostPenalty    = 1 << 40
	mostColumns    = 1 << 10
	mostThresholds = 1 << 16
	mostChoices    = 1 << 22 // the maximum number of choices in the states of a counter
)

// New returns the class of halfspaces with weights for the given columns and with one of the given thresholds, which
// must be ascending. If a parameter is invalid, New returns an error that names it. Weighted sums of halfspaces of
// the class cannot overflow.
func New(columns []Column, thresholds []int64, o Options) (*Class, error) {
	if len(columns) == 0 || len(columns) > mostColumns {
		return nil, fmt.Errorf("numeric: the number of columns is %d, but must be 1..%d", len(columns), mostColumns)
	}
	total := new(big.Int)
	for j, c := range columns {
		if err := c.validate(); err != nil {
			return nil, fmt.Errorf("numeric: column %d: %w", j+1, err)
		}
		widest := new(big.Int).SetInt64(max(-c.Lo, c.Hi))
		total.Add(total, widest.Mul(widest, big.NewInt(max(-c.Weights[0], c.Weights[len(c.Weights)-1]))))
	}
	if total.Cmp(big.NewInt(mostTotal)) > 0 {
		return nil, fmt.Errorf("numeric: weighted sums can reach %v, which exceeds 60 bits; use smaller values or weights", total)
	}
	if len(thresholds) == 0 || len(thresholds) > mostThresholds {
		return nil, fmt.Errorf("numeric: the number of thresholds is %d, but must be 1..%d", len(thresholds), mostThresholds)
	}
	for i, t := range thresholds {
		if t < -mostTotal || t > mostTotal {
			return nil, fmt.Errorf("numeric: the threshold %d exceeds 60 bits", t)
		}
		if i > 0 && t <= thresholds[i-1] {
			return nil, fmt.Errorf("numeric: thresholds must increase, but %d comes before %d", thresholds[i-1], t)
		}
	}
	if o.Penalty < 0 || o.Penalty > mostPenalty {
		return nil, fmt.Errorf("numeric: the penalty of a used column, Penalty, is %d, but must be 0..%d", o.Penalty, int64(mostPenalty))
	}
	if o.Most < 0 {
		return nil, fmt.Errorf("numeric: the maximum number of used columns, Most, is %d, but must not be negative", o.Most)
	}
	if o.Norm < 0 {
		return nil, fmt.Errorf("numeric: the maximum squared norm of the weights, Norm, is %d, but must not be negative", o.Norm)
	}
	c := &Class{columns: columns, thresholds: thresholds, options: o}
	if n, ok := c.choices(); !ok {
		return nil, fmt.Errorf("numeric: the class is too large: counting its halfspaces takes %v steps, and at most %d are supported; reduce the limit on the norm or on the number of weights", n, mostChoices)
	}
	root := newCounter(c, c.inOrder(), Charge{}).root()
	if root == nil {
		return nil, fmt.Errorf("numeric: the class is empty: no weights of the columns have a squared norm of at most %d and at most %d nonzero entries; increase one of these limits", c.norm(), c.most())
	}
	c.size = new(big.Int).Mul(root.leaves, big.NewInt(int64(len(thresholds))))
	if o.NormBits {
		c.norms = c.attained()
	}
	return c, nil
}

// inOrder returns the indices 0, 1, … of the columns.
func (c *Class) inOrder() []int {
	order := make([]int, len(c.columns))
	for j := range order {
		order[j] = j
	}
	return order
}

// choices returns an upper bound on the number of choices in all states of a counter, which is proportional to the
// counter's memory. The result ok reports whether the bound is at most mostChoices.
func (c *Class) choices() (n *big.Int, ok bool) {
	n = new(big.Int)
	for _, col := range c.columns {
		n.Add(n, big.NewInt(int64(len(col.Weights))))
	}
	if c.most() < len(c.columns) {
		n.Mul(n, big.NewInt(int64(c.most())+1))
	}
	if c.options.NormBits || c.norm() < c.square() {
		n.Mul(n, big.NewInt(c.norm()+1))
	}
	return n, n.Cmp(big.NewInt(mostChoices)) <= 0
}

// square returns the maximum squared norm of weights from the columns' lists, without the limit Options.Norm.
func (c *Class) square() int64 {
	square := int64(0)
	for _, col := range c.columns {
		square += col.square()
	}
	return square
}

// norm returns an upper bound on the squared norm of the weights: the maximum for weights from the columns' lists, or
// Options.Norm if it is set and smaller.
func (c *Class) norm() int64 {
	if c.options.Norm == 0 {
		return c.square()
	}
	return min(c.options.Norm, c.square())
}

// most returns the maximum number of nonzero weights: the number of columns, or Options.Most if it is set and
// smaller.
func (c *Class) most() int {
	if c.options.Most == 0 {
		return len(c.columns)
	}
	return min(c.options.Most, len(c.columns))
}

// Columns returns the columns, a public parameter. The caller must not modify them.
func (c *Class) Columns() []Column { return c.columns }

// Thresholds returns the thresholds in ascending order. The caller must not modify them.
func (c *Class) Thresholds() []int64 { return c.thresholds }

// Options returns the public parameters of the class, except its columns and thresholds.
func (c *Class) Options() Options { return c.options }

// Norms returns the squared norms of the weights of all halfspaces in the class, in ascending order. If
// NormBits is false, it returns nil. The caller must not modify the result.
func (c *Class) Norms() []int64 { return c.norms }

// String returns a description of the class with its parameters.
func (c *Class) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "halfspaces over %d columns, %d thresholds", len(c.columns), len(c.thresholds))
	if c.norm() < c.square() {
		fmt.Fprintf(&b, ", squared norm at most %d", c.options.Norm)
	}
	if c.most() < len(c.columns) {
		fmt.Fprintf(&b, ", at most %d columns used", c.options.Most)
	}
	if c.options.Penalty > 0 {
		fmt.Fprintf(&b, ", penalty %d for each column used", c.options.Penalty)
	}
	if c.options.NormBits {
		b.WriteString(", bits of the norm in the separator")
	}
	return b.String()
}

// Size returns the exact number of halfspaces in the class.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.size) }

// Contains reports whether the halfspace h is in the class.
func (c *Class) Contains(h Halfspace) bool {
	if len(h.Weights) != len(c.columns) {
		return false
	}
	for j, w := range h.Weights {
		if _, ok := slices.BinarySearch(c.columns[j].Weights, w); !ok {
			return false
		}
	}
	_, ok := slices.BinarySearch(c.thresholds, h.Threshold)
	return ok && h.Used() <= c.most() && h.Norm() <= c.norm()
}

// Predict reports whether the weighted sum of the record x is at least the threshold of h.
func (c *Class) Predict(h Halfspace, x []int64) bool { return h.Total(x) >= h.Threshold }

// Penalty returns the penalty of h: Options.Penalty times the number of weights that are not 0.
func (c *Class) Penalty(h Halfspace) int64 { return c.options.Penalty * int64(h.Used()) }

// Spread returns an upper bound on the absolute value of the cost of every halfspace on the problem p, without
// penalties. The result ok is false if costs with penalties could exceed 62 bits.
func (c *Class) Spread(p class.Problem[[]int64]) (bound int64, ok bool) {
	return p.Spread(c.options.Penalty * int64(c.most()))
}

var _ class.Enumerable[[]int64, Halfspace] = (*Class)(nil)
