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

// A Class wraps a class.Tabular and searches it through the table of all costs. Everything but its
// tree and checker is that of the wrapped class. It has that class's Distance, and it is always
// Enumerable and Partial.
type Class[X, H any] struct {
	class.Tabular[X, H]
	size int
}

// New returns c with a tree over its table of costs. It fails if c has more than Most hypotheses.
func New[X, H any](c class.Tabular[X, H]) (*Class[X, H], error) {
	size := c.Size()
	if size.Cmp(big.NewInt(Most)) > 0 {
		return nil, fmt.Errorf("tabulated: the class has %v hypotheses; a table holds at most %d", size, Most)
	}
	return &Class[X, H]{c, int(size.Int64())}, nil
}

// Separator returns the number of bits of φ, which is that of the class.
func (c *Class[X, H]) Separator() int { return class.SeparatorBits(c.Tabular) }

// Separate returns the bits of φ(h).
func (c *Class[X, H]) Separate(h H) []bool { return class.Separate(c.Tabular, h) }

// Distance returns a lower bound on the Hamming distance between the separators φ of any two
// hypotheses: that of the wrapped class.
func (c *Class[X, H]) Distance() int { return class.Distance(c.Tabular) }

// All yields every hypothesis once, in the order of the wrapped class if that is Enumerable,
// otherwise in the order of the table.
func (c *Class[X, H]) All() iter.Seq[H] {
	if e, ok := c.Tabular.(class.Enumerable[X, H]); ok {
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

// PredictPartial returns the partial prediction of the wrapped class if that is Partial. Otherwise
// it predicts only if all attributes are known, and then panics unless X is []uint16.
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

// Tree tabulates all costs and computes the least cost of every block in one pass over the table.
// It fails if Tabulate fails.
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
