package declist

import (
	"math"
	"math/bits"
)

// A level holds sums of costs over the records that no rule of a prefix captures. The bounds of the
// prefixes with one more rule are computed from these sums.
type level struct {
	records   bitset
	cells     []sum         // [cell]: the sum over its records in U
	sums      []sum         // [antecedent]: the sum over the records in U that satisfy it
	row       []sum         // scratch memory of fold
	kth       [2][]int64    // [z][n]: the n-th largest of the sums[·][z], for n ≥ 1
	topSums   [2][]int64    // [z][n]: the sum of the n largest of the sums[·][z]
	lastRules [2][]lastRule // [z]: if exactly two rules may follow the prefix, the candidates for the second one
}

// newLevel returns an empty level for the prefixes of d rules.
func (t *tree) newLevel(d int) *level {
	lv := &level{
		records: newBitset(len(t.records)),
		cells:   make([]sum, t.layout.cells),
	}
	if !t.identity {
		lv.sums = make([]sum, len(t.class.antecedents))
		lv.row = make([]sum, t.widest())
	}
	// After a child of the node "more", at most K-d-1 rules follow. One of the largest sums may be
	// that of the child's antecedent, so one additional sum is kept.
	for z := range 2 {
		lv.kth[z] = make([]int64, t.rules-d+1)
		lv.topSums[z] = make([]int64, t.rules-d+1)
	}
	return lv
}

// fill computes the sums of costs of the level, and all its other fields, from lv.records.
func (lv *level) fill(t *tree) {
	clear(lv.cells)
	lv.addRecords(t, lv.records, 1)
	lv.update(t)
}

// addRecords adds the costs of the records in set, multiplied by sign, to lv.cells. The sign is 1,
// or -1 to subtract the costs.
func (lv *level) addRecords(t *tree, set bitset, sign int64) {
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			r := &t.records[i*64+bits.TrailingZeros64(word)]
			t.add(lv.cells, r.x, sum{sign * r.excess[0], sign * r.excess[1]})
		}
	}
}

// shrink computes the level of a prefix from the level above, that of the prefix without its last
// rule. The parameter captured holds the records that this rule captures. shrink either adds up the
// remaining records or subtracts the captured ones, whichever are fewer.
func (lv *level) shrink(t *tree, above *level, captured bitset) {
	staying, going := 0, 0
	for i, u := range above.records {
		lv.records[i] = u &^ captured[i]
		staying += bits.OnesCount64(lv.records[i])
		going += bits.OnesCount64(captured[i])
	}
	if staying < going {
		lv.fill(t)
		return
	}
	copy(lv.cells, above.cells)
	lv.addRecords(t, captured, -1)
	lv.update(t)
}

// update computes the other fields of the level from the sums by cell: the sums by antecedent, and
// the largest of these sums.
func (lv *level) update(t *tree) {
	lv.sums = t.fold(lv.cells, lv.sums, lv.row)
	for z := range 2 {
		largest(lv.sums, z, lv.kth[z])
		for n := 1; n < len(lv.topSums[z]); n++ {
			lv.topSums[z][n] = lv.topSums[z][n-1] + lv.kth[z][n]
		}
		if len(lv.kth[z]) == 3 {
			lv.findLastRules(z)
		}
	}
}

// largest finds the largest positive values of sums[·][z] and writes them to kth[1:] in descending
// order. If there are fewer than len(kth)-1 of them, zeros follow.
func largest(sums []sum, z int, kth []int64) {
	clear(kth)
	kth[0] = math.MaxInt64
	last := len(kth) - 1
	for i := range sums {
		v := sums[i][z]
		if v <= kth[last] {
			continue
		}
		n := last
		for ; kth[n-1] < v; n-- {
			kth[n] = kth[n-1]
		}
		kth[n] = v
	}
}

// leftAfter returns a lower bound on the cost of predicting the default z for the records that no
// rule captures, in the lists that extend the prefix of the level by a rule with antecedent a, and
// then by n ≥ 1 further rules with other antecedents. The parameter left is the cost of label z on
// the records that remain before the n further rules. Of these rules, one with label 1-z and
// antecedent b lowers this cost by at most sums[b][z].
//
// If lastRules is set, n is 1. Then the bound also counts the cost of the records that the further
// rule mislabels.
func (lv *level) leftAfter(a, z int, left int64, n int) int64 {
	if lv.lastRules[z] != nil {
		return max(0, left-lv.lastSaving(a, z))
	}
	v, top := lv.sums[a][z], lv.topSums[z][n]
	if v >= lv.kth[z][n] {
		top = lv.topSums[z][n+1] - v
	}
	return max(0, left-top)
}
