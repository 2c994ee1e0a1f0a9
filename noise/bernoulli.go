package noise

import "math/big"

var one = big.NewInt(1)

func (s *stream) Bernoulli(p *big.Rat) bool {
	if p.Sign() < 0 || p.Num().Cmp(p.Denom()) > 0 {
		panic("noise: Bernoulli needs a probability from 0 to 1")
	}
	if n, d, ok := rat64(p); ok {
		return s.ratio(n, d)
	}
	return s.ratioBig(p.Num(), p.Denom())
}

// ratio returns true with probability n/d, for 0 ≤ n ≤ d and d > 0. It compares n/d with a uniform real number in [0,
// 1), whose binary digits it samples one byte at a time. It needs 1.004 bytes on average if d < 2^56.
func (s *stream) ratio(n, d uint64) bool {
	if n == d {
		return true
	}
	if d>>56 != 0 {
		return s.Uint64n(d) < n
	}
	for {
		// Let b be the next byte. The real is less than n/d if and only if the number formed
		// by its digits after b is less than (256n - b·d)/d.
		m, bd := n<<8, s.byte()*d
		if bd >= m {
			return false
		}
		if bd+d <= m {
			return true
		}
		n = m - bd
	}
}

// ratioBig returns true with probability n/d, like ratio, for integers of any size with 0 ≤ n < d. It samples 64 bits
// at a time. Its callers never have n = d, because this fraction is 1/1 in lowest terms, which ratio handles.
func (s *stream) ratioBig(n, d *big.Int) bool {
	f := split(n, d)
	return s.below(&f)
}

// A fraction represents a rational number in [0, 1) as (head + rest/den)/2^64, where head holds the first 64 binary
// digits.
type fraction struct {
	head      uint64
	rest, den *big.Int
}

// split represents the rational number n/d, for 0 ≤ n < d, as a fraction.
func split(n, d *big.Int) fraction {
	q, r := new(big.Int), new(big.Int)
	q.QuoRem(r.Lsh(n, 64), d, r)
	return fraction{q.Uint64(), r, d}
}

// below returns true with probability f: it samples a uniform real number in [0, 1), and reports whether this number
// is less than f.
func (s *stream) below(f *fraction) bool {
	w := s.bits(64)
	if w != f.head {
		return w < f.head
	}
	return f.rest.Sign() != 0 && s.ratioBig(f.rest, f.den)
}

func (s *stream) BernoulliExp(x *big.Rat) bool {
	if x.Sign() < 0 {
		panic("noise: BernoulliExp needs an exponent of at least 0")
	}
	if n, d, ok := rat64(x); ok {
		return s.exp(n, d)
	}
	return s.expBig(x.Num(), x.Denom())
}

// exp returns true with probability e^{-n/d}. On average, it makes fewer than 5 Bernoulli trials with rational
// probabilities, whatever n/d is.
//
// Method: Algorithm 1 of Canonne, Kamath and Steinke (2020). It makes Bernoulli(e^{-1}) trials and subtracts 1 from
// n/d after each of them, until the remainder γ is at most 1. Then it makes a Bernoulli(e^{-γ}) trial. It returns
// false at the first failure.
func (s *stream) exp(n, d uint64) bool {
	if n == 0 {
		return true
	}
	for ; n > d; n -= d {
		if !s.expUnit(1, 1) {
			return false
		}
	}
	return s.expUnit(n, d)
}

// expUnit returns true with probability e^{-γ}, where γ = n/d ≤ 1. It makes the trials Bernoulli(γ/1), Bernoulli(γ/2),
// … until the first failure, and returns true if the number of successes is even.
func (s *stream) expUnit(n, d uint64) bool {
	for k := uint64(1); ; k++ {
		var head bool
		if (d|k<<40)>>48 == 0 {
			head = s.ratio(n, d*k)
		} else {
			head = s.ratio(n, d) && s.ratio(1, k)
		}
		if !head {
			return k&1 == 1
		}
	}
}

// expBig returns true with probability e^{-n/d}, like exp, for integers of any size.
func (s *stream) expBig(n, d *big.Int) bool {
	q, r := new(big.Int), new(big.Int)
	q.QuoRem(n, d, r)
	for ; q.Sign() > 0; q.Sub(q, one) {
		if !s.expUnit(1, 1) {
			return false
		}
	}
	for k, f := uint64(1), split(r, d); ; k++ {
		if !s.below(&f) || !s.ratio(1, k) {
			return k&1 == 1
		}
	}
}

