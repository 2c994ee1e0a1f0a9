package tabulated

import (
	"fmt"
	"iter"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// Most is the maximum number of hypotheses of a tabulated class. A table of this size takes 512
// MiB.
const Most = 1 << 26

// A Class is a class.Tabular with another search tree, which is built from the table of all costs.
// Everything except the tree and its checker is that of the original class, including Distance. A
// Class is always Enumerable and Partial.
type Class[X, H any] struct {
	class.Tabular[X, H]
	size int
}

// New returns the class c with a search tree that is built from the table of all costs. It fails
// if c has more than Most hypotheses.
func New[X, H any](c class.Tabular[X, H]) (*Class[X, H], error) {
	size := c.Size()
	if size.Cmp(big.NewInt(Most)) > 0 {
		return nil, fmt.Errorf("tabulated: the class has %v hypotheses, but only classes of at most %d can be tabulated", size, Most)
	}
	return &Class[X, H]{c, int(size.Int64())}, nil
}

// Separator returns the number of separator bits of the original class, or -1 if it has no
// separator.
func (c *Class[X, H]) Separator() int { return class.SeparatorBits(c.Tabular) }

// Separate returns the separator bits of hypothesis h in the original class.
func (c *Class[X, H]) Separate(h H) []bool { return class.Separate(c.Tabular, h) }

// Distance returns the minimum distance of the original class's separator (class.Distance).
func (c *Class[X, H]) Distance() int { return class.Distance(c.Tabular) }

// All yields every hypothesis once. If the original class is Enumerable, the order is that of its
// All; otherwise it is the order of the table.
func (c *Class[X, H]) All() iter.Seq[H] {
	if e, ok := c.Tabular.(interface{ All() iter.Seq[H] }); ok {
		return e.All()
	}
	return func(yield func(H) bool) {
		for i := range c.size {
			if !yield(c.At(i)) {
				return
			}
		}
	}
}

// PredictPartial returns the prediction of h for a record of which only some attributes are known.
// It uses the method of the original class if that class is Partial. Otherwise it predicts only if
// all attributes are known, and panics if X is not []uint16.
func (c *Class[X, H]) PredictPartial(h H, x []uint16, known []bool) (label, ok bool) {
	if p, is := c.Tabular.(class.Partial[H]); is {
		return p.PredictPartial(h, x, known)
	}
	for _, k := range known {
		if !k {
			return false, false
		}
	}
	full, is := any(x).(X)
	if !is {
		panic(fmt.Sprintf("tabulated: records of %v are not []uint16", c))
	}
	return c.Predict(h, full), true
}

// Tree computes the table of all costs, and the least cost of each larger block (see firstKept).
// It fails if Tabulate of the original class fails.
func (c *Class[X, H]) Tree(p class.Problem[X]) (class.Tree[H], error) {
	costs, err := c.Tabulate(p)
	if err != nil {
		return nil, err
	}
	if len(costs) != c.size {
		panic(fmt.Sprintf("tabulated: Tabulate returned %d costs for %d hypotheses", len(costs), c.size))
	}
	return newTree(costs, c.At), nil
}
