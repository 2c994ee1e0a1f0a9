package dectree

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// decays holds e: at returns e(c) ≥ e^{-λc} for differences of cost c ≥ 0, and e(0) is 1.
//
// It is the product of two entries, one for the low bits of c and one for the others, and
// tight but for bits that are dropped. That happens at very small rates only. Differences
// beyond all entries have what the last of them have.
type decays struct {
	drop, low uint // bits that are dropped, and then those that choose from lo
	last      int64
	hi, lo    []float64
	near      []float64 // e(0), e(1) and so on, down to the first below nearest; nil where these are too many

	unit float64 // of slack
}

// negligible is how many binary places a term lies below the least mass that a sum may
// have before it is rounded up to that.
const negligible = 74

// nearest is what e of a single number may be raised to in a sum that has e(0) in it.
const nearest = 0x1p-64

// mostBits is the logarithm of the greatest number of entries of a table of e, and
// mostNear the greatest number of those near e(0).
const (
	mostBits = 16
	mostNear = 1 << 18
)

// newDecays lays out the tables of e, down to what is negligible beside the least
// prior of a hypothesis.
func newDecays(decay func(int64) class.Upper, leastPrior *big.Rat) *decays {
	places := leastPrior.Denom().BitLen() + negligible
	small := func(c int64) bool { return above(decay(c)) < math.Ldexp(1, -places) }
	reach := uint(0) // a logarithm
	for reach < 62 && !small(1<<reach) {
		reach++
	}
	d := &decays{unit: 0x1p-40}
	if reach > mostBits {
		d.low = min(reach-mostBits, mostBits)
		if d.drop = reach - mostBits - d.low; d.drop > 0 {
			d.unit = math.Ldexp(float64(places), 5-2*mostBits)
		}
	}
	for c := int64(0); len(d.hi) == 0 || c <= 1<<reach && !small(c-1<<(d.low+d.drop)); c += 1 << (d.low + d.drop) {
		d.hi = append(d.hi, min(1, above(decay(c))))
	}
	for c := range int64(1) << d.low {
		d.lo = append(d.lo, min(1, above(decay(c<<d.drop))*(1+0x1p-50)))
	}
	d.lo[0] = 1
	d.last = int64(len(d.hi)-1) << d.low
	if d.at(mostNear-1) < nearest {
		for e, c := 1.0, int64(0); e > nearest; c++ {
			e = d.at(c)
			d.near = append(d.near, e)
		}
	}
	return d
}

// above returns a float that is neither below u nor below 2^-1000.
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

// at returns e(c). It has no branch, which would take longer where it depends on records.
func (d *decays) at(c int64) float64 {
	c = min(c>>(d.drop&63), d.last)
	return d.hi[c>>(d.low&63)] * d.lo[c&(1<<(d.low&63)-1)]
}

// slack is by how much a mass for depth d ≥ 1 is raised, relative to what was
// computed: more than all rounding below it (docs/explanation/proofs/dectree.md).
func (d *decays) slack(depth int) float64 { return 1 + math.Ldexp(d.unit, 3*depth) }
