package class

import (
	"math"
	"math/big"
	"slices"
)

// A Completion appends coordinates to integer points, so that points with different norms get the
// same norm: they then lie on one sphere around the origin. For each squared norm s, it contains
// the coordinates to append: integers whose squares sum to R - s, where R is the greatest squared
// norm.
type Completion struct {
	norms   []int64
	squares int // number of integers for each squared norm
	of      map[int64][]int64
}

// Complete returns a completion for points with the given squared norms, which are non-negative and
// in ascending order. It appends the same number of integers for each squared norm: the minimum
// possible, which is at most four by Lagrange's theorem.
func Complete(norms []int64) Completion {
	c := Completion{norms: slices.Clone(norms)}
	for !c.found() {
		c.squares++
	}
	return c
}

// found looks for c.squares integers to append for each squared norm, and stores them in c.of. It
// reports whether they exist for every squared norm.
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

// Norm returns R, the greatest squared norm, which all completed points have.
func (c Completion) Norm() int64 { return c.norms[len(c.norms)-1] }

// Squares returns the number of integers that Of returns.
func (c Completion) Squares() int { return c.squares }

// Of returns the integers to append to a point with squared norm s. The caller must not change
// them.
func (c Completion) Of(s int64) []int64 { return c.of[s] }

// Linear expresses the inner product of k and Of(s) by bits. The parameter k has one number for
// each integer that Of returns. There is one bit for each squared norm except the least, which is 1
// if the squared norm of a point is at least this norm. Linear returns coefficients of these bits:
// for a point of squared norm s, the coefficients of the bits that are 1 sum to the inner product
// of k and Of(s), apart from a constant that is the same for all points.
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

// sumOfSquares returns the given number of integers, in descending order, whose squares sum to n.
// The result ok is false if there are none.
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
