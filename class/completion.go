package class

import (
	"math"
	"math/big"
	"slices"
)

// A Completion has, for each of some squared norms s, integers whose squares
// add up to R - s, R the greatest of them: with these as further coordinates,
// points of those norms lie on one sphere.
type Completion struct {
	norms   []int64
	squares int // how many integers for each norm
	of      map[int64][]int64
}

// Complete returns the completion of the norms, which ascend and are not
// negative, in as few integers as do, at most four (Lagrange).
func Complete(norms []int64) Completion {
	c := Completion{norms: slices.Clone(norms)}
	for !c.found() {
		c.squares++
	}
	return c
}

// found finds the sums of squares; it fails where c.squares are too few.
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

// Squares returns how many integers complete a norm.
func (c Completion) Squares() int { return c.squares }

// Of returns the integers that complete s, one of the norms; the caller must
// not change them.
func (c Completion) Of(s int64) []int64 { return c.of[s] }

// Linear returns terms on the bits "the squared norm is at least s", one for
// each norm but the least, that cost s the inner product of k and Of(s), but
// for a constant.
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

// sumOfSquares writes n as the sum of so many squares, the greatest first, if
// that can be done.
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
