// Package decay tabulates upper bounds on e^{-λc}, from which classes compute partition functions in
// floating point.
package decay

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A Table holds e(c), an upper bound on e^{-λc}, for cost differences c ≥ 0. e(0) is 1.
//
// e(c) is the product of an entry of the table lo, whose index is the low bits of c, and an entry
// of the table hi, whose index is the high bits. It is nearly equal to e^{-λc}, except at very
// small rates λ, for which the lowest bits of c are dropped. For c beyond the tables, e(c) is the
// product of the last entries of both.
type Table struct {
	drop, low uint  // the number of bits of c that are dropped, and the number of bits above these that index lo
	last      int64 // the greatest c>>drop that the tables cover
	hi, lo    []float64
	Small     []float64 // e(0), e(1), … down to the first value of at most leastSmall; nil if these are more than mostSmall

	unit float64 // Slack(depth) is 1 + unit·8^depth
}

// negligible determines where the tables of e(c) end: at a value below p·2^-negligible, where p is
// the least prior of a hypothesis. Smaller values of e(c), an upper bound on e^{-λc}, are rounded
// up to that value.
const negligible = 74

// leastSmall is the least value of e(c), an upper bound on e^{-λc}, that matters in a sum that also
// contains e(0) = 1. A smaller value may be rounded up to leastSmall.
const leastSmall = 0x1p-64

// mostBits limits the tables Table.hi and Table.lo of e(c) to 2^mostBits entries each. mostSmall is the maximum
// number of entries of Table.Small.
const (
	mostBits  = 16
	mostSmall = 1 << 18
)

// MostBytes is the maximum size of a Table in bytes.
const MostBytes = 8 * (mostSmall + 4<<mostBits)

// New computes the tables of e(c), an upper bound on e^{-λc} for the rate λ of the exponential
// mechanism. The function decay returns such an upper bound for one c. The tables end at values
// that are negligible compared with leastPrior, the least prior of a hypothesis.
func New(decay func(int64) class.Upper, leastPrior *big.Rat) *Table {
	places := leastPrior.Denom().BitLen() + negligible
	small := func(c int64) bool { return above(decay(c)) < math.Ldexp(1, -places) }
	bits := uint(0) // the number of bits of c for which e is tabulated
	for bits < 62 && !small(1<<bits) {
		bits++
	}
	d := &Table{unit: 0x1p-40}
	if bits > mostBits {
		d.low = min(bits-mostBits, mostBits)
		if d.drop = bits - mostBits - d.low; d.drop > 0 {
			d.unit = math.Ldexp(float64(places), 5-2*mostBits)
		}
	}
	for c := int64(0); len(d.hi) == 0 || c <= 1<<bits && !small(c-1<<(d.low+d.drop)); c += 1 << (d.low + d.drop) {
		d.hi = append(d.hi, min(1, above(decay(c))))
	}
	for c := range int64(1) << d.low {
		d.lo = append(d.lo, min(1, above(decay(c<<d.drop))*(1+0x1p-50)))
	}
	d.lo[0] = 1
	d.last = int64(len(d.hi)-1) << d.low
	if d.At(mostSmall-1) < leastSmall {
		for e, c := 1.0, int64(0); e > leastSmall; c++ {
			e = d.At(c)
			d.Small = append(d.Small, e)
		}
	}
	return d
}

// above returns u as a float64, rounded up. The result is at least 2^-1000.
func above(u class.Upper) float64 {
	if u.Head == 0 || u.Exponent < -1063 {
		return 0x1p-1000
	}
	head := u.Head >> 11
	if head<<11 != u.Head {
		head++
	}
	return math.Ldexp(float64(head), int(u.Exponent)+11)
}

// At returns e(c), the upper bound on e^{-λc} for the cost difference c. It has no branches, so its time does not
// depend on the records.
func (d *Table) At(c int64) float64 {
	c = min(c>>(d.drop&63), d.last)
	return d.hi[c>>(d.low&63)] * d.lo[c&(1<<(d.low&63)-1)]
}

// Slack returns the factor by which a computed upper bound on a partition function of trees is increased, to make up
// for rounding. The parameter depth is the maximum depth of the trees, at least 1. The factor exceeds the
// accumulated rounding errors (docs/explanation/proofs/dectree.md).
func (d *Table) Slack(depth int) float64 { return 1 + math.Ldexp(d.unit, 3*depth) }
