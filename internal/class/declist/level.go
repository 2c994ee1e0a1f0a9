package declist

import (
	"math"
	"math/bits"
)

// A level holds sums over the records U that a prefix of d rules leaves
// uncaptured: what all children of the node "more" below it need.
type level struct {
	records bitset
	cells   []sum
	sums    []sum      // of each antecedent, over the records of U that satisfy it
	row     []sum      // for fold
	kth     [2][]int64 // [z][n]: the n-th largest sums[·][z], n ≥ 1, falling
	tops    [2][]int64 // [z][n]: the sum of the n largest
	fronts  [2][]rival // [z]: with two rules to go, what the second may be
}

// newLevel returns a level for prefixes of d rules.
func (t *tree) newLevel(d int) *level {
	lv := &level{
		records: newBitset(len(t.records)),
		cells:   make([]sum, t.layout.cells),
	}
	if !t.plain {
		lv.sums = make([]sum, len(t.class.antecedents))
		lv.row = make([]sum, t.widest())
	}
	// Behind a child there are K-d-1 more rules at most; one of the largest sums
	// may be the child's own.
	for z := range 2 {
		lv.kth[z] = make([]int64, t.rules-d+1)
		lv.tops[z] = make([]int64, t.rules-d+1)
	}
	return lv
}

// fill sums up the records of U.
func (lv *level) fill(t *tree) {
	clear(lv.cells)
	lv.sweep(t, lv.records, 1)
	lv.finish(t)
}

// sweep adds the records of a set, or takes them away.
func (lv *level) sweep(t *tree, set bitset, sign int64) {
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			r := &t.records[i*64+bits.TrailingZeros64(word)]
			t.add(lv.cells, r.x, sum{sign * r.excess[0], sign * r.excess[1]})
		}
	}
}

// leave makes the level that of the prefix above with one more rule, which
// captures the records that are gone. It sums up what stays or takes away what
// goes, whichever is less.
func (lv *level) leave(t *tree, above *level, gone bitset) {
	staying, going := 0, 0
	for i, u := range above.records {
		lv.records[i] = u &^ gone[i]
		staying += bits.OnesCount64(lv.records[i])
		going += bits.OnesCount64(gone[i])
	}
	if staying < going {
		lv.fill(t)
		return
	}
	copy(lv.cells, above.cells)
	lv.sweep(t, gone, -1)
	lv.finish(t)
}

// finish makes the sums over antecedents and the largest of them.
func (lv *level) finish(t *tree) {
	lv.sums = t.fold(lv.cells, lv.sums, lv.row)
	for z := range 2 {
		largest(lv.sums, z, lv.kth[z])
		for n := 1; n < len(lv.tops[z]); n++ {
			lv.tops[z][n] = lv.tops[z][n-1] + lv.kth[z][n]
		}
		if len(lv.kth[z]) == 3 {
			lv.face(z)
		}
	}
}

// largest writes the largest sums[·][z] to kth[1:], in falling order; there may
// be fewer than asked for, and then 0.
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

// behind returns a bound on what n ≥ 1 more rules leave of the cost left of
// default z, if none of them has antecedent a: each of those labelled other
// than z saves its own sum at most. A single one pays for those that label z
// would be right for, too.
func (lv *level) behind(a, z int, left int64, n int) int64 {
	if lv.fronts[z] != nil {
		return max(0, left-lv.saving(a, z))
	}
	v, top := lv.sums[a][z], lv.tops[z][n]
	if v >= lv.kth[z][n] {
		top = lv.tops[z][n+1] - v
	}
	return max(0, left-top)
}
