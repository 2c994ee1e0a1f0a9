package scorecard

import (
	"cmp"
	"context"
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// Most of the cards below a node cost more than its bound. Those records of which at
// most one category is undecided cost what that category and the offsets make them
// cost, whatever the rest: so the sum of e^{-λ·cost} over all cards, with these records
// at their cost and the others at their least, is a product of sums by category for
// each choice of the offsets. It is far below leaves times e^{-λ·bound}, and of the
// same kind: what is decided later can only raise the costs in it.

// A cluster is the slots of a depth of the tree that have at most one category
// undecided.
type cluster struct {
	closed  int32    // with none, or -1
	singles []single // by attribute
	from    []int    // of each attribute, where its singles begin, and where the last end
}

// A single is a slot with one category undecided.
type single struct {
	attribute, category int
	id                  int32
}

// cluster finds the clusters by depth: none where an attribute's categories do not
// take their points freely on the gauge, or where terms or attributes used are charged,
// or cells or points are wide.
func (t *tree[T]) cluster(b *builder[T]) {
	if t.limit != nil || t.terms != nil || t.class.tracked() || pad[T]() > 1<<30 {
		return
	}
	for j := range t.axes {
		a := &t.axes[j]
		if !a.gauge || !a.free() || a.attr.hi-a.attr.lo >= mostLevels {
			return
		}
		t.lowest += a.attr.lo
	}
	for _, s := range b.slots {
		t.places = append(t.places, s.at)
	}
	born, dies := make([]int, len(b.slots)), make([]int, len(b.slots))
	for id := range dies {
		dies[id] = len(t.steps)
	}
	for depth, s := range t.steps {
		for _, bt := range s.batches {
			for _, m := range bt.merges {
				dies[m.uMin], dies[m.zMin], born[m.outMin] = depth, depth, depth+1
			}
		}
	}
	out := make([]cluster, len(t.steps)+1)
	for depth := range out {
		out[depth].closed = -1
	}
	for id, pattern := range b.held {
		if pattern < 0 {
			continue
		}
		open := single{id: int32(id)}
		n := 0
		for j, c := range b.patterns.at(pattern) {
			if c != decided {
				open.attribute, open.category = j, int(c)
				n++
			}
		}
		for depth := born[id]; n <= 1 && depth <= dies[id]; depth++ {
			if n == 0 {
				out[depth].closed = int32(id)
			} else {
				out[depth].singles = append(out[depth].singles, open)
			}
		}
	}
	for depth := range out {
		c := &out[depth]
		slices.SortFunc(c.singles, func(a, b single) int {
			return cmp.Or(cmp.Compare(a.attribute, b.attribute), cmp.Compare(a.category, b.category))
		})
		for j := range len(t.axes) + 1 {
			from, _ := slices.BinarySearchFunc(c.singles, j, func(s single, j int) int { return cmp.Compare(s.attribute, j) })
			c.from = append(c.from, from)
		}
	}
	for j, a := range t.axes {
		levels := class.UpperOf(big.NewInt(int64(a.attr.hi - a.attr.lo + 1)))
		t.free = append(t.free, []class.Upper{class.One})
		for range t.order[j] {
			t.free[j] = append(t.free[j], t.free[j][len(t.free[j])-1].Times(levels))
		}
	}
	t.clusters = out
}

// mostLevels is the greatest number of points of a category, and mostSums that of
// sums of all offsets, with which sums of products stay within 63 bits.
const (
	mostLevels = 1 << 6
	mostSums   = 1 << 6
)

// tightPlaces is how far below 1 the sum of a tight node lies at most, in powers of 2,
// and each product in it: roundings, each by a unit, are few in a thousand of it then.
const tightPlaces = 8

// A weigher is a walker's room for weighing the node at hand. Its numbers are in fixed
// point, positive, rounded up, and at most 1 and a unit where nothing else is said.
type weigher struct {
	rate   rate
	lo, hi int    // of the sum of all offsets
	parts  []part // of each attribute, those with singles first
	wide   []uint64
	sums   []uint64 // by the sum of all offsets
	// rounded tells that a product was so small that roundings may be much of it.
	rounded bool
}

// A part is an attribute as a weigher sees it.
type part struct {
	attribute int
	lo, hi    int      // its offsets
	singles   []single // of its undecided categories
	first     int      // the sum of the other offsets that each[0] is of
	each      []uint64 // by that sum, what the singles of all its categories come to
	restLo    int      // the least sum of this offset and those of the parts behind
	restHi    int
	from      int      // the sum that rest[0] is of
	rest      []uint64 // by that sum, given that of all: this part and those behind
}

// Mass bounds the sum of e^{-λ·cost} over all cards below the node. It is tight
// at the end of the steps, where no record has more than one category undecided, unless
// what the slots cost at least cannot nearly be had together.
func (w *walker[T]) Mass(lambda *big.Rat) (m class.Mass[Card], tight bool) {
	g := &w.weigher
	if w.t.clusters == nil || w.depth > len(w.t.steps) || !g.rate.set(lambda) {
		return nil, false
	}
	cost, doublings := w.gather(), 0
	if g.hi-g.lo >= mostSums {
		return nil, false
	}
	t := powersOfHalf()
	g.rounded = false
	for i := range g.parts {
		more, by := w.each(&g.parts[i], t)
		cost, doublings = cost+more, doublings+by
	}
	for i := len(g.parts) - 1; i >= 0; i-- {
		if len(g.parts[i].singles) == 0 {
			doublings += g.behind(i, 0)
		} else {
			doublings += g.scale(i)
		}
	}
	total := uint64(0)
	for _, sum := range w.bySum(t) {
		total += sum
	}
	sum := class.Quotient(total, 1).Scaled(int64(doublings) - 2*places)
	for i := range g.parts {
		p := &g.parts[i]
		sum = sum.Times(w.t.free[p.attribute][w.left[p.attribute]-len(p.singles)])
	}
	w.mass = mass[T]{w, sum, cost}
	return &w.mass, w.depth == len(w.t.steps) && !g.rounded && total >= 1<<(2*places-tightPlaces)
}

// A mass is what Mass makes of the node at hand.
type mass[T cell] struct {
	w     *walker[T]
	sum   class.Upper
	least int64
}

func (m *mass[T]) Bound() (f class.Upper, least int64) { return m.sum, m.least }

// gather finds the parts, and returns what all cards below cost at least but for what
// the slots of the cluster cost beyond their least.
func (w *walker[T]) gather() int64 {
	g, c := &w.weigher, &w.t.clusters[w.depth]
	if g.parts == nil {
		g.parts = make([]part, len(w.t.axes))
	}
	g.lo, g.hi = 0, 0
	n := 0
	for _, open := range []bool{true, false} {
		for j := range w.t.axes {
			singles := c.singles[c.from[j]:c.from[j+1]]
			if len(singles) > 0 != open {
				continue
			}
			f, p := w.filling(j), &g.parts[n]
			n++
			*p = part{attribute: j, lo: f.offLo, hi: f.offHi(), singles: singles, each: p.each[:0], rest: p.rest[:0]}
			g.lo, g.hi = g.lo+p.lo, g.hi+p.hi
		}
	}
	lo, hi := 0, 0
	for i := len(g.parts) - 1; i >= 0; i-- {
		p := &g.parts[i]
		lo, hi = lo+p.lo, hi+p.hi
		p.restLo, p.restHi = lo, hi
	}
	if w.depth < len(w.t.steps) {
		return w.frames[w.depth].bound
	}
	cost := w.frames[w.depth].fixed
	for _, s := range c.singles {
		cost += int64(w.mins[s.id])
	}
	if c.closed >= 0 {
		cost += int64(w.mins[c.closed])
	}
	return cost
}

// each fills in the products over the categories of a part, in units of some power
// of 2 that it returns, and of what the categories cost at least beyond their slots.
func (w *walker[T]) each(p *part, t *halves) (cost int64, doublings int) {
	g := &w.weigher
	p.first = g.lo - p.lo
	n := g.hi - p.hi - p.first + 1
	if len(p.singles) == 0 {
		return 0, 0
	}
	for range n {
		p.each = append(p.each, unit)
	}
	a := &w.t.axes[p.attribute].attr
	levels := a.hi - a.lo + 1
	shift := places + bits.Len(uint(levels-1))
	for _, s := range p.singles {
		decays, least := w.decays(s, p.first, n, t)
		cost += least - int64(w.mins[s.id])
		doublings += shift - places
		sum := uint64(0) // of those of all points but the last
		for _, d := range decays[:levels-1] {
			sum += d
		}
		last := decays[levels-1:][:n]
		for i, e := range p.each {
			sum += last[i]
			p.each[i] = e*sum>>shift + 1
			sum -= decays[i]
		}
		by := double(p.each)
		doublings -= by
		g.rounded = g.rounded || by > shift-places+tightPlaces
	}
	return cost, doublings
}

// double multiplies the numbers by a power of 2, which it returns, as great as leaves
// all of them at most 1.
func double(numbers []uint64) int {
	by := places - bits.Len64(slices.Max(numbers)-1)
	if by <= 0 {
		return 0
	}
	for i := range numbers {
		numbers[i] <<= by
	}
	return by
}

// decays returns what the records of a single weigh, relative to their least cost,
// which it returns too, by their total: for the sums from, … of n of all other offsets,
// with all points of the category.
func (w *walker[T]) decays(s single, from, n int, t *halves) (decays []uint64, least int64) {
	g := &w.weigher
	a := &w.t.axes[s.attribute].attr
	costs := w.arena[w.t.entry(s.id, from+a.lo):][:n+a.hi-a.lo]
	lowest := slices.Min(costs)
	g.wide = slices.Grow(g.wide[:0], len(costs))[:len(costs)]
	for i, cost := range costs {
		g.wide[i] = g.rate.fixed(int64(cost)-int64(lowest), t)
	}
	return g.wide, int64(lowest)
}

// littlePlaces is by how many places what is left out of a sum lies below it.
const littlePlaces = 14

// bySum returns for each sum of all offsets what sumOf does, or, where that is little beside
// the others, a bound on it, which is sooner known: then the offsets of all parts are free,
// as if they did not come to the sum.
func (w *walker[T]) bySum(t *halves) []uint64 {
	g := &w.weigher
	g.most()
	best := 0
	for i := range g.sums {
		g.sums[i] *= w.decided(g.lo+i, t)
		if g.sums[i] > g.sums[best] {
			best = i
		}
	}
	g.sums[best] = w.sumOf(g.lo+best, t)
	little := g.sums[best] >> littlePlaces
	for i, bound := range g.sums {
		if i != best && bound > little {
			g.sums[i] = w.sumOf(g.lo+i, t)
		}
	}
	return g.sums
}

// most sets the sums to bounds on what the first part's rest comes to.
func (g *weigher) most() {
	most := uint64(unit)
	i := len(g.parts) - 1
	for i >= 0 && len(g.parts[i].singles) == 0 {
		i--
	}
	if i < len(g.parts)-1 {
		most = slices.Max(g.parts[i+1].rest)
	}
	g.sums = g.sums[:0]
	for range g.hi - g.lo + 1 {
		g.sums = append(g.sums, most)
	}
	for ; i >= 0; i-- {
		p := &g.parts[i]
		shift, offsets := places+g.scale(i), p.hi-p.lo+1
		sum := uint64(0) // over the offsets that the others leave
		for k := range g.sums {
			if k < len(p.each) {
				sum += p.each[k]
			}
			if k >= offsets {
				sum -= p.each[k-offsets]
			}
			g.sums[k] = sum*g.sums[k]>>shift + 1
		}
	}
}

// decided returns what the records without an undecided category weigh where all offsets
// come to o.
func (w *walker[T]) decided(o int, t *halves) uint64 {
	id := w.t.clusters[w.depth].closed
	if id < 0 {
		return unit
	}
	return w.weigher.rate.fixed(int64(w.arena[w.t.entry(id, o)])-int64(w.mins[id]), t)
}

// sumOf returns the product for the sum o of all offsets, with twice as many places.
func (w *walker[T]) sumOf(o int, t *halves) uint64 {
	g := &w.weigher
	for i := len(g.parts) - 1; i >= 0; i-- {
		if len(g.parts[i].singles) > 0 {
			g.behind(i, o)
		}
	}
	return w.decided(o, t) * g.parts[0].rest[o-g.parts[0].from]
}

// scale returns by how many places the rest of part i is shifted.
func (g *weigher) scale(i int) int {
	return bits.Len(uint(g.parts[i].hi - g.parts[i].lo))
}

// behind fills in the rest of part i, those behind being known, for the sum o of all
// offsets, on which it depends if the part has singles.
func (g *weigher) behind(i, o int) (doublings int) {
	p := &g.parts[i]
	p.from = p.restLo
	to := p.restHi
	if len(p.singles) > 0 {
		// The parts before give o less what is left.
		p.from = max(p.from, o-(g.hi-p.restHi))
		to = min(to, o-(g.lo-p.restLo))
	}
	doublings = g.scale(i)
	p.rest = p.rest[:0]
	for x := p.from; x <= to; x++ {
		lo, hi := g.offsets(i, x)
		each, rest := g.factors(i, o, x, lo, hi)
		sum := uint64(0)
		for k, e := range each {
			sum += e * rest[k]
		}
		p.rest = append(p.rest, sum>>(places+doublings)+1)
	}
	return doublings
}

// offsets returns the range of the offset of part i, if it comes to x together with
// those behind.
func (g *weigher) offsets(i, x int) (lo, hi int) {
	if i == len(g.parts)-1 {
		return x, x
	}
	p, after := &g.parts[i], &g.parts[i+1]
	return max(p.lo, x-after.restHi), min(p.hi, x-after.restLo)
}

// factors returns the two factors of what the offsets hi, …, lo of part i give, if it
// comes to x together with those behind, and all come to o.
func (g *weigher) factors(i, o, x, lo, hi int) (each, rest []uint64) {
	each, rest = units, units
	if p := &g.parts[i]; len(p.singles) > 0 {
		each = p.each[o-hi-p.first:]
	}
	if i < len(g.parts)-1 {
		after := &g.parts[i+1]
		rest = after.rest[x-hi-after.from:]
	}
	return each[:hi-lo+1], rest[:hi-lo+1]
}

// units are as many 1s as an attribute may have offsets.
var units = slices.Repeat([]uint64{unit}, mostLevels)

// entry returns the place in the arena of a slot's entry for a total: with all
// attributes on the gauge all slots have the same totals.
func (t *tree[T]) entry(id int32, total int) int {
	return int(t.places[id]) + total - t.lowest
}

func (m *mass[T]) Descend() class.Descent[Card] {
	w := m.w
	d := &weighed[T]{w: w, points: make([][]int, len(w.t.axes)), offsets: make([]int, len(w.t.axes))}
	for j := range d.points {
		d.points[j] = make([]int, len(w.values[j]))
	}
	for i := range w.weigher.parts {
		p := &w.weigher.parts[i]
		d.open = append(d.open, p.singles...)
		j := p.attribute
		for _, c := range w.t.order[j][len(w.t.order[j])-w.left[j]:] {
			if !slices.ContainsFunc(p.singles, func(s single) bool { return s.category == c }) {
				d.open = append(d.open, single{j, c, -1})
			}
		}
	}
	return d
}

// A weighed is a descent through what Mass has summed up: it chooses the sum of all
// offsets, then the offset of one part after the other, then the points of one undecided
// category after the other.
type weighed[T cell] struct {
	w       *walker[T]
	taken   int
	sum     int // of all offsets
	left    int // of it, for the parts to come
	first   int // the value of the first option
	offsets []int
	open    []single // the undecided categories, with the id -1 where there is no slot
	points  [][]int  // of these
}

// Weights returns the weights of the options, summed up.
func (d *weighed[T]) Weights(context.Context) ([]uint64, error) {
	w := d.w
	g, t := &w.weigher, powersOfHalf()
	var sums []uint64
	sum := uint64(0)
	add := func(weight uint64) {
		sum += weight
		sums = append(sums, sum)
	}
	switch i := d.taken - 1; {
	case i < 0:
		d.first = g.lo
		for _, sum := range w.bySum(t) {
			add(sum)
		}
	case i < len(g.parts):
		lo, hi := g.offsets(i, d.left)
		each, rest := g.factors(i, d.sum, d.left, lo, hi)
		d.first = lo
		for k := range each {
			add(each[len(each)-1-k] * rest[len(each)-1-k])
		}
	case i < len(g.parts)+len(d.open):
		s := d.open[i-len(g.parts)]
		a := &w.t.axes[s.attribute].attr
		d.first = a.lo
		if s.id < 0 {
			for range a.hi - a.lo + 1 {
				add(1)
			}
			break
		}
		p := g.partOf(s.attribute)
		decays, _ := w.decays(s, p.first, g.hi-p.hi-p.first+1, t)
		for _, weight := range decays[d.sum-d.offsets[s.attribute]-p.first:][:a.hi-a.lo+1] {
			add(weight)
		}
	}
	return sums, nil
}

// partOf returns the part of attribute j.
func (g *weigher) partOf(j int) *part {
	return &g.parts[slices.IndexFunc(g.parts, func(p part) bool { return p.attribute == j })]
}

// Take takes option i.
func (d *weighed[T]) Take(option int) {
	w, value := d.w, d.first+option
	g := &w.weigher
	switch i := d.taken - 1; {
	case i < 0:
		d.sum, d.left = value, value
		w.sumOf(value, powersOfHalf())
	case i < len(g.parts):
		d.offsets[g.parts[i].attribute] = value
		d.left -= value
	default:
		s := d.open[i-len(g.parts)]
		d.points[s.attribute][s.category] = value
	}
	d.taken++
}

// Hypothesis returns the card, and its cost by the records. All cards have the prior 1.
func (d *weighed[T]) Hypothesis() (h Card, prior *big.Rat, cost int64) {
	w := d.w
	h = Card{d.points}
	for j, offset := range d.offsets {
		h.Points[j][w.t.axes[j].ref] = offset
		for _, c := range w.t.order[j][:len(w.t.order[j])-w.left[j]] {
			h.Points[j][c] = w.values[j][c] + offset
		}
	}
	cost = w.t.rootSum
	for _, r := range w.t.records {
		if h.Total(r.x) >= w.t.class.options.Threshold {
			cost += r.d
		}
	}
	return h, big.NewRat(1, 1), cost
}
