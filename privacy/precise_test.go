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

// preciseTail returns 1 - Φ(z) for |z| < 8. It sums a series with positive terms for erf(y) at y = |z|/√2, which is
// 2/√π·exp(-y²)·Σ 2ⁿy^(2n+1)/(1·3·…·(2n+1)).
func preciseTail(z *big.Float) *big.Float {
	y := quo(precise(0).Abs(z), precise(0).Sqrt(precise(2)))
	square := mul(y, y)
	sum, term := precise(0).Set(y), precise(0).Set(y)
	for n := 1; n < 400; n++ {
		term = quo(mul(term, mul(precise(2), square)), precise(float64(2*n+1)))
		sum = add(sum, term)
	}
	erf := quo(mul(mul(precise(2), preciseExp(sub(precise(0), square))), sum), precise(0).Sqrt(precisePi()))
	if z.Sign() < 0 {
		erf.Neg(erf)
	}
	return quo(sub(precise(1), erf), precise(2))
}

// precisePi returns π by Machin's formula, 16·arctan(1/5) - 4·arctan(1/239).
func precisePi() *big.Float {
	arctan := func(inverse float64) *big.Float {
		sum, power := precise(0), quo(precise(1), precise(inverse))
		for n := 0; n < 140; n++ {
			sum = add(sum, quo(power, precise(float64((2*n+1)*(1-2*(n%2))))))
			power = quo(power, precise(inverse*inverse))
		}
		return sum
	}
	return sub(mul(precise(16), arctan(5)), mul(precise(4), arctan(239)))
}

// preciseGaussian returns the privacy curve of N(mu, 1) and N(0, 1) at x.
func preciseGaussian(mu, x float64) *big.Float { return preciseGaussianAt(precise(mu), precise(x)) }

func preciseGaussianAt(mu, x *big.Float) *big.Float {
	ratio, half := quo(x, mu), quo(mu, precise(2))
	return sub(preciseTail(sub(ratio, half)), mul(preciseExp(x), preciseTail(add(ratio, half))))
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
