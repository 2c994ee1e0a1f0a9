package scorecard

import (
	"cmp"
	"maps"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
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

// A reach is what the undecided contributions and the offsets can come to, and
// how many undecided categories may contribute anything but 0.
type reach struct{ lo, hi, open int }

// and returns the reach with a category more.
func (r reach) and(lo, hi int) reach { return reach{r.lo + lo, r.hi + hi, r.open + varying(lo, hi)} }

// without returns the reach with a category less.
func (r reach) without(lo, hi int) reach {
	return reach{r.lo - lo, r.hi - hi, r.open - varying(lo, hi)}
}

// varying counts a category that may contribute anything but 0.
func varying(lo, hi int) int {
	if lo == 0 && hi == 0 {
		return 0
	}
	return 1
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
	reaches  []reach // of each slot
	norm     int     // the greatest squared norm, or 0 for no limit
	span     int     // the furthest that a merge shifts a table beyond an end, at least 1
	zeros    map[int32]int32
	masks    map[window][]T
}

func newBuilder[T cell](axes []axis, records []record, threshold, norm int) *builder[T] {
	b := &builder[T]{
		axes: axes, patterns: newPatterns(axes, len(records)), norm: norm,
		zeros: map[int32]int32{}, masks: map[window][]T{},
	}
	for _, a := range axes {
		if a.gauge {
			b.span = max(b.span, a.attr.hi-a.attr.lo)
		}
		if norm > 0 {
			for c := range a.attr.categories {
				lo, hi := a.attr.bounds(c)
				b.span = max(b.span, lanes-lo, lanes+hi)
			}
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
		b.record(pattern, r, threshold)
	}
	return b
}

// fork returns a builder that goes on from the same state on its own.
func (b *builder[T]) fork() *builder[T] {
	f := *b
	f.holders, f.slots, f.held = slices.Clone(b.holders), slices.Clone(b.slots), slices.Clone(b.held)
	f.weights, f.mins, f.live = slices.Clone(b.weights), slices.Clone(b.mins), slices.Clone(b.live)
	f.reaches = slices.Clone(b.reaches)
	f.zeros = maps.Clone(b.zeros)
	f.arena = append(make([]T, 0, 2*len(b.arena)+room(b.span)), b.arena...)
	return &f
}

// room returns the cells that a table of n entries takes.
func room(n int) int { return (n + lanes - 1) / lanes * lanes }

// reach returns what the undecided part of a pattern can come to.
func (b *builder[T]) reach(pattern []uint16) reach {
	var r reach
	for j, c := range pattern {
		a := &b.axes[j]
		switch {
		case c != decided:
			r = r.and(a.attr.bounds(int(c)))
		case a.gauge:
			r.lo, r.hi = r.lo+a.attr.lo, r.hi+a.attr.hi
		}
	}
	return r
}

// totals returns the least total that a table has an entry for, and how many
// from there on: by the inequality of Cauchy and Schwarz, k contributions of a
// squared norm R come to √(kR) at most.
func (b *builder[T]) totals(r reach) (lo int, n int32) {
	if b.norm > 0 {
		most := root(r.open * b.norm)
		r.lo, r.hi = max(r.lo, -most), min(r.hi, most)
	}
	return r.lo, int32(r.hi - r.lo + 1)
}

// add makes a new slot of n entries for a pattern with that reach, or for none
// if it is -1. Its table is all 0, and readable as far as a shift goes beyond
// it.
func (b *builder[T]) add(pattern, n int32, r reach) int32 {
	id := int32(len(b.slots))
	at := len(b.arena)
	if at > class.MostCells {
		panic("scorecard: the tables of the tree have more cells than class.MostCells: its Layout was not asked for")
	}
	b.arena = slices.Grow(b.arena, room(int(n))+room(b.span))[:at+room(int(n))]
	clear(b.arena[at:])
	b.slots = append(b.slots, slot{at: int32(at), n: n})
	b.held = append(b.held, pattern)
	b.reaches = append(b.reaches, r)
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
		id = b.add(-1, n, reach{})
		b.zeros[n] = id
	}
	return id
}

// record puts a record of the table in its slot at the start.
func (b *builder[T]) record(pattern []uint16, rec record, threshold int) {
	p := b.patterns.number(pattern)
	r := b.reach(pattern)
	lo, n := b.totals(r)
	id := b.holder(p)
	if id < 0 {
		id = b.add(p, n, r)
	}
	table := b.table(id)
	for i := range table {
		table[i] += T(rec.multiplier) * T(lo+i)
		if lo+i >= threshold {
			table[i] += T(rec.d)
		}
	}
	b.mins[id] = slices.Min(table)
	b.weights[id] += max(rec.d, -rec.d)
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
			w := b.window(u, j, int(c))
			z := b.holder(b.patterns.decide(b.held[u], j))
			if z < 0 {
				z = b.zero(w.n)
			}
			bt := b.batch(&candidates[j][c], w)
			bt.merges = append(bt.merges, merge{
				u: su.at + w.from, z: b.slots[z].at, out: out,
				uMin: u, zMin: z, outMin: scratch,
			})
		}
	}
}

