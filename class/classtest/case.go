// Package classtest is a test suite for classes. It generates unusual and random problems, and
// compares trees and checkers, node by node, with the enumeration of the class.
package classtest

import (
	"iter"
	"math/rand/v2"

	"github.com/sibyl-dp/sibyl/class"
)

// A T has those methods of *testing.T that the tests of a Suite use.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// A Draw returns an integer from lo to hi, inclusive, which is random or chosen by a fuzzer.
type Draw func(lo, hi int) int

// FromSeed returns a Draw of uniform integers. Equal seeds give equal sequences.
func FromSeed(seed int) Draw {
	rng := rand.New(rand.NewPCG(uint64(seed), 0))
	return func(lo, hi int) int { return lo + rng.IntN(hi-lo+1) }
}

// FromBytes returns a Draw that reads its integers from data. It consumes one byte for each
// integer, or four bytes if the range contains more than 256 integers. After the end of data it
// returns lo.
func FromBytes(data []byte) Draw {
	return func(lo, hi int) int {
		n := 1
		if hi-lo > 255 {
			n = 4
		}
		spent := 0
		for _, b := range data[:min(n, len(data))] {
			spent = spent<<8 | int(b)
		}
		data = data[min(n, len(data)):]
		return lo + spent%(hi-lo+1)
	}
}

// A Case is a class that is small enough to enumerate, together with a list of records, at least
// one, for which it can predict.
type Case[X, H any] struct {
	Class  class.Enumerable[X, H]
	Domain []X
}

// Weird yields unusual problems over the class, such as problems without points or with extreme
// costs. Each has a name. A name that begins with "range" means that the costs of the problem
// exceed 62 bits.
func (c Case[X, H]) Weird() iter.Seq2[string, class.Problem[X]] {
	var (
		first = c.Domain[0]
		last  = c.Domain[len(c.Domain)-1]
		each  = func(cost func(i int) [2]int64) []class.Point[X] {
			var points []class.Point[X]
			for i, x := range c.Domain {
				points = append(points, class.Point[X]{X: x, Cost: cost(i)})
			}
			return points
		}
		terms = func(term func(i int) int64) []int64 {
			out := make([]int64, max(class.SeparatorBits(c.Class), 0))
			for i := range out {
				out[i] = term(i)
			}
			return out
		}
		parity = each(func(i int) [2]int64 { return [2]int64{int64(i % 2), int64(1 - i%2)} })
		third  = each(func(i int) [2]int64 { return [2]int64{int64(i % 3), int64((i + 1) % 3)} })
	)
	return func(yield func(string, class.Problem[X]) bool) {
		for _, n := range []struct {
			name string
			p    class.Problem[X]
		}{
			{"empty", class.Problem[X]{}},
			{"empty with a unit", class.Problem[X]{Unit: 7}},
			{"one record, 0 is right", class.Problem[X]{Points: []class.Point[X]{{X: first, Cost: [2]int64{0, 1}}}}},
			{"one record, 1 is right", class.Problem[X]{Points: []class.Point[X]{{X: last, Cost: [2]int64{1, 0}}}}},
			{"all predictions cost 0", class.Problem[X]{Points: each(func(int) [2]int64 { return [2]int64{} })}},
			{"both predictions cost the same", class.Problem[X]{Points: each(func(i int) [2]int64 { return [2]int64{int64(i), int64(i)} })}},
			{"alternating", class.Problem[X]{Points: parity}},
			{"in threes", class.Problem[X]{Points: third, Unit: 2}},
			{"duplicates that cancel", class.Problem[X]{Points: append(parity[:len(parity):len(parity)],
				each(func(i int) [2]int64 { return [2]int64{int64(1 - i%2), int64(i % 2)} })...)}},
			{"duplicates of one record", class.Problem[X]{Points: []class.Point[X]{
				{X: first, Cost: [2]int64{2, 0}}, {X: last, Cost: [2]int64{0, 3}}, {X: first, Cost: [2]int64{0, 1}}, {X: first, Cost: [2]int64{5, 5}}}}},
			{"negative costs", class.Problem[X]{Points: each(func(i int) [2]int64 { return [2]int64{-int64(i % 4), -int64((i + 2) % 5)} })}},
			{"costs of either sign", class.Problem[X]{Points: each(func(i int) [2]int64 { return [2]int64{int64(i%5) - 2, 2 - int64(i%3)} })}},
			{"terms of 0", class.Problem[X]{Points: third, Terms: terms(func(int) int64 { return 0 })}},
			{"terms without points", class.Problem[X]{Terms: terms(func(i int) int64 { return int64(i%3) - 1 })}},
			{"terms", class.Problem[X]{Points: parity, Terms: terms(func(i int) int64 { return 1 - int64(i%2)*3 })}},
			{"one term", class.Problem[X]{Points: third, Terms: terms(func(i int) int64 { return -int64((1 - min(i, 1)) * 2) })}},
			{"just too large for 32-bit cells", class.Problem[X]{Points: []class.Point[X]{
				{X: first, Cost: [2]int64{1 << 27, -1 << 27}}, {X: last, Cost: [2]int64{0, 1<<30 - 1}}}}},
			{"beyond 32-bit cells", class.Problem[X]{Points: []class.Point[X]{
				{X: first, Cost: [2]int64{0, 3 << 29}}, {X: last, Cost: [2]int64{0, 3 << 29}}}}},
			{"beyond 32-bit cells, below 0", class.Problem[X]{Points: []class.Point[X]{
				{X: first, Cost: [2]int64{3 << 29, 0}}, {X: last, Cost: [2]int64{3 << 29, 0}}}}},
			{"near the limit", class.Problem[X]{Points: []class.Point[X]{
				{X: first, Cost: [2]int64{1 << 59, -1 << 59}}, {X: last, Cost: [2]int64{-1 << 58, 1 << 58}}}}},
			{"range by one cost", class.Problem[X]{Points: []class.Point[X]{{X: first, Cost: [2]int64{1<<61 + 1, 0}}}}},
			{"range by the least integer", class.Problem[X]{Points: []class.Point[X]{{X: last, Cost: [2]int64{0, -1 << 63}}}}},
			{"range by a sum", class.Problem[X]{Points: []class.Point[X]{
				{X: first, Cost: [2]int64{1 << 60, -1 << 60}}, {X: last, Cost: [2]int64{0, 1}}}}},
		} {
			if n.p.Terms != nil && class.SeparatorBits(c.Class) < 0 {
				continue
			}
			if !yield(n.name, n.p) {
				return
			}
		}
	}
}

// Random returns a random problem whose costs fit into 62 bits.
func (c Case[X, H]) Random(draw Draw) class.Problem[X] {
	unit := []int64{1, 1, 1, 1 << 26, 1 << 40}[draw(0, 4)]
	p := class.Problem[X]{Unit: int64(draw(0, 3))}
	for range draw(0, 10) {
		p.Points = append(p.Points, class.Point[X]{
			X:    c.Domain[draw(0, len(c.Domain)-1)],
			Cost: [2]int64{unit * int64(draw(-2, 5)), unit * int64(draw(-2, 5))},
		})
	}
	if bits := class.SeparatorBits(c.Class); draw(0, 2) == 0 && bits >= 0 {
		p.Terms = make([]int64, bits)
		for i := range p.Terms {
			p.Terms[i] = unit * int64(draw(-3, 3))
		}
	}
	return p
}
