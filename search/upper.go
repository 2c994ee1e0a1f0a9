package search

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// An upper is m·2^e, 2^63 ≤ m < 2^64, standing for a positive number that it
// is at least as large as. All its arithmetic rounds up, by less than 2^-62 of
// the value.
type upper struct {
	m uint64
	e int64
}

// upperOf returns hi·2^e, hi positive, rounded up.
func upperOf(hi *big.Int, e int64) upper {
	shift := hi.BitLen() - 64
	if shift <= 0 {
		return upper{hi.Uint64() << -shift, e + int64(shift)}
	}
	top := new(big.Int).Rsh(hi, uint(shift))
	u := upper{top.Uint64(), e + int64(shift)}
	if top.Lsh(top, uint(shift)).Cmp(hi) != 0 {
		u = u.up()
	}
	return u
}

// up returns u and one unit in its last place more.
func (u upper) up() upper {
	u.m++
	if u.m == 0 {
		return upper{1 << 63, u.e + 1}
	}
	return u
}

// times returns the product.
func (u upper) times(v upper) upper {
	hi, lo := bits.Mul64(u.m, v.m)
	p := upper{hi, u.e + v.e + 64}
	if hi>>63 == 0 {
		p.m = hi<<1 | lo>>63
		lo <<= 1
		p.e--
	}
	if lo != 0 {
		return p.up()
	}
	return p
}

// share returns the product with a share in units of 2^-class.ShareUnit.
func (u upper) share(s uint64) upper {
	shift := bits.LeadingZeros64(s)
	return u.times(upper{s << shift, -int64(shift) - class.ShareUnit})
}

// units returns how many times 2^unit the number is, rounded up; ok is false
// where that leaves 63 bits.
func (u upper) units(unit int64) (n uint64, ok bool) {
	shift := unit - u.e
	switch {
	case shift < 1:
		return 0, false
	case shift > 63:
		return 1, true
	}
	n = u.m >> shift
	if n<<shift != u.m {
		n++
	}
	return n, true
}

// log returns a number within 2^13 of 2^16·log₂ u: the logarithm to base 2
// with 16 binary places, for rules of thumb.
func (u upper) log() int64 {
	return (u.e+63)<<16 + int64(u.m<<1>>48)
}

// A decay holds e^{-λk} for integers k, rounded up, put together from the
// digits of |k| to base 16.
type decay struct {
	lambda *big.Rat
	perLog int64            // λ·2^32/ln 2, about: the growth of 2^32·log₂ by a unit of cost
	digits [2][16][16]upper // of k ≥ 0 and of k < 0, by place; a place is filled when first used
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
func (d *decay) at(k int64) upper {
	digits, sign := &d.digits[0], int64(1)
	if k < 0 {
		digits, sign, k = &d.digits[1], -1, -k
	}
	product := upper{1 << 63, -63}
	for place := 0; k > 0; place++ {
		if v := k & 15; v > 0 {
			row := &digits[place]
			if row[1].m == 0 {
				d.fill(row, sign<<(4*place))
			}
			product = product.times(row[v])
		}
		k >>= 4
	}
	return product
}

var mostExponent = big.NewRat(1<<50, 1)

// fill computes e^{-λk·v}, rounded up, for v = 1, …, 15.
func (d *decay) fill(row *[16]upper, k int64) {
	x := new(big.Rat).SetInt64(k)
	if x.Mul(x, d.lambda).Cmp(mostExponent) > 0 {
		x = mostExponent
	}
	_, hi, e := noise.ExpIntervalRelative(x, 96)
	row[1] = upperOf(hi, int64(e))
	for v := 2; v < len(row); v++ {
		row[v] = row[v-1].times(row[1])
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
