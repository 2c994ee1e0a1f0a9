package audit

import "math"

// A LogRatio is an interval that contains the largest |ln(P(x)/Q(x))|, the maximum privacy loss,
// for two distributions P and Q and all outcomes x that were seen under at least one of them.
type LogRatio[T comparable] struct {
	// Lower is a proved bound: the outcome At has at least this log-ratio. It is 0 if nothing is proved.
	Lower float64
	At    T
	// Upper is a proved upper bound for all outcomes that were seen. It is +Inf if an outcome was seen under only one
	// of the distributions.
	Upper float64
	// Unseen bounds the total probability of all other outcomes, under either distribution.
	Unseen float64
}

// Compare returns an interval that contains the largest log-ratio of the two distributions p and q,
// in either direction.
func Compare[T comparable](p, q Law[T]) LogRatio[T] {
	r := LogRatio[T]{Unseen: max(p.Tail(), q.Tail())}
	each := func(x T) {
		a, b := p.lower[x], q.lower[x]
		most := max(
			logUp(a.plus(p.tail()), b),
			logUp(b.plus(q.tail()), a))
		least := max(
			logDown(a, b.plus(q.tail())),
			logDown(b, a.plus(p.tail())))
		r.Upper = max(r.Upper, most)
		if least > r.Lower {
			r.Lower, r.At = least, x
		}
	}
	for x := range p.lower {
		each(x)
	}
	for x := range q.lower {
		if _, ok := p.lower[x]; !ok {
			each(x)
		}
	}
	return r
}

// Excess returns an interval that contains the maximum of P(A) - e^ε·Q(A) over all events A, and over both orders of
// the two distributions. This maximum is the δ of (ε, δ)-differential privacy. The upper bound counts all of the
// probability that was not enumerated, so it also holds for outcomes that were never seen.
func Excess[T comparable](p, q Law[T], epsilon float64) (lo, hi float64) {
	for _, pair := range [2][2]Law[T]{{p, q}, {q, p}} {
		p, q := pair[0], pair[1]
		factor := math.Exp(epsilon)
		var sum, size float64 // the sum of the differences, and the sum of all terms, which scales the rounding error
		for x, m := range p.lower {
			a, b := m.float(), factor*q.lower[x].float()
			if a > b {
				sum += a - b
				size += a + b
			}
		}
		rounding := size * float64(len(p.lower)+8) * 0x1p-50
		lo = max(lo, sum-rounding-up(factor*q.Tail()))
		hi = max(hi, up(sum+rounding+p.Tail()))
	}
	return lo, hi
}

// logUp returns an upper bound on ln(a/b). It is +Inf if b = 0 < a.
func logUp(a, b mass) float64 {
	if a.isZero() {
		return math.Inf(-1)
	}
	x := math.Log(a.float() / b.float())
	return x + logError*(1+math.Abs(x))
}

// logDown returns a lower bound on ln(a/b). It is +Inf if b = 0 < a.
func logDown(a, b mass) float64 {
	switch {
	case a.isZero():
		return math.Inf(-1)
	case b.isZero():
		return math.Inf(1)
	}
	x := math.Log(a.float() / b.float())
	return x - logError*(1+math.Abs(x))
}

// logError bounds the absolute error of logarithms of masses. It covers the conversion to float64,
// the division and math.Log, whose errors are a few units of 2^-52.
const logError = 0x1p-45

// Renyi returns the Rényi divergence of two distributions, of the given order, which must exceed 1. It sums over the
// outcomes that were seen under both distributions.
func Renyi(p, q Law[string], order float64) float64 {
	sum := 0.0
	for x := range p.lower {
		lo, _ := p.Bounds(x)
		if other, _ := q.Bounds(x); other > 0 {
			sum += math.Pow(lo, order) * math.Pow(other, 1-order)
		}
	}
	return math.Log(sum) / (order - 1)
}
