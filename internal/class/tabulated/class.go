package tabulated

import (
	"fmt"
	"iter"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// Most is the size of the largest class that is tabulated: its table takes half
// a gigabyte.
const Most = 1 << 26

// A Class is a tabular class whose tree is laid over the table of its costs. In
// all else it is the class it was made of. It is Coded as that one is, and
// Enumerable and Partial whether that one is or not.
type Class[X, H any] struct {
	class.Tabular[X, H]
	size int
}

// New returns the class with its tree laid over the table of all costs. It
// refuses a class of more than Most hypotheses.
func New[X, H any](c class.Tabular[X, H]) (*Class[X, H], error) {
	size := c.Size()
	if size.Cmp(big.NewInt(Most)) > 0 {
		return nil, fmt.Errorf("tabulated: the class has %v hypotheses, too many for a table; the limit is %d", size, Most)
	}
	return &Class[X, H]{c, int(size.Int64())}, nil
}

// Distance returns in how many bits of φ any two hypotheses differ at least.
func (c *Class[X, H]) Distance() int { return class.Distance(c.Tabular) }

// All yields every hypothesis once: as the class itself lists them where it is
// Enumerable, and otherwise in the order of the table.
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

// PredictPartial tells what the class itself does where it is Partial, and
// otherwise nothing before all is known. Records of another type than []uint16
// are none that it can read.
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
		panic(fmt.Sprintf("tabulated: %v reads no records of categories", c))
	}
	return c.Predict(h, full), true
}

// Tree computes all costs and the least one of every block, in one pass over
// the table. It fails as Tabulate does.
func (c *Class[X, H]) Tree(p class.Problem[X]) (class.Tree[H], error) {
	costs, err := c.Tabulate(p)
	if err != nil {
		return nil, err
	}
	if len(costs) != c.size {
		panic(fmt.Sprintf("tabulated: a table of %d costs for %d hypotheses", len(costs), c.size))
	}
	return newTree(costs, c.At), nil
}
