package class

import "math/bits"

// Spread returns an upper bound on the absolute cost of any hypothesis, without its penalty. This
// is the bound that Range returns, but the check for overflow includes penalties: ok is false if
// the bound plus the cost of the greatest penalty does not fit into 62 bits. The parameter is the
// greatest penalty of a hypothesis of the class.
func (p Problem[X]) Spread(most int64) (bound int64, ok bool) {
	bound, ok = p.Range()
	hi, penalty := bits.Mul64(uint64(most), uint64(p.PenaltyUnit()))
	return bound, ok && hi == 0 && penalty <= 1<<61-uint64(bound)
}
