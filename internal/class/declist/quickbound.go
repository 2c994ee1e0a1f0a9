package declist

import (
	"math"
	"math/bits"
)

// quickBound bounds the cost of the lists that extend the prefix of frame f by one rule, if only
// one more rule is allowed. If the result is greater than the parameter limit, it is a lower bound
// on the cost of all these lists. Otherwise, no lower bound above the limit was found.
//
// quickBound avoids adding up the records that remain after the prefix, which would take long. Let
// a be the antecedent of the last rule of the prefix. The sums before this rule exclude most
// antecedents b for the new rule. For every other b, quickBound subtracts the records that satisfy
// both a and b.
func (w *walker) quickBound(f *frame, limit int64) int64 {
	t, above := w.t, w.levels[f.rules-1]
	a := f.antecedent
	w.findCaptured(above.records, a)
	least := int64(math.MaxInt64)
	for z := range 2 {
		y := 1 - z
		first := 0
		if y == f.label {
			first = a + 1
		}
		charge := t.charges.leastFirst[f.rules+1] - t.charges.leastFirst[f.rules]
		floor := f.settled + charge + f.left[z] // the cost if the new rule saves nothing
		capturedSum := above.sums[a][y]
		for b := first; b < len(above.sums); b++ {
			s := above.sums[b]
			cost := floor - s[z] + max(0, s[y]-capturedSum)
			if cost > limit && cost >= least || w.uses(b) {
				continue
			}
			if cost <= limit {
				both := w.capturedByBoth(b)
				cost = f.settled + t.charges.of(f.rules, b, y) + f.left[z] - (s[z] - both[z]) + s[y] - both[y]
				if cost <= limit {
					return cost
				}
			}
			least = min(least, cost)
		}
	}
	return least
}

// findCaptured sets w.captured to the set of those of the given records that satisfy antecedent a.
func (w *walker) findCaptured(records bitset, a int) {
	p, q := w.t.class.antecedents[a][0], w.t.class.antecedents[a][1]
	for i, u := range records {
		u &= w.t.masks[p][i]
		if q != none {
			u &= w.t.masks[q][i]
		}
		w.captured[i] = u
	}
}

// capturedByBoth returns the sum of the costs of those records of w.captured that satisfy
// antecedent b.
func (w *walker) capturedByBoth(b int) (s sum) {
	p, q := w.t.class.antecedents[b][0], w.t.class.antecedents[b][1]
	for i, u := range w.captured {
		if u == 0 {
			continue
		}
		u &= w.t.masks[p][i]
		if q != none {
			u &= w.t.masks[q][i]
		}
		for ; u != 0; u &= u - 1 {
			e := &w.t.records[i*64+bits.TrailingZeros64(u)].excess
			s[0] += e[0]
			s[1] += e[1]
		}
	}
	return s
}
