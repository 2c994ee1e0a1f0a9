package scorecard

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// decided marks, in a pattern, an attribute whose category has been decided.
const decided = ^uint16(0)

// A slot holds the records that agree on every undecided category, whatever
// their decided ones, as a table: entry i is what they cost, beyond predicting
// 0, when their undecided contributions and the offsets come to i more than the
// least they can come to.
type slot struct {
	at, n int32 // position of entry 0 in the arena; entries
}

// A builder lays out the static program of a tree: which slots merge at which
// step. Slots are numbered once, whatever the values decided, so that walking
// allocates nothing.
type builder[T cell] struct {
	axes     []axis
	slots    []slot
	patterns []uint16 // len(axes) for each slot
	hashes   []uint64
	mins     []T
	arena    []T
	live     []int32
	index    []int32 // open addressing by hash, slot number + 1
	entries  int     // of the index
	zobrist  [][]uint64
	left     int             // cells of padding before a table
	right    int             // and after it
	zeros    map[int32]int32 // the slot of an all-zero table of so many entries
	weights  []int64         // the absolute costs gathered in each slot
}

func newBuilder[T cell](axes []axis, records int) *builder[T] {
	b := &builder[T]{axes: axes, right: lanes, zeros: map[int32]int32{}}
	rng := rand.New(rand.NewPCG(1, 2)) // hash seeds: collisions are checked
	for _, a := range axes {
		if a.gauge {
			b.left = max(b.left, a.attr.hi-a.attr.lo)
		}
		z := make([]uint64, a.attr.categories+1)
		for c := range z {
			z[c] = rng.Uint64()
		}
		b.zobrist = append(b.zobrist, z)
	}
	b.right = max(b.right, b.left)
	size := 16
	for size < 4*records {
		size *= 2
	}
	b.index = make([]int32, size)
	return b
}

// digit numbers the state of attribute j in a pattern.
func digit(c uint16) int {
	if c == decided {
		return 0
	}
	return int(c) + 1
}

// pattern returns the pattern of slot id.
func (b *builder[T]) pattern(id int32) []uint16 {
	k := len(b.axes)
	return b.patterns[int(id)*k : int(id)*k+k]
}

// shape returns the least total that the undecided part of a pattern can
// reach, and how many totals from there on.
func (b *builder[T]) shape(pattern []uint16) (lo, n int) {
	hi := 0
	for j, c := range pattern {
		a := &b.axes[j]
		switch {
		case c != decided:
			l, h := a.attr.bounds(int(c))
			lo, hi = lo+l, hi+h
		case a.gauge:
			lo, hi = lo+a.attr.lo, hi+a.attr.hi
		}
	}
	return lo, hi - lo + 1
}

// add makes a new slot of n entries with a padded table, all of whose cells
// hold the padding. Without a pattern it is found by its number only.
func (b *builder[T]) add(pattern []uint16, hash uint64, n int32) int32 {
	id := int32(len(b.slots))
	at := len(b.arena) + b.left
	for range b.left + int(n+lanes-1)/lanes*lanes + b.right {
		b.arena = append(b.arena, pad[T]())
	}
	if pattern == nil {
		pattern = make([]uint16, len(b.axes))
	}
	b.slots = append(b.slots, slot{at: int32(at), n: n})
	b.patterns = append(b.patterns, pattern...)
	b.hashes = append(b.hashes, hash)
	b.mins = append(b.mins, 0)
	b.weights = append(b.weights, 0)
	return id
}

// table returns the table of slot id.
func (b *builder[T]) table(id int32) []T {
	s := b.slots[id]
	return b.arena[s.at : s.at+s.n]
}

// zero returns a slot whose table is all 0, with n entries; any first total.
func (b *builder[T]) zero(n int32) int32 {
	id, ok := b.zeros[n]
	if !ok {
		id = b.add(nil, 0, n)
		clear(b.table(id))
		b.zeros[n] = id
	}
	return id
}

// find returns the place in the index of the slot whose pattern is that of u
// with attribute j in state c.
func (b *builder[T]) find(u int32, j int, c uint16) (hash uint64, place int) {
	p := b.pattern(u)
	hash = b.hashes[u] - b.zobrist[j][digit(p[j])] + b.zobrist[j][digit(c)]
	mask := len(b.index) - 1
next:
	for place = int(hash>>20) & mask; b.index[place] != 0; place = (place + 1) & mask {
		id := b.index[place] - 1
		if b.hashes[id] != hash {
			continue
		}
		q := b.pattern(id)
		if q[j] != c {
			continue
		}
		for i := range q {
			if i != j && q[i] != p[i] {
				continue next
			}
		}
		break
	}
	return hash, place
}

