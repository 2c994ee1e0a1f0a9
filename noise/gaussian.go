package noise

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Gaussian is the discrete Gaussian distribution P(k) ∝ e^{-k²/(2σ²)} on the integers, for a positive rational Sigma2
// = σ². Its variance is at most σ².
//
// Method: Algorithm 3 of Canonne, Kamath and Steinke (2020). A discrete Laplace sample y of scale t = ⌊σ⌋ + 1 is
// accepted with probability exp(-(|y| - σ²/t)²/(2σ²)). Cost: O(1) random choices on average for any σ². For large σ²,
// the average number of proposals is about 1.5. Sampling is fastest if the numerator of σ² is below 2^28.
type Gaussian struct {
	Sigma2 *big.Rat // not modified
}

// Sample returns a sample of the distribution. It makes proposals with c.Uint64n for the sign and with c.Draw, from a
// Geometric distribution, for the absolute value. It accepts proposals with c.BernoulliExp.
func (g Gaussian) Sample(c Coins) *big.Int {
	if g.Sigma2.Sign() <= 0 {
		panic("noise: Gaussian needs a positive variance parameter")
	}
	if a, b, ok := rat64(g.Sigma2); ok {
		if k := gaussian64(c, a, b); k != nil {
			return k
		}
	}
	return gaussianBig(c, g.Sigma2.Num(), g.Sigma2.Denom())
}

func (g Gaussian) String() string { return fmt.Sprintf("Gaussian(%s)", g.Sigma2.RatString()) }

// gaussianBig samples Gaussian{a/b}, where a/b is in lowest terms. It accepts a proposal y
// with probability e^{-x}, where x = (|y|·bt - a)²/(2abt²) and t = ⌊√(a/b)⌋ + 1.
func gaussianBig(c Coins, a, b *big.Int) *big.Int {
	t := new(big.Int).Quo(a, b)
	t.Add(t.Sqrt(t), one)
	start := Mark(c)
	for {
		negative := c.Uint64n(2) == 1
		k, large := drawGeometric(c, one, t)
		y := integer(negative, k, large)
		if !(negative && y.Sign() == 0) && acceptGaussian(c, y, a, b, t) {
			return y
		}
		Forget(c, start, "gaussian")
	}
}

// acceptGaussian decides at random whether gaussianBig accepts the proposal y, with the probability that the comment
// of gaussianBig states.
func acceptGaussian(c Coins, y, a, b, t *big.Int) bool {
	var n, bt, d big.Int
	bt.Mul(b, t)
	n.Abs(y).Mul(&n, &bt).Sub(&n, a)
	d.Mul(a, &bt).Mul(&d, t).Lsh(&d, 1)
	return tossExpBig(c, bt.Mul(&n, &n), &d)
}

// gaussian64 samples Gaussian{a/b} like gaussianBig, but with 64-bit arithmetic. If 64 bits do not suffice for 2abt²,
// the denominator of the exponent in the acceptance probability, it makes no random choice and returns nil.
func gaussian64(c Coins, a, b uint64) *big.Int {
	t := isqrt(a/b) + 1
	o1, at := bits.Mul64(a, t)
	o2, bt := bits.Mul64(b, t)
	o3, d := bits.Mul64(at, bt)
	if o1|o2|o3|d>>63 != 0 {
		return nil
	}
	d *= 2
	start := Mark(c)
	for {
		negative := c.Uint64n(2) == 1
		k, large := drawGeometric64(c, 1, t)
		if negative && k == 0 && large == nil {
			Forget(c, start, "gaussian")
			continue
		}
		o1, n := bits.Mul64(k, bt)
		n = max(n, a) - min(n, a)
		o2, n2 := bits.Mul64(n, n)
		if large != nil || o1|o2 != 0 {
			y := integer(negative, k, large)
			if acceptGaussian(c, y, word(a), word(b), word(t)) {
				return y
			}
		} else if tossExp(c, n2, d) {
			return integer(negative, k, nil)
		}
		Forget(c, start, "gaussian")
	}
}

// word converts a 64-bit number to a big.Int.
func word(n uint64) *big.Int { return new(big.Int).SetUint64(n) }

// isqrt returns ⌊√n⌋. It uses Newton's iteration from above.
func isqrt(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	r := uint64(1) << ((bits.Len64(n) + 1) / 2)
	for {
		next := (r + n/r) / 2
		if next >= r {
			return r
		}
		r = next
	}
}
