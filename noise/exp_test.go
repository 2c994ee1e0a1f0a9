package noise

import (
	"math/big"
	"testing"
)

// bigExp computes e^{-x} with far more than prec fractional bits by another method: it sums the
// series of e^{|x|} in floating point and takes the inverse if x is positive.
func bigExp(x *big.Rat, prec uint) *big.Float {
	abs := new(big.Rat).Abs(x)
	size, _ := abs.Float64()
	prec = 2*prec + 512 + 2*uint(size)
	y := new(big.Float).SetPrec(prec).SetRat(abs)
	sum, term := big.NewFloat(1).SetPrec(prec), big.NewFloat(1).SetPrec(prec)
	for i := int64(1); term.MantExp(nil) > sum.MantExp(nil)-int(prec) || i < 10; i++ {
		term.Mul(term, y)
		term.Quo(term, new(big.Float).SetPrec(prec).SetInt64(i))
		sum.Add(sum, term)
		if term.Sign() == 0 {
			break
		}
	}
	if x.Sign() > 0 {
		sum.Quo(big.NewFloat(1).SetPrec(prec), sum)
	}
	return sum
}

func checkIntervals(t *testing.T, x *big.Rat, prec uint) {
	t.Helper()
	want := bigExp(x, prec)
	inside := func(lo, hi *big.Int, e int64) {
		t.Helper()
		l := new(big.Float).SetMantExp(new(big.Float).SetInt(lo), int(e))
		h := new(big.Float).SetMantExp(new(big.Float).SetInt(hi), int(e))
		if l.Cmp(want) > 0 || h.Cmp(want) < 0 {
			t.Fatalf("x = %v, prec = %d: %v is outside [%v, %v]·2^%d", x, prec, want, lo, hi, e)
		}
		if w := new(big.Int).Sub(hi, lo); w.Cmp(big.NewInt(2)) > 0 || w.Sign() == 0 && x.Sign() != 0 {
			t.Fatalf("x = %v, prec = %d: width %v", x, prec, w)
		}
	}
	lo, hi := ExpInterval(x, prec)
	inside(lo, hi, -int64(prec))
	lo, hi, e := ExpIntervalRelative(x, prec)
	inside(lo, hi, e)
	if lo.BitLen() < int(prec)-1 || hi.Cmp(new(big.Int).Add(new(big.Int).Lsh(one, prec), big.NewInt(2))) > 0 {
		t.Fatalf("x = %v, prec = %d: mantissas %v, %v", x, prec, lo, hi)
	}
}

func TestExpIntervals(t *testing.T) {
	for _, x := range []string{"0", "1", "-1", "1/3", "-1/3", "69/100", "7/10", "-69/100", "100", "-100", "1999/2",
		"1/1000000000000000000000000000", "-1/1000000000000000000000000000", "355/113"} {
		for _, prec := range []uint{0, 1, 2, 10, 63, 64, 65, 96, 128, 129, 192, 384, 500, 1000} {
			checkIntervals(t, rat(x), prec)
		}
	}
	// Numbers next to multiples of ln 2, on both sides, for which the quotient may be wrong by one.
	for k := int64(-20); k <= 20; k++ {
		for off := int64(-1); off <= 2; off++ {
			n := new(big.Int).Mul(ln2Series(300), big.NewInt(k))
			n.Add(n, big.NewInt(off))
			checkIntervals(t, new(big.Rat).SetFrac(n, new(big.Int).Lsh(one, 300)), 128)
		}
	}
}

