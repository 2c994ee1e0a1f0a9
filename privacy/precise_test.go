package privacy

import (
	"math"
	"math/big"
)

// The functions of this file use 300-bit arithmetic. Tests compare float64 bounds with them.

const precision = 300

func precise(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func add(x, y *big.Float) *big.Float { return precise(0).Add(x, y) }
func sub(x, y *big.Float) *big.Float { return precise(0).Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return precise(0).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return precise(0).Quo(x, y) }

// preciseExp halves the argument until it is below 2⁻¹⁶, sums the series, and squares the result
// once for each halving.
func preciseExp(x *big.Float) *big.Float {
	halvings := max(x.MantExp(nil)+16, 0)
	small := precise(0).SetMantExp(x, -halvings)
	sum, term := precise(1), precise(1)
	for i := 1; i < 24; i++ {
		term = quo(mul(term, small), precise(float64(i)))
		sum = add(sum, term)
	}
	for range halvings {
		sum = mul(sum, sum)
	}
	return sum
}

// preciseLog solves exp(y) = x by Halley's iteration from a float64 guess.
func preciseLog(x *big.Float, guess float64) *big.Float {
	y := precise(guess)
	for range 4 {
		e := preciseExp(y)
		y = add(y, quo(mul(precise(2), sub(x, e)), add(x, e)))
	}
	return y
}

// preciseZCDP returns the conversion of ρ-zCDP at x with the order 1 + beta.
func preciseZCDP(rho, x, beta float64) *big.Float {
	b, alpha := precise(beta), add(precise(beta), precise(1))
	log := mul(b, sub(mul(alpha, precise(rho)), precise(x)))
	log = sub(log, preciseLog(b, math.Log(beta)))
	log = add(log, mul(alpha, sub(preciseLog(b, math.Log(beta)), preciseLog(alpha, math.Log1p(beta)))))
	return preciseExp(log)
}

func atLeast(bound float64, exact *big.Float) bool { return precise(bound).Cmp(exact) >= 0 }
