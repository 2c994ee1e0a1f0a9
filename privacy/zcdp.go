package privacy

import (
	"fmt"
	"math"
	"math/big"
)

// ZCDP is ρ-zero-concentrated differential privacy (Bun and Steinke 2016): the
// Rényi divergence of every order α > 1 between neighbours is at most αρ.
type ZCDP struct {
	terms
	rho *big.Rat
}

// NewZCDP states ρ-zCDP under r, resting on the given assumptions. A ρ of 0 or
// less is ErrParameter.
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

// Rho is ρ, in a fraction of the caller's.
func (z ZCDP) Rho() *big.Rat {
	if z.rho == nil {
		return new(big.Rat)
	}
	return new(big.Rat).Set(z.rho)
}

// Delta is the least over α > 1 of
//
//	exp((α-1)(αρ-eps)) / (α-1) · (1-1/α)^α
//
// (Canonne, Kamath and Steinke 2020, Proposition 12). It is never 0 at a
// finite eps.
func (z ZCDP) Delta(eps float64) float64 {
	if z.silent(eps) {
		return 1
	}
	return zcdpDelta(floatUp(z.rho), eps)
}

// zcdpDelta is the conversion for ρ = rho > 0 at x ≥ 0. Every order gives a
// valid bound, so only evaluating it at the chosen one calls for a margin.
func zcdpDelta(rho, x float64) float64 {
	if math.IsInf(x, 1) {
		return 0
	}
	if rho > 0x1p400 {
		return 1
	}
	x = min(x, 0x1p500) // the bound falls in x; keeps products finite
	beta := bestOrder(rho, x)
	// With β = α-1 the logarithm of the bound is
	// β(1+β)ρ - βx - ln(1+β) - β·ln(1+1/β).
	gain := beta * (1 + beta) * rho
	cost := beta * x
	entropy := math.Log1p(beta) + beta*math.Log1p(1/beta)
	log := gain - cost - entropy
	return outward(math.Exp(log + logSlack*(gain+cost+entropy)))
}

// bestOrder returns β = α-1 for the order α that makes the bound least, up to
// rounding, among β from 2⁻³⁰⁰ to 2³⁰⁰. The logarithm of the bound is convex in
// β with derivative (1+2β)ρ - x - ln(1+1/β), whose sign is bisected.
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

// RhoWithin returns a ρ such that ρ-zCDP implies (ε, δ)-differential privacy by the
// conversion of [Epsilon]: the largest, rounded down to 9 significant digits. An ε of 0 and
// a δ of 0, or of 1 or more, are ErrParameter.
func RhoWithin(epsilon, delta Decimal) (Decimal, error) {
	one := big.NewRat(1, 1)
	if epsilon.IsZero() || delta.IsZero() || delta.Rat().Cmp(one) >= 0 {
		return Decimal{}, fmt.Errorf("%w: ρ needs a positive ε and a δ between 0 and 1, not %v and %v", ErrParameter, epsilon, delta)
	}
	rho := mostFloat(func(rho float64) bool { return affords(epsilon, delta, rho, Decimal{}) })
	return RoundDown(new(big.Rat).SetFloat64(rho*(1-limitMargin)), reported)
}
