package class

import "math/bits"

// Spread returns a bound on the absolute costs of points and terms. It is what
// a class asks of whose hypotheses none has a penalty above most: ok is false
// where those costs, together with that penalty, leave 62 bits.
func (p Problem[X]) Spread(most int64) (bound int64, ok bool) {
	bound, ok = p.Range()
	hi, penalty := bits.Mul64(uint64(most), uint64(p.PenaltyUnit()))
	return bound, ok && hi == 0 && penalty <= 1<<61-uint64(bound)
}
