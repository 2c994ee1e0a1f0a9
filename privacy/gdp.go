package privacy

import (
	"fmt"
	"math"
	"math/big"
)

// GDP is μ-Gaussian differential privacy (Dong, Roth and Su 2022): the output distributions on neighbours are at
// least as hard to distinguish as N(0, 1) and N(μ, 1). It implies a smaller ε than ρ-zCDP with ρ = μ²/2.
//
// Noise here is discrete, so μ-GDP holds up to a factor: on each table, the probability of every event is between
// exp(-2⁻⁴⁰) and exp(2⁻⁴⁰) times its probability under a distribution for which μ-GDP holds exactly. Delta includes
// this factor. Proofs are in docs/explanation/proofs/privacy.md, section 7.
//
// A GDP guarantee also states a ρ of zCDP, which a [Filter] charges.
type GDP struct {
	ZCDP
	square *big.Rat // μ²
}

// NewGDP returns the guarantee of μ-GDP and of ρ-zCDP under r and the given assumptions, where square is μ². The
// mechanism must release at most 2³⁰ integers with noise. If square or ρ is nil or not positive, NewGDP returns
// ErrParameter.
func NewGDP(r Relation, square, rho *big.Rat, assumes ...Assumption) (GDP, error) {
	z, err := NewZCDP(r, rho, assumes...)
	if err != nil {
		return GDP{}, err
	}
	if square == nil || square.Sign() <= 0 {
		return GDP{}, fmt.Errorf("%w: μ² must be positive", ErrParameter)
	}
	return GDP{z, new(big.Rat).Set(square)}, nil
}

// Square returns the parameter μ² of the guarantee in a new big.Rat.
func (g GDP) Square() *big.Rat {
	if g.square == nil {
		return new(big.Rat)
	}
	return new(big.Rat).Set(g.square)
}

// Total returns μ²/2, the whole budget of a μ-GDP guarantee, in a new big.Rat.
func (g GDP) Total() *big.Rat { return new(big.Rat).Mul(g.Square(), half) }

// NoiseWithin returns the variance c/(2·part) + 13/5 of discrete Gaussian noise; see [GaussianBudget].
func (g GDP) NoiseWithin(c, part *big.Rat) *big.Rat {
	return new(big.Rat).Add(g.ZCDP.NoiseWithin(c, part), roundingVariance)
}

// RangeWithin returns the parameter ε = √(16·part/π) of a selection, rounded down; see [GaussianBudget].
func (g GDP) RangeWithin(part *big.Rat) (Decimal, error) {
	twice := new(big.Rat).Add(part, part)
	return rootDown(twice.Quo(twice, rangeFactor))
}

// RangePart returns the part ε²·π/16 of the budget that a selection consumes, rounded upward; see [GaussianBudget].
func (g GDP) RangePart(epsilon Decimal) *big.Rat { return new(big.Rat).Mul(RangeSquare(epsilon), half) }

// Delta returns the smaller of two bounds on the privacy curve at eps, rounded upward: one from the normal
// distributions (Balle and Wang 2018), and that of [ZCDP]. The result is positive for every finite eps.
func (g GDP) Delta(eps float64) float64 {
	if g.silent(eps) {
		return 1
	}
	return min(zcdpDelta(floatUp(g.rho), eps), gdpDelta(floatUp(g.square), 1, eps))
}

// gdpDistance is an upper bound on the logarithm of the factor in the definition of GDP, for a single guarantee.
const gdpDistance = 0x1p-40

// gdpDelta returns an upper bound, at x ≥ 0, on the privacy curve of a composition of GDP guarantees. Their number is
// parts, and the sum of their μ² is square. If parts is 0, the result bounds the curve of the normal distributions.
func gdpDelta(square float64, parts int64, x float64) float64 {
	distance := float64(parts) * gdpDistance
	x = min(x, 0x1p500) // keeps the difference below finite
	mu := math.Sqrt(square) * (1 + slack)
	return outward(gaussianDelta(mu, x-2*distance-logSlack*x) * math.Exp(distance))
}

// MuWithin returns the largest μ for which μ-GDP implies (ε, δ)-differential privacy, rounded down to 9 significant digits.
// It returns ErrParameter if ε is 0, or if δ is 0 or at least 1.
func MuWithin(epsilon, delta Decimal) (Decimal, error) {
	if err := positive(epsilon, delta); err != nil {
		return Decimal{}, err
	}
	mu := mostFloat(func(mu float64) bool {
		return gdpDelta(mu*mu, 1, floatDown(epsilon.Rat())) <= floatDown(delta.Rat())
	})
	return RoundDown(new(big.Rat).SetFloat64(mu*(1-limitMargin)), reported)
}

// roundingVariance is the part of the variance of discrete noise that the proof needs for rounding continuous noise.
var roundingVariance = big.NewRat(13, 5)

// NoiseSquare returns a μ² for which adding independent discrete Gaussian noise with parameter σ² to integers
// satisfies μ-GDP: c/(σ² - 13/5), where c is the squared L2 sensitivity of the integers. If σ² is at most 13/5,
// NoiseSquare returns nil. Several releases of such integers, even if chosen adaptively, satisfy one [NewGDP] with
// the sum of their μ², as long as this sum is bounded.
func NoiseSquare(c, sigma2 *big.Rat) *big.Rat {
	continuous := new(big.Rat).Sub(sigma2, roundingVariance)
	if continuous.Sign() <= 0 {
		return nil
	}
	return continuous.Quo(c, continuous)
}

// rangeFactor is an upper bound on π/8 with a relative error of less than 3·10⁻⁶.
var rangeFactor = big.NewRat(3927, 10_000)

// RangeSquare returns a μ² for which the guarantee [BoundedRange] with parameter ε implies μ-GDP: ε²·π/8, rounded
// upward. It may be added to the μ² of noise (see NoiseSquare).
func RangeSquare(epsilon Decimal) *big.Rat {
	e := epsilon.Rat()
	return e.Mul(e, e).Mul(e, rangeFactor)
}
