package parity

import (
	"cmp"
	"math/bits"

	"github.com/sibyl-dp/sibyl/class"
)

// A weight is a word other than 0, with the number w(x) that the package comment defines for it.
type weight struct {
	word uint64
	w    int64
}

// spread returns an upper bound on the absolute cost of any parity for problem p, including
// penalties. The result ok is false if the bound does not fit into 62 bits. Twice the bound is
// also an upper bound on the sum of the absolute weights of all words.
func (c *Class) spread(p class.Problem[[]uint16]) (bound int64, ok bool) {
	bound, ok = p.Range()
	hi, penalties := bits.Mul64(uint64(c.options.Penalty)*uint64(c.bits), uint64(p.PenaltyUnit()))
	if !ok || hi != 0 || penalties > 1<<61-uint64(bound) {
		return 0, false
	}
	return bound + int64(penalties), true
}

// weights computes the weight w(x) of each word x from the points of the problem. It returns w(0)
// as base, and all other weights that are not 0, in ascending order of their words. A point with
// the word x and the costs c₀ and c₁ of the predictions 0 and 1 adds c₀+c₁ to w(0) and c₀-c₁ to
// w(x).
func (c *Class) weights(p class.Problem[[]uint16]) (base int64, others []weight) {
	all := make([]class.Point[uint64], 0, len(p.Points)+len(p.Terms)+c.bits)
	charge := func(word uint64, zero, one int64) {
		all = append(all, class.Point[uint64]{X: word, Cost: [2]int64{zero, one}})
	}
	for _, pt := range p.Points {
		charge(c.word(pt.X), pt.Cost[0], pt.Cost[1])
	}
	for i, t := range p.Terms {
		charge(c.points[i]|c.constantBit(), 0, t)
	}
	for i := range c.bits {
		charge(1<<i, 0, c.options.Penalty*p.PenaltyUnit())
	}
	for _, pt := range class.Distinct(all, cmp.Compare) {
		base += pt.Cost[0] + pt.Cost[1]
		w := pt.Cost[0] - pt.Cost[1]
		switch {
		case pt.X == 0:
			base += w
		case w != 0:
			others = append(others, weight{pt.X, w})
		}
	}
	return base, others
}
