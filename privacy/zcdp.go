package privacy

import (
	"fmt"
	"math"
	"math/big"
)

// ZCDP is ρ-zero-concentrated differential privacy (Bun and Steinke 2016): for every order
// α > 1, the Rényi divergence between the output distributions on neighbours is at most αρ.
type ZCDP struct {
	terms
	rho *big.Rat
}

// NewZCDP returns the guarantee of ρ-zCDP under r and the given assumptions. If ρ is nil or not
// positive, it returns ErrParameter.
func NewZCDP(r Relation, rho *big.Rat, assumes ...Assumption) (ZCDP, error) {
	t, err := newTerms(r, assumes)
	if err != nil {
		return ZCDP{}, err
	}
	if rho == nil || rho.Sign() <= 0 {
		return ZCDP{}, fmt.Errorf("%w: ρ must be positive", ErrParameter)
	}
	return ZCDP{t, new(big.Rat).Set(rho)}, nil
}

// Rho returns the parameter ρ of the guarantee in a new big.Rat.
func (z ZCDP) Rho() *big.Rat {
	if z.rho == nil {
		return new(big.Rat)
	}
	return new(big.Rat).Set(z.rho)
}

// Total returns ρ, the whole budget of a ρ-zCDP guarantee, in a new big.Rat.
func (z ZCDP) Total() *big.Rat { return z.Rho() }

// NoiseWithin returns the variance c/(2·part) of discrete Gaussian noise; see [GaussianBudget].
func (z ZCDP) NoiseWithin(c, part *big.Rat) *big.Rat {
	return new(big.Rat).Quo(c, new(big.Rat).Add(part, part))
}

// RangeWithin returns the parameter ε = √(8·part) of a selection, rounded down; see [GaussianBudget].
func (z ZCDP) RangeWithin(part *big.Rat) (Decimal, error) {
	return rootDown(new(big.Rat).Mul(part, big.NewRat(8, 1)))
}

// RangePart returns the part ε²/8 of the budget that a selection consumes; see [GaussianBudget].
func (z ZCDP) RangePart(epsilon Decimal) *big.Rat { return RangeRho(epsilon) }

// Delta returns the minimum over α > 1 of the following expression, rounded upward:
//
//	exp((α-1)(αρ-eps)) / (α-1) · (1-1/α)^α
//
// Source: Canonne, Kamath and Steinke 2020, Proposition 12. The result is positive for every
// finite eps.
func (z ZCDP) Delta(eps float64) float64 {
	if z.silent(eps) {
		return 1
	}
	return zcdpDelta(floatUp(z.rho), eps)
}

// zcdpDelta returns the value of ZCDP.Delta at x ≥ 0, for ρ = rho ≥ 0. Every order α gives a valid bound, so the
// order need not be exactly optimal, and only the evaluation of the bound needs a margin for rounding errors.
func zcdpDelta(rho, x float64) float64 {
	if math.IsInf(x, 1) {
		return 0
	}
	if rho > 0x1p400 {
		return 1
	}
	x = min(x, 0x1p500) // keeps products finite; the bound decreases in x
	beta := bestOrder(rho, x)
	// With β = α-1 the logarithm of the bound is
	// β(1+β)ρ - βx - ln(1+β) - β·ln(1+1/β).
	gain := beta * (1 + beta) * rho
	cost := beta * x
	entropy := math.Log1p(beta) + beta*math.Log1p(1/beta)
	log := gain - cost - entropy
	return outward(math.Exp(log + logSlack*(gain+cost+entropy)))
}

// bestOrder returns the β = α-1 between 2⁻³⁰⁰ and 2³⁰⁰ that minimizes the bound of zcdpDelta, up to rounding. The
// logarithm of the bound is convex in β, and bestOrder finds the zero of its derivative, (1+2β)ρ - x - ln(1+1/β), by
// bisection.
func bestOrder(rho, x float64) float64 {
	low, high := -300.0, 300.0
	for range 48 {
		middle := (low + high) / 2
		beta := math.Exp2(middle)
		if (1+2*beta)*rho-x-math.Log1p(1/beta) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp2(low)
}

// RhoWithin returns the largest ρ for which ρ-zCDP implies (ε, δ)-differential privacy by the
// conversion of [Epsilon], rounded down to 9 significant digits. It returns ErrParameter if ε
// is 0, or if δ is 0 or at least 1.
func RhoWithin(epsilon, delta Decimal) (Decimal, error) {
	if err := positive(epsilon, delta); err != nil {
		return Decimal{}, err
	}
	rho := mostFloat(func(rho float64) bool { return affords(epsilon, delta, rho, Decimal{}) })
	return RoundDown(new(big.Rat).SetFloat64(rho*(1-limitMargin)), reported)
}

// positive returns ErrParameter unless ε is positive and δ is strictly between 0 and 1.
func positive(epsilon, delta Decimal) error {
	if epsilon.IsZero() || delta.IsZero() || delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("%w: ε %v must be positive and δ %v strictly between 0 and 1", ErrParameter, epsilon, delta)
	}
	return nil
}
