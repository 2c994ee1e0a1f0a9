package dectree

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// The constants limit the parameters of a class of decision trees. The bounds on rounding errors in
// docs/explanation/proofs/dectree.md rely on them.
const (
	MostTests    = 1 << 10
	MostDepth    = 6
	MostOutcomes = 1 << 6

	mostPlaces = 757 // the maximum number of binary places of the least prior
)

// A Class is the class of all decision trees up to a given depth over public tests. It implements
// class.Tractable over records of category codes.
type Class struct {
	attributes []Attribute
	tests      []Test
	depth      int
	outcomes   int
}

// New returns the class of decision trees of at most the given depth over the attributes. A leaf
// predicts one of the given number of outcomes. New fails if a parameter is out of range.
func New(attributes []Attribute, depth, outcomes int) (*Class, error) {
	c := &Class{attributes: attributes, depth: depth, outcomes: outcomes}
	if depth < 1 || depth > MostDepth {
		return nil, fmt.Errorf("dectree: depth %d is outside 1..%d", depth, MostDepth)
	}
	if outcomes < 2 || outcomes > MostOutcomes {
		return nil, fmt.Errorf("dectree: the number of outcomes is %d, but must be 2 to %d", outcomes, MostOutcomes)
	}
	for j, a := range attributes {
		if err := a.validate(); err != nil {
			return nil, fmt.Errorf("dectree: attribute %d: %w", j+1, err)
		}
		if len(c.tests)+a.Tests() > MostTests {
			return nil, fmt.Errorf("dectree: the attributes have more tests than the maximum of %d; group categories", MostTests)
		}
		c.tests = a.tests(c.tests, j)
	}
	if len(c.tests) == 0 {
		return nil, errors.New("dectree: every attribute has one category, but a tree needs an attribute with at least two")
	}
	if c.LeastPrior().Denom().BitLen()-1 > mostPlaces {
		return nil, fmt.Errorf("dectree: the class of %v is too large; use a smaller depth, or group categories", c)
	}
	return c, nil
}

// String returns a description of the class of trees.
func (c *Class) String() string {
	s := fmt.Sprintf("decision trees of depth at most %d over %d tests", c.depth, len(c.tests))
	if c.outcomes > 2 {
		s += fmt.Sprintf(" for %d outcomes", c.outcomes)
	}
	return s
}

// WithOutcomes returns the class with the same tests and depth, but with the given number of outcomes.
func (c *Class) WithOutcomes(outcomes int) (*Class, error) {
	return New(c.attributes, c.depth, outcomes)
}

// Outcomes returns the number of outcomes that a leaf of a tree can predict.
func (c *Class) Outcomes() int { return c.outcomes }

// Depth returns the maximum depth of a tree of the class.
func (c *Class) Depth() int { return c.depth }

// Tests returns the tests of the class, ordered by attribute.
func (c *Class) Tests() []Test { return c.tests }

// Size returns the exact number N_D of trees, where N_0 = k and N_d = k + T·N_{d-1}² for d ≥ 1.
// Here D is the depth of the class, k is the number of outcomes, and T is the number of tests.
func (c *Class) Size() *big.Int {
	k, t := big.NewInt(int64(c.outcomes)), big.NewInt(int64(len(c.tests)))
	n := new(big.Int).Set(k)
	for range c.depth {
		n.Mul(n, n).Mul(n, t).Add(n, k)
	}
	return n
}

// Contains reports whether h is a tree of the class.
func (c *Class) Contains(h *Tree) bool { return c.contains(h, c.depth) }

func (c *Class) contains(h *Tree, depth int) bool {
	switch {
	case h == nil || (h.Yes == nil) != (h.No == nil):
		return false
	case h.Leaf():
		return h.Test == 0 && h.Outcome >= 0 && h.Outcome < c.outcomes
	}
	return depth > 0 && h.Test >= 0 && h.Test < len(c.tests) && h.Outcome == 0 &&
		c.contains(h.Yes, depth-1) && c.contains(h.No, depth-1)
}

