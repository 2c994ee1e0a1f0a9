package scorecard

import (
	"math/big"
	"sync"

	"github.com/sibyl-dp/sibyl/class"
)

// A rate computes upper bounds on e^{-λk} for integers k ≥ 0, as fixed-point numbers. It computes
// e^{-λk} as a power of 2, whose exponent is rounded up to a multiple of 2^-16.
type rate struct {
	lambda *big.Rat // the λ of the fields below
	perLog int64    // 2^28·λ/ln 2, rounded down
	valid  bool     // whether λ is within range
}

// The constants limit the numbers that a rate multiplies: ratePlaces is the number of binary places
// of rate.perLog, mostRate is the maximum of rate.perLog, and mostWeighed is the maximum of k in
// e^{-λk}. The product of the two maxima is at most 2^62, so it does not overflow.
const (
	ratePlaces  = 28
	mostRate    = 1 << 34
	mostWeighed = 1 << 28
)

// overLn2 is 2^62/ln 2, rounded down.
const overLn2 = 6653256548922161245

// set prepares r to compute upper bounds on e^{-λk} for the rate λ = lambda, and reports whether λ
// is small enough for this.
func (r *rate) set(lambda *big.Rat) bool {
	if r.lambda != lambda {
		n := new(big.Int).Mul(lambda.Num(), big.NewInt(overLn2))
		n.Quo(n.Rsh(n, 62-ratePlaces), lambda.Denom())
		*r = rate{lambda: lambda, valid: n.IsInt64() && n.Int64() < mostRate}
		if r.valid {
			r.perLog = n.Int64()
		}
	}
	return r.valid
}

// places is the number of binary places of the fixed-point numbers of this package, and unit
// represents the number 1.
const (
	places = 28
	unit   = 1 << places
)

// decay returns an upper bound on e^{-λk} for k ≥ 0, as a fixed-point number greater than 0. λ is
// the rate that set stored in r. The parameter t must be the result of powersOfHalf.
func (r *rate) decay(k int64, t *halfPowers) uint64 {
	log := uint64(min(k, mostWeighed)*r.perLog) >> (ratePlaces - 16)
	return t.high[log>>8&255]*t.low[log&255]>>(62-places+min(log>>16, 62)) + 1
}

// halfPowers holds powers of 2 between ½ and 1, from which decay computes all others: high[i] is
// 2^(-i/2^8) and low[i] is 2^(-i/2^16). They are fixed-point numbers, rounded up.
type halfPowers struct{ high, low [256]uint64 }

var powersOfHalf = sync.OnceValue(func() *halfPowers {
	t := new(halfPowers)
	for half, first := range []class.Upper{{Head: 0xff4ecb59511ec8a6, Exponent: -64}, {Head: 0xffff4e8e25879bfb, Exponent: -64}} {
		u := class.One
		words := []*[256]uint64{&t.high, &t.low}[half]
		for i := range words {
			words[i] = (u.Head-1)>>(-u.Exponent-31) + 1
			u = u.Times(first)
		}
	}
	return t
})
