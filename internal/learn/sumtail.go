package learn

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
)

// A sumTail computes upper bounds on the tail probabilities of the sum of m independent discrete
// Laplace variables, for confidence intervals. It evaluates the distribution of the sum itself,
// because adding up a bound for each variable would give far too wide intervals. The results are
// upper bounds, because all terms are positive and every operation is rounded upward
// (docs/explanation/proofs/count.md, section 3).
type sumTail struct {
	precision uint
	inverse   *big.Rat     // 1/scale; below, q = e^-inverse
	p         *big.Float   // upper bound on 1 - q
	weights   []*big.Float // upper bounds on the weights ω_0 … ω_{m-1} of section 3
}

func newSumTail(law noise.Laplace, m int) *sumTail {
	digits := uint(64 + law.Scale.Num().BitLen())
	t := &sumTail{precision: 2 * digits, inverse: new(big.Rat).Inv(law.Scale)}
	low, high := noise.ExpInterval(t.inverse, digits)
	unit := new(big.Int).Lsh(big.NewInt(1), digits)
	// Integers in units of 1/unit: 1 - q and q are rounded up, and 1 + q is rounded down.
	t.p = t.quo(t.whole(new(big.Int).Sub(unit, low)), t.whole(unit))
	q := t.quo(t.whole(high), t.whole(unit))
	first := t.quo(t.whole(unit), t.whole(new(big.Int).Add(unit, low)))
	one := make([]*big.Float, m) // the weights for m = 1
	term := t.mul(t.mul(q, q), first)
	for j := range one {
		if one[j] = first; j > 0 {
			term = t.mul(term, first)
			one[j] = term
		}
	}
	t.weights = t.power(one, m)
	return t
}

// power returns the first len(a) coefficients of the m-th power of the power series with
// coefficients a, rounded up.
func (t *sumTail) power(a []*big.Float, m int) []*big.Float {
	if m <= 1 {
		return a
	}
	out := t.power(a, m/2)
	out = t.convolve(out, out)
	if m%2 == 1 {
		out = t.convolve(out, a)
	}
	return out
}

// convolve returns the first len(a) coefficients of the product of two power series, rounded up.
func (t *sumTail) convolve(a, b []*big.Float) []*big.Float {
	out := make([]*big.Float, len(a))
	product := t.float()
	for j := range out {
		out[j] = t.float()
		for i := range j + 1 {
			out[j].Add(out[j], product.Mul(a[i], b[j-i]))
		}
	}
	return out
}

// beyond returns an upper bound on the probability that the sum of the Laplace variables is outside
// -w..w.
func (t *sumTail) beyond(w *big.Int) *big.Float {
	// The bound is 2·q^{w+1}·Σ_j ω_j Σ_{l<m-j} C(w+l, l)·p^l. The loop starts with the last j.
	sum, inner, term, product := t.float(), t.float(), t.whole(big.NewInt(1)), t.float()
	for l := range t.weights {
		if l > 0 {
			factor := t.whole(new(big.Int).Add(w, big.NewInt(int64(l))))
			term = t.quo(t.mul(product.Mul(term, t.p), factor), t.whole(big.NewInt(int64(l))))
		}
		inner.Add(inner, term)
		sum.Add(sum, product.Mul(t.weights[len(t.weights)-1-l], inner))
	}
	x := new(big.Rat).SetInt(new(big.Int).Add(w, big.NewInt(1)))
	_, high, e := noise.ExpIntervalRelative(x.Mul(x, t.inverse), 64)
	power := t.whole(high)
	return t.mul(sum, power.SetMantExp(power, int(max(e+1, math.MinInt32)))) // a greater exponent is a bound too
}

// float returns a new floating-point number 0 whose operations round upward.
func (t *sumTail) float() *big.Float {
	return new(big.Float).SetPrec(t.precision).SetMode(big.ToPositiveInf)
}

func (t *sumTail) whole(v *big.Int) *big.Float { return t.float().SetInt(v) }

func (t *sumTail) mul(a, b *big.Float) *big.Float { return t.float().Mul(a, b) }

func (t *sumTail) quo(a, b *big.Float) *big.Float { return t.float().Quo(a, b) }
