package scorecard

import "math/big"

// An openState is a state of an axis, together with the number of categories that are undecided in
// it. On an independent axis, the counts of the axisState lack a factor for each undecided
// category; the methods of openState return the full counts.
type openState struct {
	*axisState
	undecided int
}

// withFactor multiplies n, a count of the state, by the factors of the undecided categories. The
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

// all returns the number of vectors in the subtree of p. The caller must not change it.
func (p openState) all() *big.Int { return p.withFactor(p.total) }

// used returns the number of vectors in the subtree of p other than the zero vector. These are the
// vectors that use the attribute.
func (p openState) used() *big.Int {
	if p.zero {
		return new(big.Int).Sub(p.all(), one)
	}
	return p.all()
}

// withOffset returns the number of vectors with offset v in the subtree of p. The caller must not change it.
func (p openState) withOffset(v int) *big.Int { return p.withFactor(p.countAt(v)) }
