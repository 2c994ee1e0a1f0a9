package search

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// units returns u divided by 2^unit, rounded up to an integer n. The result ok is false if n does
// not fit into 63 bits.
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

// log returns an approximation of 2^16·log₂ u with an error of at most 2^13. Only the running time may depend on the
// result.
func log(u class.Upper) int64 {
	return (u.Exponent+63)<<16 + int64(u.Head<<1>>48)
}

// A decay computes upper bounds on e^{-λk}, the sampling weight of a hypothesis whose cost is k
// above a reference cost. It multiplies one precomputed factor for each hexadecimal digit of |k|.
type decay struct {
	lambda *big.Rat
	perLog uint64                  // approximately 2^places·log₂(e^λ)
	places uint                    // from 16 to mostPlaces
	digits [2][16]*[16]class.Upper // for k ≥ 0 and k < 0, by digit; nil until first used
}

// mostPlaces is the maximum number of fractional bits in the computation of λ. It suffices even for
// rates so small that no difference between costs matters.
const mostPlaces = 102

func newDecay(lambda *big.Rat) *decay {
	per := new(big.Rat).Mul(lambda, big.NewRat(6196328019, 1<<32)) // 1/ln 2
	n := new(big.Int).Lsh(per.Num(), mostPlaces)
	n.Quo(n, per.Denom())
	over := uint(min(max(0, n.BitLen()-63), mostPlaces-16))
	n.Rsh(n, over)
	d := &decay{lambda: lambda, perLog: math.MaxInt64, places: mostPlaces - over}
	if n.IsInt64() {
		d.perLog = max(1, n.Uint64())
	}
	return d
}

// at returns an upper bound on e^{-λk}. For negative k, λ|k| may be at most mostExponent.
func (d *decay) at(k int64) class.Upper {
	digits, sign := &d.digits[0], int64(1)
	if k < 0 {
		digits, sign, k = &d.digits[1], -1, -k
	}
	product := class.One
	for place := 0; k > 0; place++ {
		if v := k & 15; v > 0 {
			row := digits[place]
			if row == nil {
				row = d.powers(sign << (4 * place))
				digits[place] = row
			}
			product = product.Times(row[v])
		}
		k >>= 4
	}
	return product
}

// mostExponent is the maximum of λ|k| for negative cost differences k. It keeps exponents within 32
// bits. Weights below e^{-mostExponent} are negligible.
var mostExponent = big.NewRat(1<<28, 1)

// powers returns upper bounds on e^{-λk·v} for v = 1, …, 15, at index v.
func (d *decay) powers(k int64) *[16]class.Upper {
	x := new(big.Rat).SetInt64(k)
	if x.Mul(x, d.lambda).Cmp(mostExponent) > 0 {
		x = mostExponent
	}
	_, hi, e := noise.ExpIntervalRelative(x, 96)
	row := new([16]class.Upper)
	row[1] = class.UpperOf(hi).Scaled(int64(e))
	for v := 2; v < len(row); v++ {
		row[v] = row[v-1].Times(row[1])
	}
	return row
}

// reach returns approximately the greatest difference k between two costs for which e^{-λk} is at
// least 2^-s, rounded down. The parameter log is 2^16·s.
func (d *decay) reach(log int64) int64 {
	size := uint64(min(max(log, -log), 2*mostLog))
	var hi, lo uint64 // size·2^(places-16)
	if shift := d.places - 16; shift < 64 {
		hi, lo = size>>(64-shift), size<<shift
	} else {
		hi = size << (shift - 64)
	}
	difference := int64(math.MaxInt64)
	if hi < d.perLog {
		q, _ := bits.Div64(hi, lo, d.perLog)
		difference = int64(min(q, math.MaxInt64))
	}
	if log < 0 {
		return -difference - 1
	}
	return difference
}

// log returns approximately 2^16·log₂(e^{λk}) for k ≥ 0. The result is at most mostLog.
func (d *decay) log(k int64) int64 {
	n := new(big.Int).SetUint64(d.perLog)
	n.Rsh(n.Mul(n, big.NewInt(k)), d.places-16)
	if n.BitLen() > 40 {
		return mostLog
	}
	return n.Int64()
}

// mostLog is the maximum result of decay.log, 2^16 times the binary logarithm of the weight
// 2^(2^24). All greater weights are treated as equal.
const mostLog = 1 << 40
