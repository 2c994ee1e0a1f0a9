package scorecard

import "math/big"

// A prospect is a state of an axis with what is left to decide: a filling, and
// how many categories come after it. It has the counts that a filling of a free
// axis has but for a factor.
type prospect struct {
	*filling
	left int
}

// whole returns a count of the filling with the factor of what is left; the
// caller must not change it.
func (p prospect) whole(n *big.Int) *big.Int {
	if p.factor == nil || n.Sign() == 0 {
		return n
	}
	power := p.factor.of(p.left)
	if n.Cmp(one) == 0 {
		return power
	}
	return new(big.Int).Mul(n, power)
}

// all counts the vectors below; the caller must not change the count.
func (p prospect) all() *big.Int { return p.whole(p.total) }

// used counts the vectors below other than the zero vector.
func (p prospect) used() *big.Int {
	if p.zero {
		return new(big.Int).Sub(p.all(), one)
	}
	return p.all()
}

// withOffset counts the vectors below with offset v; the caller must not change
// the count.
func (p prospect) withOffset(v int) *big.Int { return p.whole(p.at(v)) }
