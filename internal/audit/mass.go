package audit

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/sibyl-dp/sibyl/noise"
)

// A mass is a lower bound on a probability, stored in fixed point: it is the number (hi·2^64 + lo)/2^127, at most 1.
// All arithmetic on masses rounds down.
type mass struct{ hi, lo uint64 }

const places = 127

var certain = mass{hi: 1 << 63}

func (a mass) isZero() bool { return a == mass{} }

func (a mass) less(b mass) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// plus returns the sum a + b of two probabilities, which must be at most 1.
func (a mass) plus(b mass) mass {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return mass{hi, lo}
}

// minus returns the difference a - b of two probabilities, for b ≤ a.
func (a mass) minus(b mass) mass {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return mass{hi, lo}
}

// times returns the product a·b of two probabilities, rounded down by less than 2^-127.
func (a mass) times(b mass) mass {
	high, low := bits.Mul64(a.hi, b.hi)
	middle, _ := bits.Mul64(a.lo, b.lo)
	for _, f := range [2][2]uint64{{a.hi, b.lo}, {a.lo, b.hi}} {
		h, l := bits.Mul64(f[0], f[1])
		var carry uint64
		middle, carry = bits.Add64(middle, l, 0)
		low, carry = bits.Add64(low, h, carry)
		high += carry
	}
	return mass{high<<1 | low>>63, low<<1 | middle>>63}
}

// float returns the probability as a float64, with a relative error of at most 2^-51.
func (a mass) float() float64 {
	return math.Ldexp(float64(a.hi), -63) + math.Ldexp(float64(a.lo), -places)
}

// massOfFloat converts a probability f, from 0 to 1, to a mass, rounded down.
func massOfFloat(f float64) mass {
	n, _ := new(big.Float).SetMantExp(big.NewFloat(f), places).Int(nil)
	return massOfInt(n)
}

// massOfInt returns n/2^127 as a mass, clamped to [0, 1].
func massOfInt(n *big.Int) mass {
	switch {
	case n.Sign() <= 0:
		return mass{}
	case n.BitLen() > places:
		return certain
	}
	var rest big.Int
	return mass{rest.Rsh(n, 64).Uint64(), rest.And(n, maxWord).Uint64()}
}

var (
	maxWord = new(big.Int).SetUint64(math.MaxUint64)
	unit    = new(big.Int).Lsh(big.NewInt(1), places)
)

// int returns the probability in units of 2^-127.
func (a mass) int() *big.Int {
	n := new(big.Int).SetUint64(a.hi)
	n.Lsh(n, 64)
	return n.Or(n, new(big.Int).SetUint64(a.lo))
}

// massOfRatio returns n/d as a mass, rounded down, for 0 ≤ n ≤ d.
func massOfRatio(n, d *big.Int) mass {
	q := new(big.Int).Lsh(n, places)
	return massOfInt(q.Quo(q, d))
}

// massesOfExp returns lower bounds on e^{-x} and 1 - e^{-x}, for x ≥ 0.
func massesOfExp(x *big.Rat) (yes, no mass) {
	lo, hi := noise.ExpInterval(x, places)
	return massOfInt(lo), massOfInt(hi.Sub(unit, hi))
}

// massesOfScaledExp returns lower bounds on p·e^{-x} and 1 - p·e^{-x}. The result ok is false if p·e^{-x} provably
// exceeds 1.
func massesOfScaledExp(p, x *big.Rat) (yes, no mass, ok bool) {
	lo, hi, e := noise.ExpIntervalRelative(x, places+1)
	e += places
	lo.Mul(lo, p.Num())
	hi.Mul(hi, p.Num())
	d := new(big.Int).Set(p.Denom())
	if int64(hi.BitLen())+e < int64(d.BitLen()) {
		return mass{}, massOfInt(new(big.Int).Sub(unit, big.NewInt(1))), true
	}
	if e >= 0 {
		lo.Lsh(lo, uint(e))
		hi.Lsh(hi, uint(e))
	} else {
		d.Lsh(d, uint(-e))
	}
	lo.Quo(lo, d)
	hi.Quo(hi, d)
	hi.Add(hi, big.NewInt(1))
	return massOfInt(lo), massOfInt(hi.Sub(unit, hi)), lo.Cmp(unit) <= 0
}
