package declist

import (
	"math"
	"math/bits"
)

// glance looks for a list of one rule more, the last that there may be, that
// costs at most limit, and returns either a number up to limit or one above it
// that none of these lists is below. It spares summing up the records that are
// left: most antecedents b are ruled out by their sums before the last rule,
// with antecedent a, and the sums of those that are not are corrected by the
// records that a and b both capture.
func (w *walker) glance(f *frame, limit int64) int64 {
	t, above := w.t, w.levels[f.rules-1]
	a := f.antecedent
	w.capture(above.records, a)
	least := int64(math.MaxInt64)
	for z := range 2 {
		y := 1 - z
		first := 0
		if y == f.label {
			first = a + 1
		}
		charge := t.charges.least[f.rules+1] - t.charges.least[f.rules]
		floor := f.paid + charge + f.left[z] // with nothing saved
		taken := above.sums[a][y]
		for b := first; b < len(above.sums); b++ {
			s := above.sums[b]
			cost := floor - s[z] + max(0, s[y]-taken)
			if cost > limit && cost >= least || w.uses(b) {
				continue
			}
			if cost <= limit {
				both := w.both(b)
				cost = f.paid + t.charges.of(f.rules, b, y) + f.left[z] - (s[z] - both[z]) + s[y] - both[y]
				if cost <= limit {
					return cost
				}
			}
			least = min(least, cost)
		}
	}
	return least
}

// capture sets gone to the records of a set that satisfy antecedent a.
func (w *walker) capture(records bitset, a int) {
	p, q := w.t.class.antecedents[a][0], w.t.class.antecedents[a][1]
	for i, u := range records {
		u &= w.t.masks[p][i]
		if q != none {
			u &= w.t.masks[q][i]
		}
		w.gone[i] = u
	}
}

// both sums up the records of gone that satisfy antecedent b.
func (w *walker) both(b int) (s sum) {
	p, q := w.t.class.antecedents[b][0], w.t.class.antecedents[b][1]
	for i, u := range w.gone {
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
