package privacy

import (
	"math"
	"math/big"
)

// Bounds are evaluated in float64 and multiplied by 1 + slack. The functions
// of package math are taken to err by a few units in the last place, 2⁻⁵⁰ in
// relative terms, and every formula here is a product or quotient of at most six such
// values, arranged so that no rounding before a function is amplified by it
// (zcdpDelta, where one is, adds logSlack times the sum of its terms first).
// 2⁻⁴⁰ leaves a factor of over a hundred to spare.
const (
	slack    = 0x1p-40
	logSlack = 0x1p-44
)

// tiny stands for every positive bound below it, so that an underflow never
// rounds a bound down.
const tiny = 0x1p-1000

// outward rounds a probability bound upward by more than its rounding errors.
func outward(delta float64) float64 {
	return min(max(delta*(1+slack), tiny), 1)
}

// floatUp is the least float64 ≥ r, for r ≥ 0; it may be +Inf.
func floatUp(r *big.Rat) float64 {
	f, exact := r.Float64()
	if !exact && !math.IsInf(f, 1) && new(big.Rat).SetFloat64(f).Cmp(r) < 0 {
		f = math.Nextafter(f, math.Inf(1))
	}
	return f
}

// floatDown is the greatest finite float64 ≤ r, for r ≥ 0.
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

// withFailure is fail + (1 - fail)·core rounded upward: the curve of a
// mechanism that fails with probability fail and otherwise has curve core.
func withFailure(fail *big.Rat, core float64) float64 {
	up := min(floatUp(fail), 1)
	switch {
	case core == 0:
		return up
	case up == 0:
		return core
	}
	// The sum grows with fail, so the rounded-up value may stand in both places.
	return outward(up + (1-up)*core)
}
