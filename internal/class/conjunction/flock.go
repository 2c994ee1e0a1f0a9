package conjunction

import (
	"math/bits"
	"slices"
)

// A flock is the records that live at a node, merged by their patterns: the
// patterns' numbers at the node's level, ascending, and the sum of d over the
// records of each, never 0.
type flock struct {
	ids []int32
	d   []int64
}

func (f flock) slice(from, to int32) flock { return flock{f.ids[from:to], f.d[from:to]} }

func (f flock) clone() flock { return flock{slices.Clone(f.ids), slices.Clone(f.d)} }

// divide appends where the part of each atom on the next axis begins, and the
// end; starts are the first numbers of these atoms.
func (f flock) divide(starts, from []int32) []int32 {
	at := 0
	for _, start := range starts {
		for at < len(f.ids) && f.ids[at] < start {
			at++
		}
		from = append(from, int32(at))
	}
	return from
}

func (f *flock) clear() { f.ids, f.d = f.ids[:0], f.d[:0] }

func (f *flock) add(id int32, d int64) {
	f.ids = append(f.ids, id)
	f.d = append(f.d, d)
}

// total returns the sum over all, and negative that over those below 0.
func (f flock) total() (sum int64) {
	for _, d := range f.d {
		sum += d
	}
	return sum
}

func (f flock) negative() (sum int64) {
	for _, d := range f.d {
		sum += min(d, 0)
	}
	return sum
}

// A merger merges flocks into one of the level below. It sums in a table over
// all the patterns of that level, and finds what it has touched by two levels
// of bit sets, so that a small flock costs little.
type merger struct {
	sums    []int64
	touched []uint64
	words   []uint64 // which words of touched are not 0
}

// newMerger returns a merger for levels of at most n patterns.
func newMerger(n int) *merger {
	words := (n + 63) / 64
	return &merger{make([]int64, n), make([]uint64, words), make([]uint64, (words+63)/64)}
}

// add puts a flock in, whose patterns become next[id].
func (m *merger) add(f flock, next []int32) {
	for i, id := range f.ids {
		n := next[id]
		m.sums[n] += f.d[i]
		m.touched[n>>6] |= 1 << (n & 63)
		m.words[n>>12] |= 1 << (n >> 6 & 63)
	}
}

// drain takes everything out, into a flock that is empty.
func (m *merger) drain(into *flock) {
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

// lower sets into to a flock of one atom at the level below: nothing merges.
func (f flock) lower(next []int32, into *flock) {
	into.clear()
	for i, id := range f.ids {
		into.add(next[id], f.d[i])
	}
}