// A window says how the table of a merge is read from that of the slot that has
// the category: n entries from the place from on, further by the value, of a
// table of so many. Values are within lo..hi. With a limit on the norm, entries
// are of totals from first on, of so many open categories.
type window struct {
	n, from, of int32
	lo, hi      int
	first, open int
}

// window returns that of deciding category c of attribute j in slot u.
func (b *builder[T]) window(u int32, j, c int) window {
	of := b.slots[u].n
	a := &b.axes[j]
	if a.gauge {
		return window{n: of, of: of, lo: -b.span, hi: b.span}
	}
	l, h := a.attr.bounds(c)
	if b.norm == 0 {
		return window{n: of - int32(h-l), from: int32(-l), of: of, lo: l, hi: h}
	}
	before := b.reaches[u]
	after := before.without(l, h)
	first, _ := b.totals(before)
	lo, n := b.totals(after)
	return window{n: n, from: int32(lo - first), of: of, lo: l, hi: h, first: lo, open: after.open}
}

// within tells whether a table has all entries that the window asks for.
func (w window) within() bool {
	return int(w.from)+w.lo >= 0 && int(w.from)+w.hi+int(w.n) <= int(w.of)
}

// batch returns the candidate's batch for tables seen through the window.
func (b *builder[T]) batch(c *candidate[T], w window) *batch[T] {
	for i := range c.batches {
		// Without a limit on the norm, all windows of a candidate that have so many
		// entries ask for the same.
		if bt := &c.batches[i]; bt.n == w.n && (b.norm == 0 || bt.window == w) {
			return bt
		}
	}
	if b.norm == 0 && w.within() {
		w = window{n: w.n, of: w.n} // shares its masks with all that ask for none beyond
	}
	bt := batch[T]{window: w, cells: room(int(w.n)), masks: b.mask(w), narrow: b.narrow(w)}
	if w.lo != w.hi {
		bt.each = bt.cells
	}
	c.batches = append(c.batches, bt)
	return &c.batches[len(c.batches)-1]
}

// mask returns the masks of the values of a window, one after the other; with a
// limit on the norm, those of all values for each greatest absolute total that
// some norm left allows, from 0 on.
func (b *builder[T]) mask(w window) []T {
	masks, ok := b.masks[w]
	if !ok {
		widest := root(w.open * b.norm)
		for most := range widest + 1 {
			for v := w.lo; v <= w.hi; v++ {
				for k := range room(int(w.n)) {
					bound := pad[T]()
					at, total := int(w.from)+v+k, w.first+k
					if k < int(w.n) && at >= 0 && at < int(w.of) && (b.norm == 0 || max(total, -total) <= most) {
						bound = never[T]()
					}
					masks = append(masks, bound)
				}
			}
		}
		b.masks[w] = masks
	}
	return masks
}

// narrow returns where the masks of each norm that is left begin, nil without a
// limit.
func (b *builder[T]) narrow(w window) []int32 {
	if b.norm == 0 {
		return nil
	}
	at := make([]int32, b.norm+1)
	for left := range at {
		at[left] = int32(root(w.open*left) * (w.hi - w.lo + 1) * room(int(w.n)))
	}
	return at
}

// after returns the reach of slot u once the candidate is decided.
func (b *builder[T]) after(u int32, c *candidate[T]) reach {
	if b.axes[c.attribute].gauge {
		return b.reaches[u]
	}
	return b.reaches[u].without(b.axes[c.attribute].attr.bounds(c.category))
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
			m.outMin = b.add(b.patterns.decide(b.held[m.uMin], c.attribute), bt.n, b.after(m.uMin, c))
			m.out = b.slots[m.outMin].at
			b.weights[m.outMin] = b.weights[m.uMin] + b.weights[m.zMin]
		}
		batches = append(batches, bt)
	}
	b.live = slices.DeleteFunc(b.live, func(id int32) bool { return b.holder(b.held[id]) != id })
	return batches
}
