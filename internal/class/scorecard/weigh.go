package scorecard

import (
	"cmp"
	"context"
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// Most cards below a node cost more than the node's lower bound on the cost. So the number of cards times
// e^{-λ·bound} is far above the sum of e^{-λ·cost} over these cards. The following upper bound on the sum is usually
// much lower.
//
// A record with at most one undecided category has a cost that depends only on the points of that category and on the
// sum of the offsets. Suppose that every other record costs its least cost. Then the sum over all cards is a sum over
// the offsets. Each term is a product with one factor for each category, and a factor is a sum over the points of the
// category. Further decisions can only lower this bound.

// A cluster lists the cost tables at one depth of the search tree whose records have at most one
// undecided category.
type cluster struct {
	closed int32       // the cost table without undecided categories, or -1
	open   []openTable // the cost tables with one undecided category, sorted by attribute and category
	from   []int       // open[from[j]:from[j+1]] are the cost tables of attribute j
}

// An openTable is a cost table whose records have exactly one undecided category.
type openTable struct {
	attribute, category int
	id                  int32
}

// findClusters computes the clusters of all depths, from which Mass computes its bounds. In each of
// these cases there are no clusters, and Mass returns nil:
//
//   - The class has a limit on the norm.
//   - The problem has linear terms.
//   - The cost or validity of a card depends on the number of used attributes.
//   - Cells have 64 bits.
//   - Some attribute is not one-hot with independent categories, or is not reference-coded (see
//     axis).
//   - Some attribute has more than mostLevels levels.
func (t *tree[T]) findClusters(b *builder[T]) {
	if t.limit != nil || t.terms != nil || t.class.countsUsed() || pad[T]() > 1<<30 {
		return
	}
	for j := range t.axes {
		a := &t.axes[j]
		if !a.refCoded || !a.independent() || a.attr.hi-a.attr.lo >= mostLevels {
			return
		}
		t.leastTotal += a.attr.lo
	}
	for _, s := range b.costTables {
		t.tableStarts = append(t.tableStarts, s.at)
	}
	from, until := make([]int, len(b.costTables)), make([]int, len(b.costTables))
	for id := range until {
		until[id] = len(t.steps)
	}
	for depth, s := range t.steps {
		for _, bt := range s.batches {
			for _, m := range bt.merges {
				until[m.uMin], until[m.zMin], from[m.outMin] = depth, depth, depth+1
			}
		}
	}
	out := make([]cluster, len(t.steps)+1)
	for depth := range out {
		out[depth].closed = -1
	}
	for id, pattern := range b.patternOf {
		if pattern < 0 {
			continue
		}
		open := openTable{id: int32(id)}
		n := 0
		for j, c := range b.patterns.at(pattern) {
			if c != decided {
				open.attribute, open.category = j, int(c)
				n++
			}
		}
		for depth := from[id]; n <= 1 && depth <= until[id]; depth++ {
			if n == 0 {
				out[depth].closed = int32(id)
			} else {
				out[depth].open = append(out[depth].open, open)
			}
		}
	}
	for depth := range out {
		c := &out[depth]
		slices.SortFunc(c.open, func(a, b openTable) int {
			return cmp.Or(cmp.Compare(a.attribute, b.attribute), cmp.Compare(a.category, b.category))
		})
		for j := range len(t.axes) + 1 {
			from, _ := slices.BinarySearchFunc(c.open, j, func(s openTable, j int) int { return cmp.Compare(s.attribute, j) })
			c.from = append(c.from, from)
		}
	}
	for j, a := range t.axes {
		levels := class.UpperOf(big.NewInt(int64(a.attr.hi - a.attr.lo + 1)))
		t.freeCounts = append(t.freeCounts, []class.Upper{class.One})
		for range t.order[j] {
			t.freeCounts[j] = append(t.freeCounts[j], t.freeCounts[j][len(t.freeCounts[j])-1].Times(levels))
		}
	}
	t.clusters = out
}

// mostLevels and mostSums limit when Mass returns a bound: a category may have at most mostLevels
// levels, and the sum of the offsets at most mostSums different values. Within these limits, sums
// of products fit into 63 bits.
const (
	mostLevels = 1 << 6
	mostSums   = 1 << 6
)

// tightPlaces determines when Mass reports a tight bound: the sum and the products in it must be at
// least 2^-tightPlaces. Then rounding errors are at most a few thousandths of the sum.
const tightPlaces = 8

// A weigher holds the intermediate results from which Mass computes its bound at the current node.
// They are positive fixed-point numbers, rounded up. Unless stated otherwise, they are at most 1,
// apart from rounding by 1 unit in the last place.
type weigher struct {
	rate   rate
	lo, hi int        // the range of the sum of all offsets
	parts  []massPart // one for each attribute, those with open tables first
	wide   []uint64   // the result of decays
	sums   []uint64   // [i]: the value for the sum lo+i of all offsets
	// imprecise reports that a product was so small that rounding errors may dominate it.
	imprecise bool
}

// A massPart holds what a weigher stores about one attribute. It has a product for each choice of
// the offset of its attribute, given the sum of all offsets. The parts are ordered. The rest of a
// part is a function of a number x: the sum, over all choices of the offsets of this part and of
// all later parts that sum to x, of the product of these parts' products.
type massPart struct {
	attribute    int
	lo, hi       int         // the range of its offset
	tables       []openTable // the open tables of its undecided categories
	productsFrom int         // the sum of the other attributes' offsets to which products[0] belongs
	products     []uint64    // for each sum of the other attributes' offsets: the product over the categories with open tables
	restLo       int         // restLo..restHi is the range of the sum of the offsets from this part on
	restHi       int
	restFrom     int      // the sum of the offsets from this part on to which rest[0] belongs
	rest         []uint64 // for each sum of the offsets from this part on: the sum of the products of these parts, given the sum of all offsets
}

// Mass returns an upper bound on the sum of e^{-λ·cost} over all cards below the node, where λ is
// the parameter lambda, or nil if no such bound is available (see findClusters). The result tight
// reports that splitting the node would hardly lower the bound. A bound can be tight only after the
// last step, where each record has at most one undecided category. Even there it is not tight if no
// card comes close to the minima of all cost tables at once.
func (w *walker[T]) Mass(lambda *big.Rat) (m class.Mass[Card], tight bool) {
	g := &w.weigher
	if w.t.clusters == nil || w.depth > len(w.t.steps) || !g.rate.set(lambda) {
		return nil, false
	}
	cost, doublings := w.collectParts(), 0
	if g.hi-g.lo >= mostSums {
		return nil, false
	}
	t := powersOfHalf()
	g.imprecise = false
	for i := range g.parts {
		more, by := w.computeProducts(&g.parts[i], t)
		cost, doublings = cost+more, doublings+by
	}
	for i := len(g.parts) - 1; i >= 0; i-- {
		if len(g.parts[i].tables) == 0 {
			doublings += g.computeRest(i, 0)
		} else {
			doublings += g.restShift(i)
		}
	}
	total := uint64(0)
	for _, sum := range w.bySum(t) {
		total += sum
	}
	sum := class.Quotient(total, 1).Scaled(int64(doublings) - 2*places)
	for i := range g.parts {
		p := &g.parts[i]
		sum = sum.Times(w.t.freeCounts[p.attribute][w.undecided[p.attribute]-len(p.tables)])
	}
	w.mass = mass[T]{w, sum, cost}
	return &w.mass, w.depth == len(w.t.steps) && !g.imprecise && total >= 1<<(2*places-tightPlaces)
}

// A mass is the result of Mass at the current node. It bounds the sum of e^{-λ·cost} over all cards
// below the node by sum·e^{-λ·least}.
type mass[T cell] struct {
	w     *walker[T]
	sum   class.Upper
	least int64
}

func (m *mass[T]) Bound() (f class.Upper, least int64) { return m.sum, m.least }

// collectParts prepares w.weigher.parts for the current node, with one part for each attribute. It
// returns a lower bound on the cost of every card below the node. After the last step, this bound
// is the fixed cost plus the least cost of each cost table of the cluster.
func (w *walker[T]) collectParts() int64 {
	g, c := &w.weigher, &w.t.clusters[w.depth]
	if g.parts == nil {
		g.parts = make([]massPart, len(w.t.axes))
	}
	g.lo, g.hi = 0, 0
	n := 0
	for _, open := range []bool{true, false} {
		for j := range w.t.axes {
			singles := c.open[c.from[j]:c.from[j+1]]
			if len(singles) > 0 != open {
				continue
			}
			f, p := w.axisState(j), &g.parts[n]
			n++
			*p = massPart{attribute: j, lo: f.offLo, hi: f.offHi(), tables: singles, products: p.products[:0], rest: p.rest[:0]}
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
	for _, s := range c.open {
		cost += int64(w.mins[s.id])
	}
	if c.closed >= 0 {
		cost += int64(w.mins[c.closed])
	}
	return cost
}

// computeProducts computes the products of part p, an attribute: one product for each sum of the
// offsets of the other attributes. A product has a factor for each category of the attribute that
// has an open table. The stored number is the product divided by 2^doublings. The result cost is
// the sum of the least costs of these categories, minus the sum of the minima of their cost tables.
func (w *walker[T]) computeProducts(p *massPart, t *halfPowers) (cost int64, doublings int) {
	g := &w.weigher
	p.productsFrom = g.lo - p.lo
	n := g.hi - p.hi - p.productsFrom + 1
	if len(p.tables) == 0 {
		return 0, 0
	}
	for range n {
		p.products = append(p.products, unit)
	}
	a := &w.t.axes[p.attribute].attr
	levels := a.hi - a.lo + 1
	shift := places + bits.Len(uint(levels-1))
	for _, s := range p.tables {
		decays, least := w.decays(s, p.productsFrom, n, t)
		cost += least - int64(w.mins[s.id])
		doublings += shift - places
		sum := uint64(0) // the sum of the weights of all points but the greatest
		for _, d := range decays[:levels-1] {
			sum += d
		}
		last := decays[levels-1:][:n]
		for i, e := range p.products {
			sum += last[i]
			p.products[i] = e*sum>>shift + 1
			sum -= decays[i]
		}
		by := rescale(p.products)
		doublings -= by
		g.imprecise = g.imprecise || by > shift-places+tightPlaces
	}
	return cost, doublings
}

// rescale multiplies all fixed-point numbers in the list by the greatest power of 2 for which none
// of them exceeds 1 (the constant unit), and returns the exponent of this power. If the exponent is
// not positive, rescale does nothing and returns 0.
func rescale(numbers []uint64) int {
	by := places - bits.Len64(slices.Max(numbers)-1)
	if by <= 0 {
		return 0
	}
	for i := range numbers {
		numbers[i] <<= by
	}
	return by
}

// decays returns the weights e^{-λ·(cost-least)} of the records of the open table s, for
// consecutive totals. Here cost is the cost of the records with this total, and the result least is
// the least of these costs. A total is the sum of the points of the category and of the offsets of
// all other attributes; the latter is from, from+1, … or from+n-1.
func (w *walker[T]) decays(s openTable, from, n int, t *halfPowers) (decays []uint64, least int64) {
	g := &w.weigher
	a := &w.t.axes[s.attribute].attr
	costs := w.arena[w.t.entry(s.id, from+a.lo):][:n+a.hi-a.lo]
	lowest := slices.Min(costs)
	g.wide = slices.Grow(g.wide[:0], len(costs))[:len(costs)]
	for i, cost := range costs {
		g.wide[i] = g.rate.decay(int64(cost)-int64(lowest), t)
	}
	return g.wide, int64(lowest)
}

// littlePlaces determines when bySum uses its coarse upper bound for a sum of offsets: when this
// bound is at most 2^-littlePlaces times the greatest contribution.
const littlePlaces = 14

// bySum returns what each possible sum of all offsets contributes to the mass. This is the result
// of sumOf, or a coarser upper bound where that is negligible beside the greatest contribution. The
// coarser bound takes less time, because it lets the offsets of all parts vary independently,
// without the constraint on their sum.
func (w *walker[T]) bySum(t *halfPowers) []uint64 {
	g := &w.weigher
	g.boundSums()
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

// boundSums computes the coarse upper bounds for bySum. It sets each g.sums[k] to an upper bound on
// the rest of the first part (see massPart) if all offsets sum to lo+k.
func (g *weigher) boundSums() {
	most := uint64(unit)
	i := len(g.parts) - 1
	for i >= 0 && len(g.parts[i].tables) == 0 {
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
		shift, offsets := places+g.restShift(i), p.hi-p.lo+1
		sum := uint64(0) // the sum of p.products over the offsets of the part that are possible if all offsets sum to lo+k
		for k := range g.sums {
			if k < len(p.products) {
				sum += p.products[k]
			}
			if k >= offsets {
				sum -= p.products[k-offsets]
			}
			g.sums[k] = sum*g.sums[k]>>shift + 1
		}
	}
}

// decided returns the weight e^{-λ·(cost-least)} of the records without undecided categories, if the sum of all
// offsets is o. Here cost is the cost of these records for the sum o, and least is their least cost for any sum.
func (w *walker[T]) decided(o int, t *halfPowers) uint64 {
	id := w.t.clusters[w.depth].closed
	if id < 0 {
		return unit
	}
	return w.weigher.rate.decay(int64(w.arena[w.t.entry(id, o)])-int64(w.mins[id]), t)
}

// sumOf returns what the cards whose offsets sum to o contribute to the mass. The result is a sum
// of products, as a fixed-point number with 2·places binary places.
func (w *walker[T]) sumOf(o int, t *halfPowers) uint64 {
	g := &w.weigher
	for i := len(g.parts) - 1; i >= 0; i-- {
		if len(g.parts[i].tables) > 0 {
			g.computeRest(i, o)
		}
	}
	return w.decided(o, t) * g.parts[0].rest[o-g.parts[0].restFrom]
}

// restShift returns the number of binary places by which computeRest divides the rest of part i
// (see massPart), so that sums do not overflow.
func (g *weigher) restShift(i int) int {
	return bits.Len(uint(g.parts[i].hi - g.parts[i].lo))
}

// computeRest computes the rest of part i (see massPart) from the rest of part i+1. The parameter o
// is the sum of all offsets, which affects the rest only if part i has open tables. The stored
// numbers are the rest divided by 2^doublings.
func (g *weigher) computeRest(i, o int) (doublings int) {
	p := &g.parts[i]
	p.restFrom = p.restLo
	to := p.restHi
	if len(p.tables) > 0 {
		// The offsets of the parts before i sum to o minus the sum of the offsets from part i on.
		p.restFrom = max(p.restFrom, o-(g.hi-p.restHi))
		to = min(to, o-(g.lo-p.restLo))
	}
	doublings = g.restShift(i)
	p.rest = p.rest[:0]
	for x := p.restFrom; x <= to; x++ {
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

// offsets returns the range lo..hi of the offsets that the attribute of part i may have (see
// massPart), if its offset and those of all later parts sum to x.
func (g *weigher) offsets(i, x int) (lo, hi int) {
	if i == len(g.parts)-1 {
		return x, x
	}
	p, after := &g.parts[i], &g.parts[i+1]
	return max(p.lo, x-after.restHi), min(p.hi, x-after.restLo)
}

// factors returns the factors of the terms in the rest of part i (see massPart). A term is the product of each[k],
// the product of part i, and rest[k], the rest of part i+1. Term k is for the offset hi-k of the part, down to lo. x
// is the sum of the offsets from part i on, and o is the sum of all offsets.
func (g *weigher) factors(i, o, x, lo, hi int) (each, rest []uint64) {
	each, rest = units, units
	if p := &g.parts[i]; len(p.tables) > 0 {
		each = p.products[o-hi-p.productsFrom:]
	}
	if i < len(g.parts)-1 {
		after := &g.parts[i+1]
		rest = after.rest[x-hi-after.restFrom:]
	}
	return each[:hi-lo+1], rest[:hi-lo+1]
}

// units is a list of mostLevels fixed-point numbers 1. It replaces the products or the rest of a
// part where these are 1.
var units = slices.Repeat([]uint64{unit}, mostLevels)

// entry returns the index in the arena of the entry of cost table id for the given total. All
// tables begin at the same total, since all attributes are reference-coded (see axis).
func (t *tree[T]) entry(id int32, total int) int {
	return int(t.tableStarts[id]) + total - t.leastTotal
}

func (m *mass[T]) Descend() class.Descent[Card] {
	w := m.w
	d := &massDescent[T]{w: w, points: make([][]int, len(w.t.axes)), offsets: make([]int, len(w.t.axes))}
	for j := range d.points {
		d.points[j] = make([]int, len(w.values[j]))
	}
	for i := range w.weigher.parts {
		p := &w.weigher.parts[i]
		d.open = append(d.open, p.tables...)
		j := p.attribute
		for _, c := range w.t.order[j][len(w.t.order[j])-w.undecided[j]:] {
			if !slices.ContainsFunc(p.tables, func(s openTable) bool { return s.category == c }) {
				d.open = append(d.open, openTable{j, c, -1})
			}
		}
	}
	return d
}

// A massDescent samples a card with probability proportional to its weight in a Mass. It chooses
// the sum of all offsets, then the offset of each attribute, and then the points of each undecided
// category.
type massDescent[T cell] struct {
	w         *walker[T]
	decisions int
	sum       int // the sum of all offsets
	left      int // the sum of the offsets of the parts that are not chosen yet
	first     int // the value of option 0
	offsets   []int
	open      []openTable // the undecided categories; id is -1 for a category without a cost table
	points    [][]int     // [attribute][category]
}

// Weights returns the cumulative weights of the possible values of the next decision, when a card
// is sampled.
func (d *massDescent[T]) Weights(context.Context) ([]uint64, error) {
	w := d.w
	g, t := &w.weigher, powersOfHalf()
	var sums []uint64
	sum := uint64(0)
	add := func(weight uint64) {
		sum += weight
		sums = append(sums, sum)
	}
	switch i := d.decisions - 1; {
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
		decays, _ := w.decays(s, p.productsFrom, g.hi-p.hi-p.productsFrom+1, t)
		for _, weight := range decays[d.sum-d.offsets[s.attribute]-p.productsFrom:][:a.hi-a.lo+1] {
			add(weight)
		}
	}
	return sums, nil
}

// partOf returns the part of the weigher for attribute j.
func (g *weigher) partOf(j int) *massPart {
	return &g.parts[slices.IndexFunc(g.parts, func(p massPart) bool { return p.attribute == j })]
}

// Take makes the next decision when a card is sampled. The option is the index of the decided value
// in the result of Weights.
func (d *massDescent[T]) Take(option int) {
	w, value := d.w, d.first+option
	g := &w.weigher
	switch i := d.decisions - 1; {
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
	d.decisions++
}

// Hypothesis returns the sampled card h, its prior, which is 1, and its cost, which is computed
// from the records.
func (d *massDescent[T]) Hypothesis() (h Card, prior *big.Rat, cost int64) {
	w := d.w
	h = Card{d.points}
	for j, offset := range d.offsets {
		h.Points[j][w.t.axes[j].ref] = offset
		for _, c := range w.t.order[j][:len(w.t.order[j])-w.undecided[j]] {
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
