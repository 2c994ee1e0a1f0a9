package class

import "math/bits"

// Spread returns the bound of Range: an upper bound on the absolute cost of any hypothesis, without
// its penalty. The result ok is false if the bound plus the cost of the penalty most does not fit
// into 62 bits. The parameter most is the greatest penalty of a hypothesis of the class.
func (p Problem[X]) Spread(most int64) (bound int64, ok bool) {
	bound, ok = p.Range()
	hi, penalty := bits.Mul64(uint64(most), uint64(p.PenaltyUnit()))
	return bound, ok && hi == 0 && penalty <= 1<<61-uint64(bound)
}