// Predict returns the outcome that the tree h predicts for the record x.
func (c *Class) Predict(h *Tree, x []uint16) int {
	for !h.Leaf() {
		t := c.tests[h.Test]
		if t.Accepts(x[t.Attribute]) {
			h = h.Yes
		} else {
			h = h.No
		}
	}
	return h.Outcome
}

// Prior returns the prior probability of tree h: the product of a factor ½ for each node at which
// the depth allows a test, a factor 1/T for each inner node, and a factor 1/k for each leaf. T is
// the number of tests, and k is the number of outcomes.
func (c *Class) Prior(h *Tree) *big.Rat { return c.prior(h, c.depth) }

func (c *Class) prior(h *Tree, depth int) *big.Rat {
	if h.Leaf() {
		if depth > 0 {
			return big.NewRat(1, 2*int64(c.outcomes))
		}
		return big.NewRat(1, int64(c.outcomes))
	}
	p := big.NewRat(1, 2*int64(len(c.tests)))
	return p.Mul(p, c.prior(h.Yes, depth-1)).Mul(p, c.prior(h.No, depth-1))
}

// LeastPrior returns the least Prior of a tree of the class: the prior of the trees in which every
// path has the maximum depth.
func (c *Class) LeastPrior() *big.Rat {
	h := &Tree{}
	for range c.depth {
		h = &Tree{Yes: h, No: h}
	}
	return c.Prior(h)
}

// All yields every tree of the class once: first the leaves, then the trees with an inner node at
// the root, ordered by its test.
func (c *Class) All() iter.Seq[*Tree] { return c.all(c.depth) }

func (c *Class) all(depth int) iter.Seq[*Tree] {
	return func(yield func(*Tree) bool) {
		for o := range c.outcomes {
			if !yield(&Tree{Outcome: o}) {
				return
			}
		}
		if depth == 0 {
			return
		}
		for t := range c.tests {
			for yes := range c.all(depth - 1) {
				for no := range c.all(depth - 1) {
					if !yield(&Tree{Test: t, Yes: yes, No: no}) {
						return
					}
				}
			}
		}
	}
}

// Mass returns an upper bound on the partition function, the sum of prior·e^{-λ·cost} over all
// trees, from which trees can be sampled. A descent from the result builds a tree step by step, and
// bounds this sum for the trees that each option of a step leads to. decay(k) must be an upper
// bound on e^{-λk} for k ≥ 0. Mass fails with the context's error, or with class.ErrRange if costs
// are too large.
func (c *Class) Mass(ctx context.Context, records class.Records[[]uint16], decay func(k int64) class.Upper) (class.Mass[*Tree], error) {
	if class.InRange(records, mostNarrow) {
		return massOf(ctx, newMass(c, records, decay, fastest()))
	}
	if !class.InRange(records, class.MostCost) {
		return nil, class.ErrRange
	}
	return massOf(ctx, newMass(c, records, decay, portable[int64]()))
}

// Least returns a tree of least cost, and its cost. Among options of equal cost, it prefers a leaf
// to a test, and an earlier test to a later one. It fails if Mass fails.
//
// Least uses the recursion of Mass, which computes the least cost for any rate λ, with an infinite
// rate, so that only the least costs matter.
func (c *Class) Least(ctx context.Context, records class.Records[[]uint16]) (*Tree, int64, error) {
	m, err := c.Mass(ctx, records, func(k int64) class.Upper {
		if k == 0 {
			return class.One
		}
		return class.Upper{}
	})
	if err != nil {
		return nil, 0, err
	}
	for d := m.Descend().(leastDescent); ; {
		option, err := d.least(ctx)
		if err != nil {
			return nil, 0, err
		}
		if option < 0 {
			h, _, cost := d.Hypothesis()
			return h, cost, nil
		}
		d.Take(option)
	}
}

// mostNarrow is the maximum sum of all absolute costs for which tables have 32-bit integers: even
// the difference of two cost differences (see plan) then fits.
const mostNarrow = 1 << 29

func massOf[T cell](ctx context.Context, m *mass[T]) (class.Mass[*Tree], error) {
	var err error
	m.root, err = m.options(ctx, m.all, m.class.depth)
	return m, err
}
