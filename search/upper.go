package search

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// units returns how many times 2^unit the number is, rounded up; ok is false
// where that leaves 63 bits.
func units(u class.Upper, unit int64) (n uint64, ok bool) {
	shift := unit - u.Exponent
	switch {
	case shift < 1:
		return 0, false
	case shift > 63:
		return 1, true
	}
	n = u.Head >> shift
	if n<<shift != u.Head {
		n++
	}
	return n, true
}

// log returns a number within 2^13 of 2^16·log₂ u: the logarithm to base 2
// with 16 binary places, for rules of thumb.
func log(u class.Upper) int64 {
	return (u.Exponent+63)<<16 + int64(u.Head<<1>>48)
}

// A decay holds e^{-λk} for integers k, rounded up, put together from the
// digits of |k| to base 16.
type decay struct {
	lambda *big.Rat
	perLog int64                  // λ·2^32/ln 2, about: the growth of 2^32·log₂ by a unit of cost
	digits [2][16][16]class.Upper // of k ≥ 0 and of k < 0, by place; a place is filled when first used
}

func newDecay(lambda *big.Rat) *decay {
	d := &decay{lambda: lambda, perLog: math.MaxInt64}
	per := new(big.Rat).Mul(lambda, big.NewRat(6196328019, 1)) // 2^32/ln 2
	if whole := new(big.Int).Quo(per.Num(), per.Denom()); whole.IsInt64() {
		d.perLog = max(1, whole.Int64())
	}
	return d
}

// at returns an upper bound on e^{-λk}. For negative k, λ|k| is at most
// mostExponent.
func (d *decay) at(k int64) class.Upper {
	digits, sign := &d.digits[0], int64(1)
	if k < 0 {
		digits, sign, k = &d.digits[1], -1, -k
	}
	product := class.One
	for place := 0; k > 0; place++ {
		if v := k & 15; v > 0 {
			row := &digits[place]
			if row[1].Head == 0 {
				d.fill(row, sign<<(4*place))
			}
			product = product.Times(row[v])
		}
		k >>= 4
	}
	return product
}

var mostExponent = big.NewRat(1<<50, 1)

// fill computes e^{-λk·v}, rounded up, for v = 1, …, 15.
func (d *decay) fill(row *[16]class.Upper, k int64) {
	x := new(big.Rat).SetInt64(k)
	if x.Mul(x, d.lambda).Cmp(mostExponent) > 0 {
		x = mostExponent
	}
	_, hi, e := noise.ExpIntervalRelative(x, 96)
	row[1] = class.UpperOf(hi).Scaled(int64(e))
	for v := 2; v < len(row); v++ {
		row[v] = row[v-1].Times(row[1])
	}
}

// reach returns, about, the greatest difference of costs whose weight is at
// least 2^(-log/2^16).
func (d *decay) reach(log int64) int64 {
	size := log
	if log < 0 {
		size = -log
	}
	difference := int64(math.MaxInt64)
	if hi, lo := bits.Mul64(uint64(size), 1<<16); hi < uint64(d.perLog) {
		q, _ := bits.Div64(hi, lo, uint64(d.perLog))
		difference = int64(min(q, math.MaxInt64))
	}
	if log < 0 {
		return -difference - 1
	}
	return difference
}

// log returns, about, 2^16·log₂ of e^{λk} for k ≥ 0, at most mostLog.
func (d *decay) log(k int64) int64 {
	hi, lo := bits.Mul64(uint64(k), uint64(d.perLog))
	if hi>>15 > 0 {
		return mostLog
	}
	return min(int64(hi<<48|lo>>16), mostLog)
}

// mostLog is the logarithm of 2^(2^24), with 16 binary places. Weights beyond
// it are not told apart.
const mostLog = 1 << 40
