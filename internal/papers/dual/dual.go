// Package dual implements dual classes, in which hypotheses and records exchange their roles (Neel, Roth
// and Wu, 2018, Definition 10). The hypotheses of the dual class of a class Q are the records of a public
// domain, and the records of the dual class are hypotheses of Q. The data player of package game
// minimizes over a dual class.
//
// Letters:
//
//	Q    the primal class
//	d    the number of attributes; n_j is the number of categories of attribute j
//	x    a record, which is a hypothesis of the dual class
//	h    a hypothesis of Q, which is a record of the dual class
package dual

import (
	"fmt"
	"iter"
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A Class is the dual of a class of hypotheses on categorical records: the roles of records and hypotheses are
// exchanged, so all records of the domain are its hypotheses. It implements class.Enumerable[H, []uint16]. The zero
// value is invalid; use New.
type Class[H any] struct {
	primal class.Class[[]uint16, H]
	sizes  []int
}

// mostCategories is the maximum number of categories of an attribute of the domain.
const mostCategories = 1 << 16

// New returns the dual class of c, whose hypotheses are all records of a domain. The slice sizes has the number of
// categories of each attribute of the domain. The class c must be able to predict the label of each of these records.
// If c does not implement class.Partial, the lower bounds of the search tree are weak.
func New[H any](c class.Class[[]uint16, H], sizes []int) (*Class[H], error) {
	if len(sizes) == 0 {
		return nil, fmt.Errorf("dual: there must be at least one attribute")
	}
	for j, n := range sizes {
		if n < 1 || n > mostCategories {
			return nil, fmt.Errorf("dual: attribute %d has %d categories, but must have 1..%d", j+1, n, mostCategories)
		}
	}
	return &Class[H]{c, slices.Clone(sizes)}, nil
}

// String returns a description of the class.
func (c *Class[H]) String() string {
	return fmt.Sprintf("records of %d attributes as hypotheses on %v", len(c.sizes), c.primal)
}

// Size returns the exact number of records of the domain.
func (c *Class[H]) Size() *big.Int {
	size := big.NewInt(1)
	for _, n := range c.sizes {
		size.Mul(size, big.NewInt(int64(n)))
	}
	return size
}

// Contains reports whether x is a record of the domain.
func (c *Class[H]) Contains(x []uint16) bool {
	if len(x) != len(c.sizes) {
		return false
	}
	for j, category := range x {
		if int(category) >= c.sizes[j] {
			return false
		}
	}
	return true
}

// Predict returns the label that the primal hypothesis h predicts for the record x. In the dual class, the roles are
// exchanged: x is the hypothesis and h the record.
func (c *Class[H]) Predict(x []uint16, h H) bool { return c.primal.Predict(h, x) }

// Penalty returns 0, since the dual class has no penalties.
func (c *Class[H]) Penalty([]uint16) int64 { return 0 }

// digits returns the number of binary digits that are needed for a category of attribute j.
func (c *Class[H]) digits(j int) int { return bits.Len(uint(c.sizes[j] - 1)) }

// Separator returns the number of separator bits, the bits that represent a record: the total number of binary digits
// of the categories of all attributes.
func (c *Class[H]) Separator() int {
	m := 0
	for j := range c.sizes {
		m += c.digits(j)
	}
	return m
}

// Separate returns the separator bits of x: the binary digits of its categories, attribute by attribute. The lowest
// digit of each category comes first.
func (c *Class[H]) Separate(x []uint16) []bool {
	set := make([]bool, 0, c.Separator())
	for j, category := range x {
		for b := range c.digits(j) {
			set = append(set, category>>b&1 == 1)
		}
	}
	return set
}

// All yields every record of the domain once, in lexicographic order.
func (c *Class[H]) All() iter.Seq[[]uint16] {
	return func(yield func([]uint16) bool) {
		x := make([]uint16, len(c.sizes))
		for {
			if !yield(slices.Clone(x)) {
				return
			}
			j := len(x) - 1
			for ; j >= 0 && int(x[j]) == c.sizes[j]-1; j-- {
				x[j] = 0
			}
			if j < 0 {
				return
			}
			x[j]++
		}
	}
}

// Prices converts the terms of a problem to costs of categories. A problem has one term for each separator bit, that
// is, for each binary digit of a category. The cost of a category is the sum of the terms of those of its digits that
// are 1.
//
// The result prices holds, by attribute and category, the cost of the category minus the least cost of a category of
// the same attribute. The result least is the sum of these least costs over all attributes.
func (c *Class[H]) Prices(terms []int64) (prices [][]int64, least int64) {
	prices = make([][]int64, len(c.sizes))
	for j, n := range c.sizes {
		costs := make([]int64, n)
		if terms != nil {
			for category := range costs {
				for b, t := range terms[:c.digits(j)] {
					if category>>b&1 == 1 {
						costs[category] += t
					}
				}
			}
			terms = terms[c.digits(j):]
		}
		cheapest := slices.Min(costs)
		for category := range costs {
			costs[category] -= cheapest
		}
		prices[j] = costs
		least += cheapest
	}
	return prices, least
}

var _ class.Enumerable[int, []uint16] = (*Class[int])(nil)