// Large exponents are tested by e^{-x} = (e^{-x/2})², and by a power of two.
func TestExpIntervalRelativeLarge(t *testing.T) {
	x, prec := rat("1000000007/13"), uint(200)
	lo, hi, e := ExpIntervalRelative(x, prec)
	l, h, f := ExpIntervalRelative(times(2, x), prec)
	if cmpShifted(lo.Mul(lo, lo), 2*e-f, h) > 0 || cmpShifted(hi.Mul(hi, hi), 2*e-f, l) < 0 {
		t.Error("the squares of the bounds miss the bounds of the square")
	}
	// x is a large multiple of an approximation of ln 2. The factor also multiplies the error of
	// the approximation, and e^{-x} is a power of two times at most 1 + 2^-200.
	const k = 1 << 40
	x.SetFrac(new(big.Int).Mul(ln2Series(300), big.NewInt(k)), new(big.Int).Lsh(one, 300))
	lo, hi, e = ExpIntervalRelative(x, 128)
	power := new(big.Int).Lsh(one, uint(-k-e))
	if lo.Cmp(power) > 0 || hi.Cmp(power) <= 0 {
		t.Errorf("[%v, %v] misses %v and the next number", lo, hi, power)
	}
	lo, hi, e = ExpIntervalRelative(big.NewRat(1<<59, 1), 64)
	if e > -1<<59 || lo.Cmp(hi) >= 0 {
		t.Errorf("[%v, %v]·2^%d", lo, hi, e)
	}
	if lo, hi := ExpInterval(new(big.Rat).SetInt(new(big.Int).Lsh(one, 1000)), 64); lo.Sign() != 0 || hi.Cmp(one) != 0 {
		t.Errorf("[%v, %v]", lo, hi)
	}
}

// The number n of terms of the series suffices for w bits: 2^((n+1)s)·(n+1)! ≥ 2^w.
func TestTermsAreEnough(t *testing.T) {
	for s := uint(1); s <= 64; s *= 2 {
		for w := uint(1); w <= 700; w++ {
			n := terms(w, s)
			all := new(big.Int).MulRange(1, int64(n+1))
			if uint(all.Lsh(all, uint(n+1)*s).BitLen()) <= w {
				t.Errorf("%d terms of 2^-%d for a precision of 2^-%d", n, s, w)
			}
		}
	}
}

// The enclosures of e^{-x} with two different precisions intersect, for x of every size.
func TestExpIntervalsMeet(t *testing.T) {
	coins := Insecure(3)
	for range 4000 {
		size := uint(coins.Uint64n(60))
		x := new(big.Rat).SetFrac(word(coins.Uint64n(1<<62)), power2(62-size, 0))
		if coins.Uint64n(2) == 1 {
			x.Neg(x)
		}
		prec := 64 + uint(coins.Uint64n(70))
		lo, hi, e := ExpIntervalRelative(x, prec)
		l, h, f := ExpIntervalRelative(x, prec+150)
		if cmpShifted(lo, e-f, h) > 0 || cmpShifted(hi, e-f, l) < 0 {
			t.Fatalf("x = %v, prec = %d: [%v, %v]·2^%d and [%v, %v]·2^%d", x, prec, lo, hi, e, l, h, f)
		}
		if size > 6 {
			continue
		}
		lo, hi = ExpInterval(x, prec)
		if cmpShifted(lo, -int64(prec)-f, h) > 0 || cmpShifted(hi, -int64(prec)-f, l) < 0 || new(big.Int).Sub(hi, lo).Cmp(big.NewInt(2)) > 0 {
			t.Fatalf("x = %v, prec = %d: [%v, %v], and not [%v, %v]·2^%d", x, prec, lo, hi, l, h, f)
		}
	}
}

func TestLn2(t *testing.T) {
	digits, _ := new(big.Int).SetString("693147180559945309417232121458176568075500134360255254120680009", 10)
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(63), nil)
	for _, w := range []uint{1, 30, 64, 180, 512, 513, 700} {
		l := ln2(w) // L ≤ 2^w·ln 2 < L+2; the test's lower bound on ln 2 is exact to 10^-63
		v := new(big.Int).Lsh(digits, w)
		v.Quo(v, scale)
		if slack := new(big.Int).Lsh(one, max(w, 200)-200); new(big.Int).Sub(l, v).CmpAbs(slack.Add(slack, big.NewInt(2))) > 0 {
			t.Errorf("w = %d: %v, want %v", w, l, v)
		}
	}
}

func FuzzExpInterval(f *testing.F) {
	f.Add(int64(1), uint64(3), uint16(64))
	f.Add(int64(-700), uint64(1), uint16(96))
	f.Add(int64(9e18), uint64(9e15), uint16(700))
	f.Add(int64(-9e18), uint64(1e16), uint16(0))
	f.Fuzz(func(t *testing.T, n int64, d uint64, prec uint16) {
		if d == 0 {
			return
		}
		x := new(big.Rat).SetFrac(big.NewInt(n), word(d))
		if new(big.Rat).Abs(x).Cmp(big.NewRat(1000, 1)) > 0 {
			return
		}
		checkIntervals(t, x, uint(prec)%1024)
	})
}
