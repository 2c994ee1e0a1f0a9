package class

import (
	"math"
	"math/big"
	"slices"
)

// A Completion puts points with different norms on one sphere by adding coordinates. For each of the
// squared norms s, it contains integers whose squares sum to R - s, where R is the greatest squared
// norm.
type Completion struct {
	norms   []int64
	squares int // how many integers for each norm
	of      map[int64][]int64
}

// Complete returns a completion of the squared norms with the minimum number of integers for each,
// which is at most four (Lagrange). The norms are non-negative and in ascending order.
func Complete(norms []int64) Completion {
	c := Completion{norms: slices.Clone(norms)}
	for !c.found() {
		c.squares++
	}
	return c
}

// found computes the sums of c.squares squares. It reports whether there is one for each norm.
func (c *Completion) found() bool {
	c.of = map[int64][]int64{}
	for _, s := range c.norms {
		a, ok := sumOfSquares(c.Norm()-s, c.squares)
		if !ok {
			return false
		}
		c.of[s] = a
	}
	return true
}

// Norm returns R.
func (c Completion) Norm() int64 { return c.norms[len(c.norms)-1] }

// Squares returns the number of integers that complete a norm.
func (c Completion) Squares() int { return c.squares }

// Of returns the integers that complete the norm s. The caller must not change them.
func (c Completion) Of(s int64) []int64 { return c.of[s] }

// Linear returns terms on the bits "the squared norm is at least s", one for each norm except the
// least. They cost a point with squared norm s the inner product of k and Of(s), up to a constant.
func (c Completion) Linear(k []*big.Int) []*big.Int {
	var terms []*big.Int
	for i, s := range c.norms[1:] {
		step := new(big.Int)
		for b, a := range c.of[s] {
			by := big.NewInt(a - c.of[c.norms[i]][b])
			step.Add(step, by.Mul(by, k[b]))
		}
		terms = append(terms, step)
	}
	return terms
}

// sumOfSquares returns numbers whose squares sum to n, the greatest first, and whether there are
// any.
func sumOfSquares(n int64, squares int) ([]int64, bool) {
	if squares == 0 {
		return nil, n == 0
	}
	for a := int64(math.Sqrt(float64(n))) + 1; a >= 0; a-- {
		if a*a > n {
			continue
		}
		if rest, ok := sumOfSquares(n-a*a, squares-1); ok {
			return append([]int64{a}, rest...), true
		}
	}
	return nil, false
}
