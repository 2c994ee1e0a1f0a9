package class

import "math/bits"

// Spread returns an upper bound on the absolute cost of a hypothesis without its penalty, like
// Range. In contrast to Range, it also takes penalties into account when it checks for overflow: ok
// is false if the bound plus the cost of the penalty most does not fit into 62 bits. most is the
// maximum penalty of a hypothesis of the class.
func (p Problem[X]) Spread(most int64) (bound int64, ok bool) {
	bound, ok = p.Range()
	hi, penalty := bits.Mul64(uint64(most), uint64(p.PenaltyUnit()))
	return bound, ok && hi == 0 && penalty <= 1<<61-uint64(bound)
}
