package numeric

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
)

// A Class is the set of all halfspaces with weights and thresholds from given
// finite sets. It implements class.Enumerable[[]int64, Halfspace]. The zero
// value is no class; use New.
type Class struct {
	columns    []Column
	thresholds []int64
	options    Options
	size       *big.Int
	norms      []int64 // the squared norms that weights of the class have, ascending
}

// Options are the public parameters that a class has beside its columns and
// thresholds.
type Options struct {
	// Norm is R, the greatest squared Euclidean norm of the weights, or 0 for
	// no limit.
	Norm int64
	// Most is the greatest number of weights that are not 0, or 0 for no
	// limit.
	Most int
	// Penalty is the data-independent cost of every weight that is not 0.
	Penalty int64
	// NormBits adds to the separator one bit for each squared norm that weights
	// of the class have but the least, so that terms can charge for the norm,
	// and maps the class into a sphere (Embedding).
	NormBits bool
}

// The greatest absolute total or threshold, penalty, number of columns, number
// of thresholds, and number of choices that a tree keeps counts of.
const (
	mostTotal      = 1 << 60
	mostPenalty    = 1 << 40
	mostColumns    = 1 << 10
	mostThresholds = 1 << 16
	mostChoices    = 1 << 22
)

// New returns the class of halfspaces over the columns, with one of the
// thresholds, which are ascending. It fails with an error that says in one
// sentence what is wrong with the parameters; totals that could overflow are
// excluded here.
func New(columns []Column, thresholds []int64, o Options) (*Class, error) {
	if len(columns) == 0 || len(columns) > mostColumns {
		return nil, fmt.Errorf("numeric: %d columns are outside 1..%d", len(columns), mostColumns)
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
		return nil, fmt.Errorf("numeric: weighted sums of up to %v leave 60 bits", total)
	}
	if len(thresholds) == 0 || len(thresholds) > mostThresholds {
		return nil, fmt.Errorf("numeric: %d thresholds are outside 1..%d", len(thresholds), mostThresholds)
	}
	for i, t := range thresholds {
		if t < -mostTotal || t > mostTotal {
			return nil, fmt.Errorf("numeric: a threshold of %d leaves 60 bits", t)
		}
		if i > 0 && t <= thresholds[i-1] {
			return nil, fmt.Errorf("numeric: the thresholds %d, %d are not ascending", thresholds[i-1], t)
		}
	}
	if o.Penalty < 0 || o.Penalty > mostPenalty {
		return nil, fmt.Errorf("numeric: a penalty of %d for each weight is outside 0..%d", o.Penalty, int64(mostPenalty))
	}
	if o.Most < 0 {
		return nil, fmt.Errorf("numeric: at most %d weights leaves no halfspace", o.Most)
	}
	if o.Norm < 0 {
		return nil, fmt.Errorf("numeric: a squared norm of at most %d leaves no halfspace", o.Norm)
	}
	c := &Class{columns: columns, thresholds: thresholds, options: o}
	if n, ok := c.choices(); !ok {
		return nil, fmt.Errorf("numeric: counting takes %v steps, more than %d; a limit on the norm or on the number of weights is too large", n, mostChoices)
	}
	root := newCounter(c, c.inOrder(), Charge{}).root()
	if root == nil {
		return nil, fmt.Errorf("numeric: no weights keep to a squared norm of %d and to %d columns used", o.Norm, o.Most)
	}
	c.size = new(big.Int).Mul(root.leaves, big.NewInt(int64(len(thresholds))))
	if o.NormBits {
		c.norms = c.attained()
	}
	return c, nil
}

// inOrder returns the numbers of the columns.
func (c *Class) inOrder() []int {
	order := make([]int, len(c.columns))
	for j := range order {
		order[j] = j
	}
	return order
}

// choices bounds the number of choices that a counter makes; ok is false where
// these are too many.
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

// square returns the greatest squared norm without a limit.
func (c *Class) square() int64 {
	square := int64(0)
	for _, col := range c.columns {
		square += col.square()
	}
	return square
}

// norm returns the greatest squared norm.
func (c *Class) norm() int64 {
	if c.options.Norm == 0 {
		return c.square()
	}
	return min(c.options.Norm, c.square())
}

// most returns the greatest number of weights that are not 0.
func (c *Class) most() int {
	if c.options.Most == 0 {
		return len(c.columns)
	}
	return min(c.options.Most, len(c.columns))
}

// Columns returns the columns, public parameters; the caller must not change
// them.
func (c *Class) Columns() []Column { return c.columns }

// Thresholds returns the thresholds, ascending; the caller must not change
// them.
func (c *Class) Thresholds() []int64 { return c.thresholds }

// Options returns the other public parameters.
func (c *Class) Options() Options { return c.options }

// Norms returns the squared norms that weights of the class have, ascending, or
// nil without NormBits; the caller must not change them.
func (c *Class) Norms() []int64 { return c.norms }

// String describes the class with its parameters.
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

// Size returns the exact number of halfspaces.
func (c *Class) Size() *big.Int { return new(big.Int).Set(c.size) }

// Contains tells whether h is of the class.
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

// Predict tells whether the weighted sum of record x reaches the threshold.
func (c *Class) Predict(h Halfspace, x []int64) bool { return h.Total(x) >= h.Threshold }

// Penalty returns the penalties of all weights that are not 0.
func (c *Class) Penalty(h Halfspace) int64 { return c.options.Penalty * int64(h.Used()) }

// Spread bounds the absolute costs of points and terms; ok is false where
// these, together with all penalties, leave 62 bits.
func (c *Class) Spread(p class.Problem[[]int64]) (bound int64, ok bool) {
	return p.Spread(c.options.Penalty * int64(c.most()))
}

var _ class.Enumerable[[]int64, Halfspace] = (*Class)(nil)
