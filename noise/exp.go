package noise

import (
	"math/big"
	"math/bits"
)

// ExpInterval returns bounds on e^{-x} in fixed point, for a rational x of either sign:
//
//	lo/2^prec ≤ e^{-x} ≤ hi/2^prec, 0 ≤ lo ≤ hi ≤ lo + 2.
//
// The bounds are equal only for x = 0. They have about prec - 1.44·x bits, so they are long if x is very negative.
// ExpInterval panics if x < -2^30. Cost: about √prec multiplications of prec bits.
func ExpInterval(x *big.Rat, prec uint) (lo, hi *big.Int) {
	var floor big.Int
	floor.Div(x.Num(), x.Denom())
	if floor.Cmp(new(big.Int).SetUint64(uint64(prec))) > 0 {
		return new(big.Int), big.NewInt(1) // e^{-x} < 2^{-prec}
	}
	rel := prec + 1
	if x.Sign() < 0 {
		if floor.Neg(&floor).BitLen() > 30 {
			panic("noise: exponent out of range")
		}
		rel += uint(floor.Uint64())*3/2 + 1 // e^{-x} < 2^{1.5⌈-x⌉}
	}
	lo, hi, e := ExpIntervalRelative(x, rel)
	return widen(lo, hi, uint(-e)-prec)
}

// widen divides an interval by 2^n and rounds it outward: it divides the bounds lo and hi in place, and rounds lo
// down and hi up.
func widen(lo, hi *big.Int, n uint) (*big.Int, *big.Int) {
	lo.Rsh(lo, n)
	hi.Neg(hi).Rsh(hi, n).Neg(hi)
	return lo, hi
}

// tooLarge reports whether |x| is too large for ExpIntervalRelative. It returns true only if |x| > 2^59, and false
// only if |x| < 2^60.
func tooLarge(x *big.Rat) bool { return x.Num().BitLen()-x.Denom().BitLen() >= 60 }

// ExpIntervalRelative returns bounds on e^{-x} with a relative precision of about prec bits,
// for a rational x of either sign:
//
//	lo·2^e ≤ e^{-x} ≤ hi·2^e, lo ≤ hi ≤ lo + 2,
//
// with lo ≥ 2^(prec-2) if prec ≥ 2, and hi ≤ 2^prec + 2. It accepts all |x| ≤ 2^59, and
// panics if |x| ≥ 2^60. Cost: about √prec multiplications of prec bits, or of
// prec + log₂|x| bits for large x; 2 µs for prec = 96.
//
// Method: let x = k·ln 2 + r with 0 ≤ r < ln 2. The Taylor series gives e^{-r/2^s}, which is
// squared s times. All integers are rounded down. The total rounding error is at most
// 2^(s+3) units of 2^-w (docs/explanation/proofs/samplers.md).
func ExpIntervalRelative(x *big.Rat, prec uint) (lo, hi *big.Int, e int64) {
	if tooLarge(x) {
		panic("noise: exponent out of range")
	}
	if x.Sign() == 0 {
		lo = new(big.Int).Lsh(one, prec)
		return lo, new(big.Int).Set(lo), -int64(prec)
	}
	p := max(prec, 64)
	s := uint(1) << (bits.Len(p) / 2)
	w := p + s + 6

	var y, k, z big.Int
	z.Quo(x.Num(), x.Denom())
	guard := uint(z.BitLen()) + 3
	y.Lsh(x.Num(), w+guard)
	y.Div(&y, x.Denom())
	k.DivMod(&y, ln2(w+guard), &y)
	y.Rsh(&y, guard+s) // (x - k·ln 2)/2^s

	unit := z.Lsh(one, w)
	sum, prod, i := new(big.Int).Set(unit), new(big.Int), new(big.Int)
	for n := terms(w, s); n > 0; n-- {
		prod.Mul(sum, &y)
		prod.Rsh(prod, w)
		prod.Quo(prod, i.SetUint64(n))
		sum.Sub(unit, prod)
	}
	for range s {
		prod.Mul(sum, sum)
		sum.Rsh(prod, w)
	}

	err := unit.Lsh(one, s+3)
	lo = prod.Sub(sum, err)
	hi = sum.Add(sum, err)
	lo, hi = widen(lo, hi, w-prec)
	return lo, hi, -k.Int64() - int64(prec)
}

// terms returns a number n of terms of the Taylor series of e^{-y} that is enough for 0 ≤ y ≤ 2^-s: the remainder of
// the series after n terms is then at most 2^-w, because (n+1)·s + log₂ (n+1)! ≥ w.
func terms(w, s uint) uint64 {
	n := uint64(1)
	for have := 2*s + 1; have < w; n++ {
		have += s + uint(bits.Len64(n+2)) - 1
	}
	return n
}

// ln2Digits is the number of precomputed binary digits of ln 2. It suffices for the first
// two rounds of BernoulliScaledExp.
const ln2Digits = 512

var ln2Head = ln2Series(ln2Digits)

// ln2 returns the first w binary digits of ln 2 after the point, as an integer L with L ≤ 2^w·ln 2 < L + 2.
func ln2(w uint) *big.Int {
	if w <= ln2Digits {
		return new(big.Int).Rsh(ln2Head, ln2Digits-w)
	}
	return ln2Series(w)
}

// ln2Series computes ln2(w) by the series ln 2 = Σ 2/((2i+1)·3^(2i+1)). It has 32 guard bits, adds fewer than 2^31
// terms, and rounds each of them down once.
func ln2Series(w uint) *big.Int {
	sum, term, q := new(big.Int), new(big.Int).Lsh(one, w+33), new(big.Int)
	nine := big.NewInt(9)
	term.Quo(term, big.NewInt(3))
	for i := int64(1); term.Sign() > 0; i += 2 {
		sum.Add(sum, q.Quo(term, q.SetInt64(i)))
		term.Quo(term, nine)
	}
	return sum.Rsh(sum, 32)
}