// put enters slot id at a place of the index that find returned.
func (b *builder[T]) put(place int, id int32) {
	if b.index[place] == 0 {
		b.entries++
	}
	b.index[place] = id + 1
	if 2*b.entries <= len(b.index) {
		return
	}
	old := b.index
	b.index = make([]int32, 2*len(old))
	mask := len(b.index) - 1
	for _, e := range old {
		if e != 0 {
			place := int(b.hashes[e-1]>>20) & mask
			for b.index[place] != 0 {
				place = (place + 1) & mask
			}
			b.index[place] = e
		}
	}
}

// record puts a record of the table in its slot at the start: d is what
// predicting 1 costs it more than predicting 0.
func (b *builder[T]) record(x []uint16, d int64, threshold int) {
	k := len(b.axes)
	b.patterns = append(b.patterns, x...) // as a scratch pattern behind the last slot
	scratch := int32(len(b.slots))
	hash := uint64(0)
	for j := range b.axes {
		p := b.pattern(scratch)
		if b.axes[j].gauge && int(p[j]) == b.axes[j].ref {
			p[j] = decided
		}
		hash += b.zobrist[j][digit(p[j])]
	}
	b.hashes = append(b.hashes, hash)
	_, place := b.find(scratch, 0, b.pattern(scratch)[0])
	pattern := slices.Clone(b.pattern(scratch))
	b.patterns, b.hashes = b.patterns[:int(scratch)*k], b.hashes[:scratch]
	lo, n := b.shape(pattern)
	id := b.index[place] - 1
	if id < 0 {
		id = b.add(pattern, hash, int32(n))
		clear(b.table(id))
		b.put(place, id)
		b.live = append(b.live, id)
	}
	table := b.table(id)
	for i := max(threshold-lo, 0); i < len(table); i++ {
		table[i] += T(d)
	}
	b.mins[id] = slices.Min(table)
	b.weights[id] += max(d, -d)
}

// merges returns the merges of deciding each undecided category of the live
// slots, out[j][c], with results that go to the slot scratch.
func (b *builder[T]) merges(scratch int32) [][][]merge {
	out := make([][][]merge, len(b.axes))
	for j := range out {
		out[j] = make([][]merge, b.axes[j].attr.categories)
	}
	for _, u := range b.live {
		su := b.slots[u]
		for j, c := range b.pattern(u) {
			if c == decided {
				continue
			}
			n, shift := su.n, int32(0)
			if a := &b.axes[j]; !a.gauge {
				l, h := a.attr.bounds(int(c))
				n, shift = su.n-int32(h-l), -int32(l)
			}
			z := b.zero(n)
			if _, place := b.find(u, j, decided); b.index[place] != 0 {
				z = b.index[place] - 1
			}
			out[j][c] = append(out[j][c], merge{
				u: su.at + shift, z: b.slots[z].at, out: b.slots[scratch].at,
				uMin: u, zMin: z, outMin: scratch,
				cells: (n + lanes - 1) / lanes * lanes,
			})
		}
	}
	return out
}

// commit makes slots for the results of the merges of attribute j, which take
// the places of those merged. It sorts the merges, heaviest first, so that a
// search with a limit stops early.
func (b *builder[T]) commit(ops []merge, j int) {
	slices.SortStableFunc(ops, func(m, o merge) int {
		return cmp.Compare(min(b.weights[o.uMin], b.weights[o.zMin]), min(b.weights[m.uMin], b.weights[m.zMin]))
	})
	gone := make(map[int32]bool, 2*len(ops))
	for i := range ops {
		m := &ops[i]
		p := slices.Clone(b.pattern(m.uMin))
		hash, place := b.find(m.uMin, j, decided)
		p[j] = decided
		m.outMin = b.add(p, hash, b.slots[m.zMin].n)
		m.out = b.slots[m.outMin].at
		b.weights[m.outMin] = b.weights[m.uMin] + b.weights[m.zMin]
		gone[m.uMin], gone[m.zMin] = true, true
		b.put(place, m.outMin)
		b.live = append(b.live, m.outMin)
	}
	b.live = slices.DeleteFunc(b.live, func(id int32) bool { return gone[id] })
}
