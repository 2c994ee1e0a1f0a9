package scorecard

import "math/big"

// An openState is an axisState together with the number of its undecided categories. If the
// categories are independent, one axisState serves for any number of undecided categories, and its
// counts must be multiplied by a factor for each of them. The methods of openState do this.
type openState struct {
	*axisState
	undecided int
}

// withFactor multiplies a count of the axisState by the factor for each undecided category. The
// caller must not change the result.
func (p openState) withFactor(n *big.Int) *big.Int {
	if p.factor == nil || n.Sign() == 0 {
		return n
	}
	power := p.factor.of(p.undecided)
	if n.Cmp(one) == 0 {
		return power
	}
	return new(big.Int).Mul(n, power)
}

// all returns the number of vectors of points that agree with the decided values of the attribute.
// The caller must not change the result.
func (p openState) all() *big.Int { return p.withFactor(p.total) }

// used returns the number of vectors of points, other than the zero vector, that agree with the
// decided values of the attribute. A card with one of these vectors uses the attribute.
func (p openState) used() *big.Int {
	if p.zero {
		return new(big.Int).Sub(p.all(), one)
	}
	return p.all()
}

// withOffset returns the number of vectors of points with offset v that agree with the decided
// values of the attribute. The caller must not change the result.
func (p openState) withOffset(v int) *big.Int { return p.withFactor(p.countAt(v)) }
