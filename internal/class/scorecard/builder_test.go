package scorecard

import (
	"math/rand/v2"
	"testing"
)

// No merge reads outside the readable part of the arena, for any value, any order of the steps, and
// any last table.
func TestMergesStayInTheArena(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var axes []axis
		norm, most := 0, 5 // points are below 5
		if seed%3 == 1 {
			norm = 1 + rng.IntN(20)
			if seed%2 == 0 { // shifts longer than the lanes of a vector kernel
				norm, most = 1+rng.IntN(1<<10), 33
			}
		}
		for range 1 + rng.IntN(3) {
			a := newAxis(OneHot(1+rng.IntN(4), -rng.IntN(most), rng.IntN(most)), -1, 0)
			if seed%3 == 0 {
				a.refCoded, a.ref = true, 0
			}
			axes = append(axes, a)
		}
		var records []record
		for range 1 + rng.IntN(20) {
			r := record{d: rng.Int64N(9) - 4}
			for _, a := range axes {
				r.x = append(r.x, uint16(rng.IntN(a.attr.categories)))
			}
			records = append(records, r)
		}
		b := newBuilder[int32](axes, records, 1, norm)
		scratch := b.add(-1, 1, totalRange{})
		candidates := make([][]candidate[int32], len(axes))
		var open []*candidate[int32]
		for j, a := range axes {
			for c := range a.attr.categories {
				candidates[j] = append(candidates[j], candidate[int32]{attribute: j, category: c})
			}
			for c := range candidates[j] {
				if c != a.ref {
					open = append(open, &candidates[j][c])
				}
			}
		}
		rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		for _, next := range open {
			b.collectMerges(candidates, scratch)
			for _, c := range open {
				checkReads(t, seed, b, c)
			}
			if !next.empty() {
				b.commit(next)
			}
		}
	}
}

// checkReads checks the ranges that the candidate's merges read, for all values.
func checkReads(t *testing.T, seed uint64, b *builder[int32], c *candidate[int32]) {
	t.Helper()
	readable := len(b.arena) + paddedSize(b.span)
	if cap(b.arena) < readable {
		t.Fatalf("seed %d: %d cells are readable of %d", seed, cap(b.arena), readable)
	}
	a := &b.axes[c.attribute]
	for _, v := range a.values(a.start(), c.category) {
		for _, bt := range c.batches {
			for _, m := range bt.merges {
				if from, to := int(m.u)+v, int(m.u)+v+bt.cells; from < 0 || to > readable {
					t.Fatalf("seed %d: a merge reads cells %d to %d of %d", seed, from, to, readable)
				}
			}
		}
	}
}

// A mask admits only the entries that the shifted table has. Cells after the end of either table
// must not lower a bound.
func TestMasksEndWithTheirTables(t *testing.T) {
	for _, w := range []readRange{
		{n: 5, tableSize: 5, lo: -2, hi: 2},
		{n: 3, from: 1, tableSize: 5, lo: -1, hi: 1},
		{n: 3, from: 2, tableSize: 4, lo: -3, hi: 3},
		{n: lanes, tableSize: lanes, lo: -1, hi: 1},
	} {
		b := &builder[int32]{masks: map[readRange][]int32{}}
		mask := b.mask(w)
		for v := w.lo; v <= w.hi; v++ {
			for k := range paddedSize(int(w.n)) {
				at := int(w.from) + v + k
				has := k < int(w.n) && 0 <= at && at < int(w.tableSize)
				if got := mask[(v-w.lo)*paddedSize(int(w.n))+k]; has != (got == never[int32]()) || !has && got != pad[int32]() {
					t.Errorf("%+v, value %d, entry %d: %d", w, v, k, got)
				}
			}
		}
	}
}
