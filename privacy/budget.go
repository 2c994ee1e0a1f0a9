package privacy

import (
	"fmt"
	"math/big"
)

// A GaussianBudget is a budget of ρ-zCDP or of μ-GDP: a [ZCDP] or a [GDP]. It can be divided into parts, which are
// parts of the number ρ or μ²/2. Two kinds of steps consume parts: releases of integers with discrete Gaussian noise,
// and mechanisms with the guarantee [BoundedRange], such as the exponential mechanism. If the parts of all steps add
// up to at most Total, the guarantee holds for all steps together, even if they are chosen adaptively
// (docs/explanation/proofs/privacy.md, sections 5 and 7.4).
type GaussianBudget interface {
	Guarantee

	// Total returns the whole budget, ρ or μ²/2, in a new big.Rat.
	Total() *big.Rat

	// NoiseWithin returns the parameter σ² of independent discrete Gaussian noise that consumes the given part, where c
	// is the squared L2 sensitivity of the integers: c/(2·part) for ρ, and c/(2·part) + 13/5 for μ (see NoiseSquare).
	NoiseWithin(c, part *big.Rat) *big.Rat

	// RangeWithin returns the greatest ε of a BoundedRange that consumes at most the given part, rounded down to 6
	// significant digits and 30 decimal places. It returns an error if the part is negative, or if ε is too large for a
	// Decimal.
	RangeWithin(part *big.Rat) (Decimal, error)

	// RangePart returns the part that a BoundedRange with parameter ε consumes: RangeRho for ρ, and half of RangeSquare
	// for μ.
	RangePart(epsilon Decimal) *big.Rat
}

// NewGaussianBudget returns the guarantee of ρ-zCDP, or that of μ-GDP and of ρ-zCDP with ρ = μ²/2. One of rho and mu
// must be 0, and the other positive; otherwise NewGaussianBudget returns ErrParameter.
func NewGaussianBudget(r Relation, rho, mu Decimal) (GaussianBudget, error) {
	switch {
	case rho.IsZero() == mu.IsZero():
		return nil, fmt.Errorf("%w: a budget must state either ρ or μ, but ρ is %v and μ is %v", ErrParameter, rho, mu)
	case mu.IsZero():
		return NewZCDP(r, rho.Rat())
	}
	square := mu.Rat()
	square.Mul(square, square)
	return NewGDP(r, square, new(big.Rat).Mul(square, half))
}

var half = big.NewRat(1, 2)

// rootDown returns the square root of the given number, rounded down as [GaussianBudget] states for RangeWithin.
func rootDown(square *big.Rat) (Decimal, error) {
	if square.Sign() < 0 {
		return Decimal{}, fmt.Errorf("%w: a part of a budget must not be negative", ErrParameter)
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil)
	root := new(big.Int).Mul(square.Num(), new(big.Int).Mul(scale, scale))
	root.Sqrt(root.Quo(root, square.Denom()))
	return RoundDown(new(big.Rat).SetFrac(root, scale), 6)
}
