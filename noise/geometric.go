package noise

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Geometric is the distribution P(k) = (1 - e^{-X})·e^{-Xk} on k = 0, 1, 2, …, for a rational rate X > 0. Its mean is
// 1/(e^X - 1).
//
// Method: the part of Algorithm 2 of Canonne, Kamath and Steinke (2020) that samples the absolute value. Let X = s/t.
// A geometric sample with rate 1/t is u + v·t, where the remainder u and the quotient v are sampled independently.
// Then ⌊(u + v·t)/s⌋ is geometric with rate X. Cost: O(1) random choices on average, for any X.
type Geometric struct {
	X *big.Rat // not modified
}

// Sample returns a sample of the distribution, with the random source c.
func (g Geometric) Sample(c Coins) *big.Int {
	if g.X.Sign() <= 0 {
		panic("noise: Geometric needs a positive rate")
	}
	k, large := geometric(c, g.X.Num(), g.X.Denom())
	return integer(false, k, large)
}

func (g Geometric) String() string { return fmt.Sprintf("Geometric(%s)", g.X.RatString()) }

// TruncatedGeometric is the distribution of min(K, Cap), where K has the distribution
// Geometric{X}: P(k) = (1 - e^{-X})·e^{-Xk} for k < Cap and P(Cap) = e^{-X·Cap}. Its support
// is {0, …, Cap}. Sampling costs as much as for Geometric. SampleUint64 does not allocate if
// the numerator and the denominator of X fit into 64 bits.
type TruncatedGeometric struct {
	X   *big.Rat // not modified
	Cap uint64
}

// Sample returns a sample of the distribution, with the random source c.
func (g TruncatedGeometric) Sample(c Coins) *big.Int {
	return word(g.SampleUint64(c))
}

// SampleUint64 makes the same random choices as Sample and returns the sample as a uint64.
func (g TruncatedGeometric) SampleUint64(c Coins) uint64 {
	if g.X.Sign() <= 0 {
		panic("noise: TruncatedGeometric needs a positive rate")
	}
	k, large := drawGeometric(c, g.X.Num(), g.X.Denom())
	if large != nil {
		return g.Cap
	}
	return min(k, g.Cap)
}

func (g TruncatedGeometric) String() string {
	return fmt.Sprintf("TruncatedGeometric(%s, %d)", g.X.RatString(), g.Cap)
}

// drawGeometric returns a sample of Geometric{s/t}, as c.Draw does: as k if the sample fits into 64 bits, and
// otherwise as large, which is then not nil. It does not allocate if c is a stream and all numbers fit into 64 bits.
func drawGeometric(c Coins, s, t *big.Int) (k uint64, large *big.Int) {
	if _, ok := c.(*stream); ok {
		return geometric(c, s, t)
	}
	return narrow(c.Draw(Geometric{new(big.Rat).SetFrac(s, t)}))
}

// drawGeometric64 is drawGeometric for numbers s and t of 64 bits.
func drawGeometric64(c Coins, s, t uint64) (k uint64, large *big.Int) {
	if _, ok := c.(*stream); ok {
		return geometric64(c, s, t)
	}
	return narrow(c.Draw(Geometric{newRat(s, t)}))
}

func narrow(k *big.Int) (uint64, *big.Int) {
	if k.IsUint64() {
		return k.Uint64(), nil
	}
	return 0, k
}

// geometric samples Geometric{s/t}, for s/t > 0. It returns the sample as drawGeometric does.
func geometric(c Coins, s, t *big.Int) (k uint64, large *big.Int) {
	if s, t, ok := pair64(s, t); ok {
		return geometric64(c, s, t)
	}
	start := Mark(c)
	u := c.Below(t)
	for !tossExpBig(c, u, t) {
		Forget(c, start, "geometric")
		u = c.Below(t)
	}
	v := word(heads(c))
	large = v.Mul(v, t).Add(v, u)
	return narrow(large.Quo(large, s))
}

func geometric64(c Coins, s, t uint64) (k uint64, large *big.Int) {
	start := Mark(c)
	u := c.Uint64n(t)
	for !tossExp(c, u, t) {
		Forget(c, start, "geometric")
		u = c.Uint64n(t)
	}
	hi, lo := bits.Mul64(heads(c), t)
	lo, carry := bits.Add64(lo, u, 0)
	hi += carry
	if hi < s {
		k, _ = bits.Div64(hi, lo, s)
		return k, nil
	}
	large = word(hi)
	large.Lsh(large, 64).Or(large, word(lo))
	return 0, large.Quo(large, word(s))
}

// heads makes Bernoulli(e^{-1}) trials and returns the number of successes before the first
// failure. The number could overflow only after 2^64 trials.
func heads(c Coins) (v uint64) {
	for tossExp(c, 1, 1) {
		v++
	}
	return v
}

// integer converts a sample that drawGeometric returned (k, or large if this is not nil) to a big.Int, with a
// negative sign if negative is true. The result may share memory with large.
func integer(negative bool, k uint64, large *big.Int) *big.Int {
	if large == nil {
		large = word(k)
	}
	if negative {
		large.Neg(large)
	}
	return large
}
