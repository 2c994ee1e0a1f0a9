package privacy

import (
	"errors"
	"fmt"
	"math/big"
)

// ErrNoEpsilon is returned by Epsilon for a guarantee that no ε reaches.
var ErrNoEpsilon = errors.New("no finite ε gives this δ")

// reported is the number of significant digits of an ε that had to be rounded.
const reported = 9

// Epsilon returns an ε such that g implies (ε, delta)-differential privacy: the
// least one that g's curve gives, rounded upward to 9 significant digits. Where
// the least is a sum of ε stated exactly, such as a pure guarantee at
// delta = 0, it is returned exactly.
//
// A delta smaller than the guarantee's own failures, or 0 where no finite ε
// bounds the loss, is ErrNoEpsilon; so is a guarantee without a relation.
func Epsilon(g Guarantee, delta Decimal) (Decimal, error) {
	if g == nil || !g.Relation().valid() {
		return Decimal{}, fmt.Errorf("%w: the guarantee has no relation", ErrNoEpsilon)
	}
	s := shapeOf(g)
	one := big.NewRat(1, 1)
	target := delta.Rat()
	if target.Cmp(one) >= 0 {
		return Decimal{}, nil
	}
	target.Sub(target, s.fail)
	if target.Sign() < 0 {
		return Decimal{}, fmt.Errorf("%w: δ = %v is less than its failures alone", ErrNoEpsilon, delta)
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

// A shape splits a curve: fail + (1-fail)·core, where core is 0 from limit on
// (nil: nowhere).
type shape struct {
	fail, limit *big.Rat
	core        func(x float64) float64
}

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

// exactly is r as a Decimal, rounded upward only if it is too long for one.
func exactly(r *big.Rat) (Decimal, error) { return RoundUp(r, maxDigits) }

// leastFloat returns, within a factor of 1 + 2⁻⁴⁰, the least x ≥ 0 at which
// holds is true, given that it stays true from there on. The x returned was
// itself tried. It reports false if none up to 2⁵⁰⁰ was found.
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
