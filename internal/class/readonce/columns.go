package readonce

import "math/bits"

// columns holds the input bits of a list of points, one column for each input: bit r mod 64 of word
// r/64 of column i is input i of point r.
type columns [][]uint64

// newColumns returns the columns of n points with d inputs, all of which are 0.
func newColumns(d, n int) columns {
	c := make(columns, d)
	for i := range c {
		c[i] = make([]uint64, (n+63)/64)
	}
	return c
}

// set sets input i of point r to 1.
func (c columns) set(i, r int) { c[i][r/64] |= 1 << (r % 64) }

// bit reports whether input i of point r is 1.
func (c columns) bit(i, r int) bool { return c[i][r/64]>>(r%64)&1 == 1 }

// An evaluator evaluates formulas on many points, 64 points at a time.
type evaluator struct {
	gate    Gate
	columns columns
	level   [][]uint64 // the values of the nodes at the current height of the tree, for all points
	gates   [][]uint64 // memory for the values of gates
}

func newEvaluator(g Gate, c columns) *evaluator {
	e := &evaluator{gate: g, columns: c, level: make([][]uint64, mostLeaves)}
	for range mostLeaves / g.arity() {
		e.gates = append(e.gates, make([]uint64, len(c[0])))
	}
	return e
}

// labels returns the values of a formula on all points. The parameter inputs lists the inputs at
// the leaves of the formula. The result is valid until the next call. Bits after the last point are
// unspecified.
func (e *evaluator) labels(inputs []int) []uint64 {
	level := e.level[:len(inputs)]
	for leaf, i := range inputs {
		level[leaf] = e.columns[i]
	}
	for len(level) > 1 {
		n := len(level) / e.gate.arity()
		for g := range n {
			out := e.gates[g]
			if e.gate == Majority {
				majority(out, level[3*g], level[3*g+1], level[3*g+2])
			} else {
				nand(out, level[2*g], level[2*g+1])
			}
			level[g] = out
		}
		level = level[:n]
	}
	return level[0]
}

func majority(out, a, b, c []uint64) {
	a, b, c = a[:len(out)], b[:len(out)], c[:len(out)]
	for w := range out {
		out[w] = a[w]&b[w] | c[w]&(a[w]|b[w])
	}
}

func nand(out, a, b []uint64) {
	a, b = a[:len(out)], b[:len(out)]
	for w := range out {
		out[w] = ^(a[w] & b[w])
	}
}

// A weightedSum computes the total weight of any set of points with given weights.
type weightedSum []plane

// A plane holds the points whose weights have the same sign, and whose absolute weights have a 1 at
// the same binary digit. The field bits is this set of points as a bit set, without the zero words
// at both ends. The field start is the index of its first word among the words of all points.
type plane struct {
	value int64 // the value of the digit, negative for negative weights
	start int
	bits  []uint64
}

// newWeightedSum returns the weightedSum for points with the given weights. The absolute values of
// the weights must sum to less than 2^63. Sums are computed faster if points are sorted by weight.
func newWeightedSum(weights []int64) weightedSum {
	divisor := uint64(0)
	for _, w := range weights {
		divisor = gcd(divisor, magnitude(w))
	}
	var t weightedSum
	for _, sign := range []int64{1, -1} {
		for power := range 63 {
			p := plane{value: sign * int64(divisor<<power)}
			words := make([]uint64, (len(weights)+63)/64)
			for r, w := range weights {
				if (w < 0) == (sign < 0) && w != 0 && magnitude(w)/divisor>>power&1 == 1 {
					words[r/64] |= 1 << (r % 64)
				}
			}
			end := len(words)
			for end > 0 && words[end-1] == 0 {
				end--
			}
			for p.start < end && words[p.start] == 0 {
				p.start++
			}
			if p.bits = words[p.start:end]; len(p.bits) > 0 {
				t = append(t, p)
			}
		}
	}
	return t
}

// sum returns the sum of the weights of the points in the set.
func (t weightedSum) sum(set []uint64) int64 {
	sum := int64(0)
	for _, p := range t {
		n := 0
		part := set[p.start : p.start+len(p.bits)]
		for w, in := range p.bits {
			n += bits.OnesCount64(in & part[w])
		}
		sum += int64(n) * p.value
	}
	return sum
}

func magnitude(w int64) uint64 {
	if w < 0 {
		return uint64(-w)
	}
	return uint64(w)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
