package audit

import "slices"

// A Law is a partly known probability distribution: a lower bound on the probability of each
// outcome. The bounds may sum to less than 1; the rest is the tail.
type Law[T comparable] struct {
	lower map[T]mass
	total mass
}

// Tail returns an upper bound on the probability that was not assigned to any outcome. The true
// probability of an outcome is at most its lower bound plus the tail.
func (l Law[T]) Tail() float64 { return up(l.tail().float()) }

func (l Law[T]) tail() mass { return certain.minus(l.total) }

// Bounds returns a lower and an upper bound on the probability of the outcome x.
func (l Law[T]) Bounds(x T) (lo, hi float64) {
	p := l.lower[x]
	return down(p.float()), up(p.plus(l.tail()).float())
}

// Outcomes returns all outcomes that were seen, in decreasing order of their lower bounds.
func (l Law[T]) Outcomes() []T {
	out := make([]T, 0, len(l.lower))
	for x := range l.lower {
		out = append(out, x)
	}
	slices.SortFunc(out, func(x, y T) int {
		p, q := l.lower[x], l.lower[y]
		switch {
		case q.less(p):
			return -1
		case p.less(q):
			return 1
		}
		return 0
	})
	return out
}

// down and up return a lower and an upper bound on a non-negative number, given an approximation x with an error of a
// few units in the last place.
func down(x float64) float64 { return x * (1 - 0x1p-49) }

func up(x float64) float64 { return x * (1 + 0x1p-49) }
