package scorecard

import (
	"math/big"
	"sync"

	"github.com/sibyl-dp/sibyl/class"
)

// A rate tells e^{-λk} for integers k ≥ 0 in fixed point, rounded up. Powers of 2 are
// counted in 2^-16.
type rate struct {
	lambda *big.Rat // of the numbers below
	perLog int64    // 2^28·λ/ln 2, rounded down
	known  bool     // it is in range
}

// mostRate and mostWeighed keep the product of a rate and a cost within 62 bits.
const (
	ratePlaces  = 28
	mostRate    = 1 << 34
	mostWeighed = 1 << 28
)

// overLn2 is 2^62/ln 2, rounded down.
const overLn2 = 6653256548922161245

// set sets the rate for λ, and tells whether it is in range.
func (r *rate) set(lambda *big.Rat) bool {
	if r.lambda != lambda {
		n := new(big.Int).Mul(lambda.Num(), big.NewInt(overLn2))
		n.Quo(n.Rsh(n, 62-ratePlaces), lambda.Denom())
		*r = rate{lambda: lambda, known: n.IsInt64() && n.Int64() < mostRate}
		if r.known {
			r.perLog = n.Int64()
		}
	}
	return r.known
}

// places is how many places numbers in fixed point have, and unit is 1.
const (
	places = 28
	unit   = 1 << places
)

// fixed returns e^{-λk} in fixed point, positive, for k ≥ 0.
func (r *rate) fixed(k int64, t *halves) uint64 {
	log := uint64(min(k, mostWeighed)*r.perLog) >> (ratePlaces - 16)
	return t.high[log>>8&255]*t.low[log&255]>>(62-places+min(log>>16, 62)) + 1
}

// halves are powers of 2 from 1 down to ½, with 31 places, rounded up: 2^(-i/2^8) and
// 2^(-i/2^16).
type halves struct{ high, low [256]uint64 }

var powersOfHalf = sync.OnceValue(func() *halves {
	t := new(halves)
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
