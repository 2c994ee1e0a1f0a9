package class

import (
	"math"
	"math/big"
	"math/bits"
)

// An Upper is an upper bound, the number Head·2^Exponent. Head is at least 2^63, except in the zero
// value, which is 0. Operations round up, with a relative error below 2^-60.
type Upper struct {
	Head     uint64
	Exponent int64
}

// One is the number 1 as an Upper.
var One = Upper{1 << 63, -63}

// UpperOf returns an upper bound on n ≥ 0. It is exact if n has at most 64 bits.
func UpperOf(n *big.Int) Upper {
	if n.Sign() == 0 {
		return Upper{}
	}
	shift := n.BitLen() - 64
	if shift <= 0 {
		return Upper{n.Uint64() << -shift, int64(shift)}
	}
	words := n.Bits()
	top := new(big.Int).Rsh(n, uint(shift)).Uint64()
	u := Upper{top, int64(shift)}
	for low, i := shift, 0; low > 0; low, i = low-bits.UintSize, i+1 {
		word := uint(words[i])
		if low < bits.UintSize {
			word &= 1<<low - 1
		}
		if word != 0 {
			return u.up()
		}
	}
	return u
}

// Scaled returns the number u·2^e.
func (u Upper) Scaled(e int64) Upper {
	if u.Head != 0 {
		u.Exponent += e
	}
	return u
}

// UpperOfFloat converts x to an Upper without rounding. x must be finite and at least 0.
func UpperOfFloat(x float64) Upper {
	if x == 0 {
		return Upper{}
	}
	fraction, exponent := math.Frexp(x)
	return Upper{uint64(math.Ldexp(fraction, 64)), int64(exponent) - 64}
}

// Rat converts u to a rational number without rounding.
func (u Upper) Rat() *big.Rat {
	head, power := new(big.Int).SetUint64(u.Head), big.NewInt(1)
	if u.Exponent < 0 {
		return new(big.Rat).SetFrac(head, power.Lsh(power, uint(-u.Exponent)))
	}
	return new(big.Rat).SetInt(head.Lsh(head, uint(u.Exponent)))
}

// Ratio returns an upper bound on part/whole, for integers part ≥ 0 and whole > 0. If both have at
// most 64 bits, it is the smallest Upper that is at least the ratio.
func Ratio(part, whole *big.Int) Upper {
	if part.IsUint64() && whole.IsUint64() {
		return Quotient(part.Uint64(), whole.Uint64())
	}
	return UpperOf(part).Over(UpperOf(whole))
}

// Over returns an upper bound on n/d, for integers n ≥ 0 and d > 0. It is computed from the upper
// bounds u = UpperOf(n) and v = UpperOf(d).
func (u Upper) Over(v Upper) Upper {
	if u.Head == 0 {
		return u
	}
	// Let h = v.Head. d is greater than (h-1)·2^v.Exponent, and 1/(h-1) < (1+2^-62)/h.
	q := u.over(v.Head, v.Exponent)
	return q.Times(Upper{1<<63 + 2, -63})
}

// Quotient returns the same number as Ratio, for 64-bit integers.
func Quotient(part, whole uint64) Upper {
	if part == 0 {
		return Upper{}
	}
	shift := bits.LeadingZeros64(part)
	return Upper{part << shift, int64(-shift)}.over(whole, 0)
}

// over returns an upper bound on u/(whole·2^e), for whole > 0.
func (u Upper) over(whole uint64, e int64) Upper {
	shift := bits.LeadingZeros64(whole)
	whole <<= shift
	e -= int64(shift)
	q := Upper{Exponent: u.Exponent - e - 64}
	var rest uint64
	if u.Head < whole {
		q.Head, rest = bits.Div64(u.Head, 0, whole)
	} else {
		q.Head, rest = bits.Div64(u.Head>>1, u.Head<<63, whole)
		q.Exponent++
	}
	if rest > 0 {
		return q.up()
	}
	return q
}

// up returns u plus one unit in the last place of Head.
func (u Upper) up() Upper {
	u.Head++
	if u.Head == 0 {
		return Upper{1 << 63, u.Exponent + 1}
	}
	return u
}

// Times returns the product u·v, rounded up.
func (u Upper) Times(v Upper) Upper {
	hi, lo := bits.Mul64(u.Head, v.Head)
	if hi == 0 {
		return Upper{}
	}
	p := Upper{hi, u.Exponent + v.Exponent + 64}
	if hi>>63 == 0 {
		p.Head = hi<<1 | lo>>63
		lo <<= 1
		p.Exponent--
	}
	if lo != 0 {
		return p.up()
	}
	return p
}

// Plus returns the sum u + v, rounded up.
func (u Upper) Plus(v Upper) Upper {
	switch {
	case u.Head == 0:
		return v
	case v.Head == 0:
		return u
	case u.Exponent < v.Exponent:
		u, v = v, u
	}
	shift := uint64(u.Exponent - v.Exponent)
	if shift > 63 {
		return u.up()
	}
	sum, carry := bits.Add64(u.Head, v.Head>>shift, 0)
	lost := v.Head<<(64-shift) != 0 && shift > 0
	s := Upper{sum, u.Exponent}
	if carry == 1 {
		lost = lost || sum&1 == 1
		s = Upper{sum>>1 | 1<<63, u.Exponent + 1}
	}
	if lost {
		return s.up()
	}
	return s
}