// BernoulliScaledExp samples a uniform real number and reports whether it is less than p·e^{-x}. For this it samples
// 64 bits of the number and computes an interval that contains p·e^{-x}. If these do not decide the comparison, it
// adds bits to the number and narrows the interval. A second round is needed with probability about 2^-63. Cost: a
// few microseconds, more for very large p.
func (s *stream) BernoulliScaledExp(p, x *big.Rat) bool {
	n, d := p.Num(), p.Denom()
	switch {
	case n.Sign() < 0:
		panic("noise: BernoulliScaledExp needs a factor of at least 0")
	case n.Sign() == 0:
		return false
	case x.Sign() == 0:
		return s.Bernoulli(p)
	case x.Sign() > 0 && n.Cmp(d) <= 0:
		return s.BernoulliExp(x) && s.Bernoulli(p)
	case tooLarge(x) && x.Sign() < 0:
		panic("noise: BernoulliScaledExp needs a probability of at most 1") // unless p has 2^59 bits
	case tooLarge(x):
		far := big.NewRat(1<<59, 1) // p ≤ e^far holds unless p has 2^59 bits
		return s.BernoulliExp(new(big.Rat).Sub(x, far)) && s.BernoulliScaledExp(p, far)
	}
	var u, v, w big.Int // u/2^t is the sampled prefix of the real
	for t, prec := int64(64), uint(96); ; t, prec = t+64, 2*prec {
		lo, hi, e := ExpIntervalRelative(x, prec)
		lo.Mul(lo, n)
		hi.Mul(hi, n)
		if cmpShifted(lo, e, d) > 0 {
			panic("noise: BernoulliScaledExp needs a probability of at most 1")
		}
		u.Lsh(&u, 64).Or(&u, w.SetUint64(s.bits(64)))
		v.Mul(&u, d)
		if cmpShifted(hi, e+t, &v) <= 0 {
			return false
		}
		if cmpShifted(lo, e+t, v.Add(&v, d)) >= 0 {
			return true
		}
	}
}

// cmpShifted returns the sign of a·2^i - b, for a, b ≥ 0. Every number that it allocates is at most as long as the
// longer one of a and b.
func cmpShifted(a *big.Int, i int64, b *big.Int) int {
	if a.Sign() == 0 || b.Sign() == 0 {
		return a.Sign() - b.Sign()
	}
	if la, lb := int64(a.BitLen())+i, int64(b.BitLen()); la != lb {
		if la < lb {
			return -1
		}
		return 1
	}
	var shifted big.Int
	if i < 0 {
		return a.Cmp(shifted.Lsh(b, uint(-i)))
	}
	return shifted.Lsh(a, uint(i)).Cmp(b)
}

// rat64 returns the numerator and the denominator of x ≥ 0. The result ok is false if one of them does not fit into
// 64 bits.
func rat64(x *big.Rat) (n, d uint64, ok bool) { return pair64(x.Num(), x.Denom()) }

func pair64(n, d *big.Int) (uint64, uint64, bool) {
	if !n.IsUint64() || !d.IsUint64() {
		return 0, 0, false
	}
	return n.Uint64(), d.Uint64(), true
}

// tossRatio returns true with probability n/d, as c.Bernoulli does. It does not allocate if c is a stream.
func tossRatio(c Coins, n, d uint64) bool {
	if s, ok := c.(*stream); ok {
		return s.ratio(n, d)
	}
	return c.Bernoulli(newRat(n, d))
}

// tossExp returns true with probability e^{-n/d}, as c.BernoulliExp does. It does not allocate if c is a stream.
func tossExp(c Coins, n, d uint64) bool {
	if s, ok := c.(*stream); ok {
		return s.exp(n, d)
	}
	return c.BernoulliExp(newRat(n, d))
}

// tossExpBig returns true with probability e^{-n/d}, like tossExp, for integers of any size. It does not retain n and
// d.
func tossExpBig(c Coins, n, d *big.Int) bool {
	if s, ok := c.(*stream); ok {
		return s.expBig(n, d)
	}
	return c.BernoulliExp(new(big.Rat).SetFrac(n, d))
}

func newRat(n, d uint64) *big.Rat {
	return new(big.Rat).SetFrac(word(n), word(d))
}
