package scorecard

import (
	"cmp"
	"maps"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// decided marks, in a pattern of undecided categories, an attribute whose category has decided
// points. It takes the place of the category.
const decided = ^uint16(0)

// A costTable belongs to a set of records that have the same undecided categories. In every card,
// these records therefore get the same sum of points from these categories and from the offsets.
// The table has one entry for each possible sum, beginning with the least: the cost of the records
// if they get this sum, minus the cost of predicting 0 for all of them. The entries are stored in
// the arena, an array that all tables share.
type costTable struct {
	at, n int32 // at is the index of entry 0 in the arena, n is the number of entries
}

// A totalRange is the range lo..hi of the sum of the points that a record may still get from its
// undecided categories and the offsets. The field open is the number of undecided categories that
// may have points other than 0.
type totalRange struct{ lo, hi, open int }

// plus returns the range r with one more undecided category, whose points are in lo..hi.
func (r totalRange) plus(lo, hi int) totalRange {
	return totalRange{r.lo + lo, r.hi + hi, r.open + varying(lo, hi)}
}

// minus returns the range r with one undecided category less, whose points were in lo..hi.
func (r totalRange) minus(lo, hi int) totalRange {
	return totalRange{r.lo - lo, r.hi - hi, r.open - varying(lo, hi)}
}

// varying returns 0 if a category with points in lo..hi always has 0 points, and otherwise 1.
func varying(lo, hi int) int {
	if lo == 0 && hi == 0 {
		return 0
	}
	return 1
}

// A builder determines which cost tables each step of a search tree merges. Two tables are merged
// if their records no longer differ in undecided categories. This program of merges does not depend
// on the decided values, so it is computed once, and a walker that moves through the tree allocates
// no memory.
type builder[T cell] struct {
	axes       []axis
	patterns   *patterns
	tableOf    []int32 // [pattern]: its cost table, or -1
	costTables []costTable
	patternOf  []int32 // [cost table]: its pattern, or -1
	weights    []int64 // [cost table]: Σ|d| over its records
	mins       []T
	arena      []T
	live       []int32      // the cost tables that currently hold records
	ranges     []totalRange // [cost table]: its totalRange
	norm       int          // the maximum squared norm, or 0 for no limit
	span       int          // the maximum number of entries that a merge reads before the start or after the end of a table, at least 1
	zeros      map[int32]int32
	masks      map[readRange][]T
}

func newBuilder[T cell](axes []axis, records []record, threshold, norm int) *builder[T] {
	b := &builder[T]{
		axes: axes, patterns: newPatterns(axes, len(records)), norm: norm,
		zeros: map[int32]int32{}, masks: map[readRange][]T{},
	}
	for _, a := range axes {
		if a.refCoded {
			b.span = max(b.span, a.attr.hi-a.attr.lo)
		}
		if norm > 0 {
			for c := range a.attr.categories {
				lo, hi := a.attr.bounds(c)
				b.span = max(b.span, lanes-lo, lanes+hi)
			}
		}
	}
	// A kernel reads several cells at a time (see lanes). Without reference coding, it may therefore read
	// beyond the end of a shifted table.
	b.span = max(b.span, 1)
	b.arena = make([]T, paddedSize(b.span))
	pattern := make([]uint16, len(axes))
	for _, r := range records {
		for j, c := range r.x {
			pattern[j] = c
			if axes[j].refCoded && int(c) == axes[j].ref {
				pattern[j] = decided
			}
		}
		b.record(pattern, r, threshold)
	}
	return b
}

// clone returns an independent copy of the builder.
func (b *builder[T]) clone() *builder[T] {
	f := *b
	f.tableOf, f.costTables, f.patternOf = slices.Clone(b.tableOf), slices.Clone(b.costTables), slices.Clone(b.patternOf)
	f.weights, f.mins, f.live = slices.Clone(b.weights), slices.Clone(b.mins), slices.Clone(b.live)
	f.ranges = slices.Clone(b.ranges)
	f.zeros = maps.Clone(b.zeros)
	f.arena = append(make([]T, 0, 2*len(b.arena)+paddedSize(b.span)), b.arena...)
	return &f
}

// paddedSize returns the number of cells to allocate for a table of n entries: n rounded up to a
// multiple of lanes, the number of cells that a vector instruction processes at a time.
func paddedSize(n int) int { return (n + lanes - 1) / lanes * lanes }

// rangeOf returns the range of the sum of the points that a record with the given pattern of
// undecided categories may get from these categories and the offsets.
func (b *builder[T]) rangeOf(pattern []uint16) totalRange {
	var r totalRange
	for j, c := range pattern {
		a := &b.axes[j]
		switch {
		case c != decided:
			r = r.plus(a.attr.bounds(int(c)))
		case a.refCoded:
			r.lo, r.hi = r.lo+a.attr.lo, r.hi+a.attr.hi
		}
	}
	return r
}

// totals returns the least total lo and the number n of entries of a cost table whose records have
// the range r. A limit R on the squared norm makes tables smaller: by the Cauchy-Schwarz
// inequality, the points of k categories then sum to at most √(kR) in absolute value.
func (b *builder[T]) totals(r totalRange) (lo int, n int32) {
	if b.norm > 0 {
		most := root(r.open * b.norm)
		r.lo, r.hi = max(r.lo, -most), min(r.hi, most)
	}
	return r.lo, int32(r.hi - r.lo + 1)
}

// add creates a cost table with n entries, all 0, and returns its number. The parameter r is the
// range of sums of points that the entries cover. The parameter pattern is the number of the
// pattern of undecided categories of the table's records, or -1 if the table belongs to no pattern,
// for example because it holds intermediate results. add also reserves entries of the arena after
// the table, because a merge may read past the last entry of a table.
func (b *builder[T]) add(pattern, n int32, r totalRange) int32 {
	id := int32(len(b.costTables))
	at := len(b.arena)
	if at > class.MostCells {
		panic("scorecard: the tables of the tree have more cells than class.MostCells: check Layout before building a tree")
	}
	b.arena = slices.Grow(b.arena, paddedSize(int(n))+paddedSize(b.span))[:at+paddedSize(int(n))]
	clear(b.arena[at:])
	b.costTables = append(b.costTables, costTable{at: int32(at), n: n})
	b.patternOf = append(b.patternOf, pattern)
	b.ranges = append(b.ranges, r)
	b.mins = append(b.mins, 0)
	b.weights = append(b.weights, 0)
	if pattern >= 0 {
		b.live = append(b.live, id)
		b.setTable(pattern, id)
	}
	return id
}

// setTable makes the cost table with number id the table of the records with the given pattern of
// undecided categories.
func (b *builder[T]) setTable(pattern, id int32) {
	for len(b.tableOf) <= int(pattern) {
		b.tableOf = append(b.tableOf, -1)
	}
	b.tableOf[pattern] = id
}

// tableFor returns the number of the cost table of the records with the given pattern of undecided
// categories, or -1 if there is none.
func (b *builder[T]) tableFor(pattern int32) int32 {
	if int(pattern) >= len(b.tableOf) {
		return -1
	}
	return b.tableOf[pattern]
}

// table returns the entries of the cost table with number id.
func (b *builder[T]) table(id int32) []T {
	s := b.costTables[id]
	return b.arena[s.at : s.at+s.n]
}

// zero returns the number of a cost table with n entries, all of which are 0. It creates the table
// at the first call.
func (b *builder[T]) zero(n int32) int32 {
	id, ok := b.zeros[n]
	if !ok {
		id = b.add(-1, n, totalRange{})
		b.zeros[n] = id
	}
	return id
}

// record adds the costs of the record rec to the cost table of its pattern of undecided categories.
// It may be called only before the first step of the tree is chosen.
func (b *builder[T]) record(pattern []uint16, rec record, threshold int) {
	p := b.patterns.number(pattern)
	r := b.rangeOf(pattern)
	lo, n := b.totals(r)
	id := b.tableFor(p)
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

// A candidate is a category that the next step may decide, with the merges of cost tables that this
// decision requires.
type candidate[T cell] struct {
	attribute, category int
	batches             []batch[T]
	score               float64
}

// empty reports whether deciding the candidate's category requires no merge, because no record has
// it as an undecided category.
func (c *candidate[T]) empty() bool {
	for i := range c.batches {
		if len(c.batches[i].merges) > 0 {
			return false
		}
	}
	return true
}

// collectMerges computes the merges of every candidate. It stores in candidates[j][c] the merges of
// cost tables that are needed if category c of attribute j is decided next. The parameter scratch
// is the cost table to which all these merges write their results.
func (b *builder[T]) collectMerges(candidates [][]candidate[T], scratch int32) {
	for j := range candidates {
		for c := range candidates[j] {
			batches := candidates[j][c].batches
			for i := range batches {
				batches[i].merges = batches[i].merges[:0]
			}
		}
	}
	out := b.costTables[scratch].at
	for _, u := range b.live {
		su := b.costTables[u]
		for j, c := range b.patterns.at(b.patternOf[u]) {
			if c == decided {
				continue
			}
			w := b.readRange(u, j, int(c))
			z := b.tableFor(b.patterns.decide(b.patternOf[u], j))
			if z < 0 {
				z = b.zero(w.n)
			}
			bt := b.batch(&candidates[j][c], w)
			bt.merges = append(bt.merges, merge{
				u: su.at + w.from, z: b.costTables[z].at, out: out,
				uMin: u, zMin: z, outMin: scratch,
			})
		}
	}
}

// A readRange describes which entries a merge reads from the cost table of the records with the
// decided category. This table has tableSize entries. If the category gets the value v, which lies
// in lo..hi, the merge reads n entries, starting at index from+v.
//
// The fields first and open are used only if there is a limit on the norm. The field first is the
// total of the first entry of the merged table. The field open is the number of categories that are
// undecided after the merge and may have points other than 0.
type readRange struct {
	n, from, tableSize int32
	lo, hi             int
	first, open        int
}

// readRange returns which entries of cost table u a merge reads when category c of attribute j is
// decided.
func (b *builder[T]) readRange(u int32, j, c int) readRange {
	of := b.costTables[u].n
	a := &b.axes[j]
	if a.refCoded {
		return readRange{n: of, tableSize: of, lo: -b.span, hi: b.span}
	}
	l, h := a.attr.bounds(c)
	if b.norm == 0 {
		return readRange{n: of - int32(h-l), from: int32(-l), tableSize: of, lo: l, hi: h}
	}
	before := b.ranges[u]
	after := before.minus(l, h)
	first, _ := b.totals(before)
	lo, n := b.totals(after)
	return readRange{n: n, from: int32(lo - first), tableSize: of, lo: l, hi: h, first: lo, open: after.open}
}

// inTable reports whether all entries to read lie within the table, whichever value in lo..hi the
// category gets.
func (w readRange) inTable() bool {
	return int(w.from)+w.lo >= 0 && int(w.from)+w.hi+int(w.n) <= int(w.tableSize)
}

// batch returns the batch of those merges of candidate c that read the entries w of their tables.
// It creates the batch at the first call.
func (b *builder[T]) batch(c *candidate[T], w readRange) *batch[T] {
	for i := range c.batches {
		// Without a limit on the norm, all merges of a candidate that read the same number of entries
		// have the same range.
		if bt := &c.batches[i]; bt.n == w.n && (b.norm == 0 || bt.readRange == w) {
			return bt
		}
	}
	if b.norm == 0 && w.inTable() {
		w = readRange{n: w.n, tableSize: w.n} // read ranges that lie within their tables share their masks
	}
	bt := batch[T]{readRange: w, cells: paddedSize(int(w.n)), masks: b.mask(w), maskOffsets: b.maskOffsets(w)}
	if w.lo != w.hi {
		bt.maskStride = bt.cells
	}
	c.batches = append(c.batches, bt)
	return &c.batches[len(c.batches)-1]
}

// mask returns the masks for merges that read the entries w, concatenated: one mask for each value
// in lo..hi that the decided category may have (see batch.mask). With a limit on the norm, the
// remaining norm limits the absolute total. The result then has one such list of masks for each
// limit 0, 1, … on the absolute total, in this order.
func (b *builder[T]) mask(w readRange) []T {
	masks, ok := b.masks[w]
	if !ok {
		widest := root(w.open * b.norm)
		for most := range widest + 1 {
			for v := w.lo; v <= w.hi; v++ {
				for k := range paddedSize(int(w.n)) {
					bound := pad[T]()
					at, total := int(w.from)+v+k, w.first+k
					if k < int(w.n) && at >= 0 && at < int(w.tableSize) && (b.norm == 0 || max(total, -total) <= most) {
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

// maskOffsets returns, for each remaining norm, the index in the result of the method mask at which
// the masks for this norm begin. Without a limit on the norm it returns nil.
func (b *builder[T]) maskOffsets(w readRange) []int32 {
	if b.norm == 0 {
		return nil
	}
	at := make([]int32, b.norm+1)
	for left := range at {
		at[left] = int32(root(w.open*left) * (w.hi - w.lo + 1) * paddedSize(int(w.n)))
	}
	return at
}

// rangeAfter returns the range of the sum of the points that the records of cost table u may still
// get after the category of candidate c is decided.
func (b *builder[T]) rangeAfter(u int32, c *candidate[T]) totalRange {
	if b.axes[c.attribute].refCoded {
		return b.ranges[u]
	}
	return b.ranges[u].minus(b.axes[c.attribute].attr.bounds(c.category))
}

// commit adds the merges of candidate c to the program of the tree, and returns them in batches. It
// allocates cost tables for the results, which replace the merged tables. Merges of two heavy
// tables come first, in descending order of the lighter table's weight: they tend to raise the
// bound most, so a kernel that stops at a limit stops early. The weight of a table is the sum of
// the absolute cost differences of its records.
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
			b.setTable(b.patternOf[m.uMin], -1)
			m.outMin = b.add(b.patterns.decide(b.patternOf[m.uMin], c.attribute), bt.n, b.rangeAfter(m.uMin, c))
			m.out = b.costTables[m.outMin].at
			b.weights[m.outMin] = b.weights[m.uMin] + b.weights[m.zMin]
		}
		batches = append(batches, bt)
	}
	b.live = slices.DeleteFunc(b.live, func(id int32) bool { return b.tableFor(b.patternOf[id]) != id })
	return batches
}
