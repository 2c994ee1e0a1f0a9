package privacy

import (
	"errors"
	"fmt"
	"math/big"
)

// ErrNoEpsilon is returned if a guarantee implies (ε, δ)-differential privacy for no finite ε.
var ErrNoEpsilon = errors.New("no finite ε gives this δ")

// reported is the number of significant digits of a rounded ε or ρ.
const reported = 9

// Epsilon returns the least ε for which the privacy curve g.Delta implies (ε, delta)-differential privacy, rounded
// upward to 9 significant digits. It does not round an ε that is the exact sum of given ε, such as that of a pure
// guarantee at delta = 0.
//
// Epsilon returns ErrNoEpsilon in these cases:
//   - delta is less than the sum of δ over the approximate parts of g.
//   - delta is 0 and the privacy loss is unbounded, so there is no finite ε.
//   - g is nil or has no neighbour relation.
func Epsilon(g Guarantee, delta Decimal) (Decimal, error) {
	if g == nil || !g.Relation().valid() {
		return Decimal{}, fmt.Errorf("%w: the guarantee is nil, or a zero value without a neighbour relation", ErrNoEpsilon)
	}
	s := shapeOf(g)
	one := big.NewRat(1, 1)
	target := delta.Rat()
	if target.Cmp(one) >= 0 {
		return Decimal{}, nil
	}
	target.Sub(target, s.fail)
	if target.Sign() < 0 {
		return Decimal{}, fmt.Errorf("%w: δ = %v is less than the δ of the guarantee's approximate parts", ErrNoEpsilon, delta)
	}
	if target.Sign() == 0 && s.limit != nil {
		return exactly(s.limit)
	}
	target.Quo(target, one.Sub(one, s.fail))
	x, ok := leastFloat(func(x float64) bool { return s.core(x) <= floatDown(target) })
	if !ok {
		return Decimal{}, fmt.Errorf("%w: δ = %v", ErrNoEpsilon, delta)
	}
	least := new(big.Rat).SetFloat64(x)
	up, err := RoundUp(least, reported)
	if s.limit != nil && (err != nil || up.Rat().Cmp(s.limit) > 0) {
		return exactly(s.limit)
	}
	return up, err
}

// A shape describes a privacy curve by a failure probability, fail, and by the curve without failures, core: the
// value of the privacy curve at x is fail + (1-fail)·core(x). The function core is 0 for x ≥ limit. If limit is nil,
// core is positive everywhere.
type shape struct {
	fail, limit *big.Rat
	core        func(x float64) float64
}

// shapeOf returns the privacy curve δ(ε) of the guarantee g in the form of a shape.
func shapeOf(g Guarantee) shape {
	none := new(big.Rat)
	switch g := g.(type) {
	case Pure:
		return shape{none, g.epsilon.Rat(), g.Delta}
	case BoundedRange:
		return shape{none, g.epsilon.Rat(), g.Delta}
	case Approximate:
		limit := g.epsilon.Rat()
		return shape{g.delta.Rat(), limit, func(x float64) float64 { return pureDelta(floatUp(limit), x) }}
	case Composed:
		return shape{g.total.failure(), g.total.limit(), g.core}
	}
	return shape{none, nil, g.Delta}
}

// exactly converts r to a Decimal. It rounds upward only if r has more than maxDigits digits.
func exactly(r *big.Rat) (Decimal, error) { return RoundUp(r, maxDigits) }

// leastFloat returns approximately the least x ≥ 0 for which holds(x) is true. The function holds must be false for
// small x and true for all larger ones.
//
// At the result, holds is true. The result exceeds the least x by a factor of at most 1 + 2⁻⁴⁰, or is at most 2⁻³⁰⁰.
// leastFloat returns false if it finds no x up to 2⁵⁰⁰ for which holds(x) is true.
func leastFloat(holds func(x float64) bool) (float64, bool) {
	if holds(0) {
		return 0, true
	}
	low, high := 0.0, 1.0
	for !holds(high) {
		low, high = high, 2*high
		if high > 0x1p500 {
			return 0, false
		}
	}
	for high > 0x1p-300 && high-low > high*0x1p-40 {
		if middle := (low + high) / 2; holds(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}
