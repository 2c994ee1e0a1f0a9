package conjunction

import (
	"math/bits"
	"slices"
)

// A liveSet holds the live records of a node of the search tree, merged by pattern (see patterns).
// The field ids lists the numbers of the patterns at the level of the node, in ascending order.
// d[i] is the sum of the cost differences d (see records) of the records with pattern ids[i]. A
// pattern whose sum is 0 is omitted.
type liveSet struct {
	ids []int32
	d   []int64
}

func (f liveSet) slice(from, to int32) liveSet { return liveSet{f.ids[from:to], f.d[from:to]} }

func (f liveSet) clone() liveSet { return liveSet{slices.Clone(f.ids), slices.Clone(f.d)} }

// divide finds, for each atom of the next axis, where the patterns of f with this atom begin.
// Patterns with the same atom are consecutive, and starts[a] is the least number of a pattern with
// atom a. To the list from, divide appends for each atom the index in f of the first pattern with
// this atom, and finally the number of patterns of f.
func (f liveSet) divide(starts, from []int32) []int32 {
	at := 0
	for _, start := range starts {
		for at < len(f.ids) && f.ids[at] < start {
			at++
		}
		from = append(from, int32(at))
	}
	return from
}

func (f *liveSet) clear() { f.ids, f.d = f.ids[:0], f.d[:0] }

func (f *liveSet) add(id int32, d int64) {
	f.ids = append(f.ids, id)
	f.d = append(f.d, d)
}

// total returns the sum of the cost differences d of all records of the live set.
func (f liveSet) total() (sum int64) {
	for _, d := range f.d {
		sum += d
	}
	return sum
}

// negative returns the sum of the negative cost differences d of the patterns of the live set.
func (f liveSet) negative() (sum int64) {
	for _, d := range f.d {
		sum += min(d, 0)
	}
	return sum
}

// A merger adds up several live sets into one live set of the next level of the search tree. The
// array sums has one entry for each pattern of that level. The bit sets touched and words mark the
// entries in use, so the time of a merge depends only on the number of live patterns.
type merger struct {
	sums    []int64
	touched []uint64
	words   []uint64 // bit w is set if touched[w] is not 0
}

// newMerger returns a merger for the live sets of levels with at most n patterns.
func newMerger(n int) *merger {
	words := (n + 63) / 64
	return &merger{make([]int64, n), make([]uint64, words), make([]uint64, (words+63)/64)}
}

// add adds the live set f to the sums. The patterns of f get new numbers at the next level: pattern
// id becomes pattern next[id].
func (m *merger) add(f liveSet, next []int32) {
	for i, id := range f.ids {
		n := next[id]
		m.sums[n] += f.d[i]
		m.touched[n>>6] |= 1 << (n & 63)
		m.words[n>>12] |= 1 << (n >> 6 & 63)
	}
}

// drain stores the sum of all live sets added so far in the live set into, and resets the merger.
func (m *merger) drain(into *liveSet) {
	into.clear()
	for i, words := range m.words {
		for ; words != 0; words &= words - 1 {
			w := i<<6 | bits.TrailingZeros64(words)
			for set := m.touched[w]; set != 0; set &= set - 1 {
				n := w<<6 | bits.TrailingZeros64(set)
				if d := m.sums[n]; d != 0 {
					into.add(int32(n), d)
				}
				m.sums[n] = 0
			}
			m.touched[w] = 0
		}
		m.words[i] = 0
	}
}

// advance computes the live set of the next level if all patterns of f have the same atom on the
// current axis. Then no two of them merge, and only their numbers change. advance stores the result
// in the live set into.
func (f liveSet) advance(next []int32, into *liveSet) {
	into.clear()
	for i, id := range f.ids {
		into.add(next[id], f.d[i])
	}
}
