package scorecard

import (
	"cmp"
	"maps"
	"math"
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
	patterns *patterns
	holders  []int32 // of each pattern: the slot that holds its records, or -1
	slots    []slot
	held     []int32 // of each slot: its pattern
	weights  []int64 // of each slot: the absolute costs gathered in it
	mins     []T
	arena    []T
	live     []int32 // the slots that hold records
	span     int     // the furthest that a merge shifts a table beyond an end, at least 1
	zeros    map[int32]int32
	masks    map[int32][]T
}

func newBuilder[T cell](axes []axis, records []record, threshold int) *builder[T] {
	b := &builder[T]{
		axes: axes, patterns: newPatterns(axes, len(records)),
		zeros: map[int32]int32{}, masks: map[int32][]T{},
	}
	for _, a := range axes {
		if a.gauge {
			b.span = max(b.span, a.attr.hi-a.attr.lo)
		}
	}
	// Off the gauge, too, a table read from a shift on, in whole lanes, goes
	// beyond its end.
	b.span = max(b.span, 1)
	b.arena = make([]T, room(b.span))
	pattern := make([]uint16, len(axes))
	for _, r := range records {
		for j, c := range r.x {
			pattern[j] = c
			if axes[j].gauge && int(c) == axes[j].ref {
				pattern[j] = decided
			}
		}
		b.record(pattern, r.d, threshold)
	}
	return b
}

// fork returns a builder that goes on from the same state on its own.
func (b *builder[T]) fork() *builder[T] {
	f := *b
	f.holders, f.slots, f.held = slices.Clone(b.holders), slices.Clone(b.slots), slices.Clone(b.held)
	f.weights, f.mins, f.live = slices.Clone(b.weights), slices.Clone(b.mins), slices.Clone(b.live)
	f.zeros = maps.Clone(b.zeros)
	f.arena = append(make([]T, 0, 2*len(b.arena)+room(b.span)), b.arena...)
	return &f
}

// room returns the cells that a table of n entries takes.
func room(n int) int { return (n + lanes - 1) / lanes * lanes }

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

// add makes a new slot of n entries for a pattern, or for none if that is -1.
// Its table is all 0, and readable as far as a shift goes beyond it.
func (b *builder[T]) add(pattern, n int32) int32 {
	id := int32(len(b.slots))
	at := len(b.arena)
	if at > math.MaxInt32 {
		panic("scorecard: out of memory: the tables of the tree take more than 2^31 cells")
	}
	b.arena = slices.Grow(b.arena, room(int(n))+room(b.span))[:at+room(int(n))]
	clear(b.arena[at:])
	b.slots = append(b.slots, slot{at: int32(at), n: n})
	b.held = append(b.held, pattern)
	b.mins = append(b.mins, 0)
	b.weights = append(b.weights, 0)
	if pattern >= 0 {
		b.live = append(b.live, id)
		b.hold(pattern, id)
	}
	return id
}

// hold notes that slot id holds the records of the pattern.
func (b *builder[T]) hold(pattern, id int32) {
	for len(b.holders) <= int(pattern) {
		b.holders = append(b.holders, -1)
	}
	b.holders[pattern] = id
}

// holder returns the slot that holds the records of the pattern, or -1.
func (b *builder[T]) holder(pattern int32) int32 {
	if int(pattern) >= len(b.holders) {
		return -1
	}
	return b.holders[pattern]
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
		id = b.add(-1, n)
		b.zeros[n] = id
	}
	return id
}

// record puts a record of the table in its slot at the start: d is what
// predicting 1 costs it more than predicting 0.
func (b *builder[T]) record(pattern []uint16, d int64, threshold int) {
	p := b.patterns.number(pattern)
	lo, n := b.shape(pattern)
	id := b.holder(p)
	if id < 0 {
		id = b.add(p, int32(n))
	}
	table := b.table(id)
	for i := max(threshold-lo, 0); i < len(table); i++ {
		table[i] += T(d)
	}
	b.mins[id] = slices.Min(table)
	b.weights[id] += max(d, -d)
}

