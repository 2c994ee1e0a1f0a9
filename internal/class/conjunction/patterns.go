package conjunction

import "slices"

// patterns numbers the distinct patterns of the records at every level of a search that decides one
// axis after another. The pattern of a record at level k is the tuple of its atoms on the axes
// order[k], order[k+1], …. Patterns are numbered in lexicographic order. So the patterns with the
// same atom on the next axis are consecutive, and they have the same order at the next level.
type patterns struct {
	root   []int32   // the pattern number of each record at level 0
	starts [][]int32 // starts[level][a] is the first pattern with atom a on the next axis; the last entry is the number of patterns
	next   [][]int32 // pattern n becomes pattern next[level][n] of the next level
}

// newPatterns numbers the patterns of the records r for a search that decides the axes in the given
// order. It sorts the records once for each axis, by counting sort.
func newPatterns(axes []axis, r records, order []int) *patterns {
	n := len(r.d)
	p := &patterns{
		root:   make([]int32, n),
		starts: make([][]int32, len(order)),
		next:   make([][]int32, len(order)),
	}
	sorted, spare := make([]int32, n), make([]int32, n)
	for i := range sorted {
		sorted[i] = int32(i)
	}
	for level := len(order) - 1; level >= 0; level-- {
		x, atoms := &axes[order[level]], r.atoms[order[level]]
		at := make([]int32, x.atoms+1)
		for _, a := range atoms {
			at[a+1]++
		}
		for a := range x.atoms {
			at[a+1] += at[a]
		}
		for _, i := range sorted {
			a := atoms[i]
			spare[at[a]] = i
			at[a]++
		}
		sorted, spare = spare, sorted
		p.number(level, sorted, atoms, x.atoms)
	}
	return p
}

// number assigns numbers to the patterns of the given level. The patterns of the later levels must
// have numbers already. The parameter sorted holds the records in the order of their patterns at
// this level. On entry, p.root[i] is the number of the pattern of record i at the next level. On
// return, it is the number at this level.
func (p *patterns) number(level int, sorted []int32, atoms []uint16, n int) {
	starts := make([]int32, n+1)
	var next []int32
	lastAtom, lastBelow := -1, int32(-1)
	for _, i := range sorted {
		a, below := int(atoms[i]), p.root[i]
		if a != lastAtom || below != lastBelow {
			next = append(next, below)
			lastAtom, lastBelow = a, below
			starts[a+1]++
		}
		p.root[i] = int32(len(next) - 1)
	}
	for a := range n {
		starts[a+1] += starts[a]
	}
	p.starts[level], p.next[level] = starts, next
}

// size returns the number of distinct patterns of the records at a level. After the last axis there
// is one pattern.
func (p *patterns) size(level int) int {
	if level == len(p.next) {
		return 1
	}
	return len(p.next[level])
}

// widest returns the maximum number of patterns at a level other than level 0.
func (p *patterns) widest() int {
	most := 1
	for level := 1; level < len(p.next); level++ {
		most = max(most, p.size(level))
	}
	return most
}

// gather returns the live set of all records at level 0. The parameter d holds the cost difference
// of each record.
func (p *patterns) gather(d []int64) liveSet {
	sums := make([]int64, p.size(0))
	for i, id := range p.root {
		sums[id] += d[i]
	}
	var f liveSet
	for id, d := range sums {
		if d != 0 {
			f.add(int32(id), d)
		}
	}
	return f
}

// atoms returns, for every pattern of the given level, its atom on the axis that is decided at
// level k, which must not precede the given level.
func (p *patterns) atoms(level, k int) []uint16 {
	out := make([]uint16, p.size(level))
	for id := range out {
		n := int32(id)
		for l := level; l < k; l++ {
			n = p.next[l][n]
		}
		a, _ := slices.BinarySearch(p.starts[k], n+1)
		out[id] = uint16(a - 1)
	}
	return out
}
