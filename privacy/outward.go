package privacy

import (
	"math"
	"math/big"
)

// Bounds are evaluated in float64 and then multiplied by 1 + slack, which exceeds the true rounding error more than a
// hundredfold. The reasons are the following.
//
// The functions of package math are assumed to have a relative error of at most 2⁻⁵⁰, a few units in the last place.
// Every formula is a product or quotient of at most six values of such functions, and is arranged so that no function
// amplifies the rounding error of its argument.
//
// The exception is a formula that computes the logarithm of a bound, as in zcdpDelta. It first adds logSlack times
// the sum of the absolute values of its terms.
const (
	slack    = 0x1p-40
	logSlack = 0x1p-44
)

// tiny is the least value that is returned for a bound on a positive δ. Without it, a floating-point underflow could
// make a bound too small.
const tiny = 0x1p-1000

// outward rounds an upper bound on a probability upward, by more than its rounding errors.
func outward(delta float64) float64 {
	return min(max(delta*(1+slack), tiny), 1)
}

// floatUp returns the least float64 ≥ r, for r ≥ 0. It may be +Inf.
func floatUp(r *big.Rat) float64 {
	f, exact := r.Float64()
	if !exact && !math.IsInf(f, 1) && new(big.Rat).SetFloat64(f).Cmp(r) < 0 {
		f = math.Nextafter(f, math.Inf(1))
	}
	return f
}

// floatDown returns the greatest finite float64 ≤ r, for r ≥ 0.
func floatDown(r *big.Rat) float64 {
	f, exact := r.Float64()
	if math.IsInf(f, 1) {
		return math.MaxFloat64
	}
	if !exact && new(big.Rat).SetFloat64(f).Cmp(r) > 0 {
		f = math.Nextafter(f, 0)
	}
	return f
}

// withFailure returns fail + (1 - fail)·core, rounded upward. This is the value, at one point, of the privacy curve
// of a mechanism that reveals everything with probability fail, and otherwise has a privacy curve with the value core
// at this point.
func withFailure(fail *big.Rat, core float64) float64 {
	up := min(floatUp(fail), 1)
	switch {
	case core == 0:
		return up
	case up == 0:
		return core
	}
	// The sum increases with fail, so both occurrences may be rounded up.
	return outward(up + (1-up)*core)
}