// A candidate is a category that may be decided next.
type candidate[T cell] struct {
	attribute, category int
	batches             []batch[T]
	score               float64
}

// empty tells whether no slot is left with the category.
func (c *candidate[T]) empty() bool {
	for i := range c.batches {
		if len(c.batches[i].merges) > 0 {
			return false
		}
	}
	return true
}

// collect fills in the merges of deciding each undecided category of the live
// slots, candidates[j][c], with results that go to the slot scratch.
func (b *builder[T]) collect(candidates [][]candidate[T], scratch int32) {
	for j := range candidates {
		for c := range candidates[j] {
			batches := candidates[j][c].batches
			for i := range batches {
				batches[i].merges = batches[i].merges[:0]
			}
		}
	}
	out := b.slots[scratch].at
	for _, u := range b.live {
		su := b.slots[u]
		for j, c := range b.patterns.at(b.held[u]) {
			if c == decided {
				continue
			}
			n, shift := su.n, int32(0)
			if a := &b.axes[j]; !a.gauge {
				l, h := a.attr.bounds(int(c))
				n, shift = su.n-int32(h-l), -int32(l)
			}
			z := b.holder(b.patterns.decide(b.held[u], j))
			if z < 0 {
				z = b.zero(n)
			}
			bt := b.batch(&candidates[j][c], n)
			bt.merges = append(bt.merges, merge{
				u: su.at + shift, z: b.slots[z].at, out: out,
				uMin: u, zMin: z, outMin: scratch,
			})
		}
	}
}

// batch returns the candidate's batch for tables of n entries.
func (b *builder[T]) batch(c *candidate[T], n int32) *batch[T] {
	for i := range c.batches {
		if c.batches[i].n == n {
			return &c.batches[i]
		}
	}
	bt := batch[T]{n: n, cells: room(int(n)), masks: b.mask(n, 0)}
	if b.axes[c.attribute].gauge {
		bt.masks, bt.lowest, bt.each = b.mask(n, b.span), -b.span, bt.cells
	}
	c.batches = append(c.batches, bt)
	return &c.batches[len(c.batches)-1]
}

// mask returns the masks of tables of n entries that are shifted by up to span
// either way, one after the other.
func (b *builder[T]) mask(n int32, span int) []T {
	key := n
	if span > 0 {
		key = -n
	}
	masks, ok := b.masks[key]
	if !ok {
		for v := -span; v <= span; v++ {
			for k := range room(int(n)) {
				bound := pad[T]()
				if k < int(n) && k+v >= 0 && k+v < int(n) {
					bound = never[T]()
				}
				masks = append(masks, bound)
			}
		}
		b.masks[key] = masks
	}
	return masks
}

// commit makes slots for the results of the candidate's merges, which take the
// places of those merged, and returns the batches for good. It sorts the
// merges, heaviest first, so that a search with a limit stops early.
func (b *builder[T]) commit(c *candidate[T]) []batch[T] {
	var batches []batch[T]
	for _, bt := range c.batches {
		if len(bt.merges) == 0 {
			continue
		}
		bt.merges = slices.Clone(bt.merges)
		slices.SortStableFunc(bt.merges, func(m, o merge) int {
			return cmp.Compare(min(b.weights[o.uMin], b.weights[o.zMin]), min(b.weights[m.uMin], b.weights[m.zMin]))
		})
		for i := range bt.merges {
			m := &bt.merges[i]
			b.hold(b.held[m.uMin], -1)
			m.outMin = b.add(b.patterns.decide(b.held[m.uMin], c.attribute), bt.n)
			m.out = b.slots[m.outMin].at
			b.weights[m.outMin] = b.weights[m.uMin] + b.weights[m.zMin]
		}
		batches = append(batches, bt)
	}
	b.live = slices.DeleteFunc(b.live, func(id int32) bool { return b.holder(b.held[id]) != id })
	return batches
}
