package scorecard

import (
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A descent searches for a good card by block coordinate descent. It optimizes the points of one
// attribute after another, with all others fixed, until no such change lowers the cost. Then it
// changes one attribute at random and optimizes again. It also continues from a card that is
// slightly worse than the previous one (see slackShare), to escape local minima.
type descent struct {
	class      *Class
	codes      [][]uint16 // [attribute][record]: the record's category
	d          []int64    // [record]: the cost of predicting 1 minus that of predicting 0
	penalty    int64      // the penalty of each used attribute
	terms      [][][]int64
	totals     []int32 // the total of each record for the current card
	base       int64
	lo, hi     int     // a range that contains all totals
	byTotal    []int64 // scratch memory of vectorCosts
	norm       []int64 // [s]: the charge of squared norm s (see normCosts); nil without a limit
	multiplier int64   // if positive, the cost contains multiplier times the squared norm, and the limit does not apply
}

func newDescent(c *Class, p class.Problem[[]uint16], records []record, base int64) *descent {
	d := &descent{
		class: c, base: base,
		penalty: c.options.Penalty * p.PenaltyUnit(), terms: c.termCosts(p.Terms),
		totals: make([]int32, len(records)),
	}
	if c.options.Norm > 0 {
		d.norm = c.normCosts(p.Terms)
	}
	for j, a := range c.attributes {
		lo, hi := 0, 0
		for cat := range a.categories {
			l, h := a.bounds(cat)
			lo, hi = min(lo, l), max(hi, h)
		}
		d.lo, d.hi = d.lo+lo, d.hi+hi
		codes := make([]uint16, len(records))
		for i, r := range records {
			codes[i] = r.x[j]
		}
		d.codes = append(d.codes, codes)
	}
	for _, r := range records {
		d.d = append(d.d, r.d)
	}
	return d
}

// perturbations returns how many random changes the local search tries. The number grows with the
// number of cards of the class, which indicates how hard the search will be. If there are very many
// categories, it is limited so that the total work remains bounded.
func (d *descent) perturbations() int {
	points := 0
	for _, a := range d.class.attributes {
		lo, hi := a.bounds(0)
		points += a.categories * (hi - lo + 1)
	}
	return min(8<<min(max(0, (d.class.size.BitLen()-32)/8), 8), 8+mostPerturbed/points)
}

// mostPerturbed limits the total work of all random changes of a local search. The work of one
// change is estimated by the total number of points that the categories may have.
const mostPerturbed = 1 << 24

// lowerBound returns a lower bound on the cost of every card. It is valid only if the problem has
// no terms.
func (d *descent) lowerBound() int64 {
	floor := d.base
	for _, w := range d.d {
		floor += min(w, 0)
	}
	return floor
}

// slackShare determines by how much a changed card may cost more than the current card and still
// replace it: by Σ|d|/slackShare. The sum is over all records, and d is the cost of predicting 1
// for a record minus that of predicting 0. Without this slack, the search gets stuck more often.
// With several times this slack, it finds worse cards (measured on census data).
const slackShare = 1000

// best runs the local search and returns the card of least cost that it finds.
func (d *descent) best() Card {
	rng := rand.New(rand.NewPCG(3, 5)) // affects only the search; neither private nor released
	slack := int64(0)
	for _, w := range d.d {
		slack += max(w, -w)
	}
	if d.norm != nil {
		return d.bestWithin(slack, rng)
	}
	slack /= slackShare
	h := d.start(rng)
	cost := d.improve(h, d.setCurrent(h))
	best, bestCost := h, cost
	var before []int32
	for range d.perturbations() {
		if d.terms == nil && bestCost == d.lowerBound() {
			break
		}
		g := h.clone()
		before = append(before[:0], d.totals...)
		c := d.improve(g, d.perturb(g, rng))
		if c > cost+slack {
			copy(d.totals, before)
			continue
		}
		h, cost = g, c
		if c < bestCost {
			best, bestCost = g, c
		}
	}
	return best
}

// start returns the card from which the local search starts: a card that uses the fewest
// attributes, or, with a limit on the norm, a card of least norm.
func (d *descent) start(rng *rand.Rand) Card {
	h := Card{make([][]int, len(d.class.attributes))}
	for j := range d.class.attributes {
		a := &d.class.attributes[j]
		h.Points[j] = make([]int, a.categories)
		switch {
		case a.contains(h.Points[j]):
		case d.norm != nil:
			h.Points[j] = a.leastNormVector()
		default:
			h.Points[j] = a.random(rng)
		}
	}
	return h
}

// charge returns the cost that the problem's terms assign to a card's squared norm. It returns the
// constant none if no card may have this norm, and 0 if the norm is not limited or the search
// currently ignores the limit.
func (d *descent) charge(norm int) int64 {
	switch {
	case d.norm == nil || d.multiplier > 0:
		return 0
	case norm >= len(d.norm):
		return none
	default:
		return min(d.norm[norm], none)
	}
}

// perturb replaces the points of a random attribute of the current card h by random ones, unless
// the new card would violate a limit of the class. It returns the new cost of h.
func (d *descent) perturb(h Card, rng *rand.Rand) int64 {
	used := 0
	for j := range h.Points {
		if h.Used(j) {
			used++
		}
	}
	if j := rng.IntN(len(h.Points)); h.Used(j) || used < d.class.most() {
		v := d.class.attributes[j].random(rng)
		if d.charge(h.Norm()-square(h.Points[j])+square(v)) < none {
			d.set(h, j, v)
		}
	}
	return d.cost(h)
}

// set replaces the points of attribute j of the current card h by v, and updates the records'
// totals.
func (d *descent) set(h Card, j int, v []int) {
	change := make([]int32, len(v))
	for c := range v {
		change[c] = int32(v[c] - h.Points[j][c])
	}
	for i, c := range d.codes[j] {
		d.totals[i] += change[c]
	}
	h.Points[j] = v
}

// random returns a random vector of points that the attribute allows.
func (a Attribute) random(rng *rand.Rand) []int {
	if !a.oneHot() {
		return slices.Clone(a.vectors[rng.IntN(len(a.vectors))])
	}
	v := make([]int, a.categories)
	for c := range v {
		v[c] = a.lo + rng.IntN(a.hi-a.lo+1)
	}
	ordered := make([]int, len(a.ordered))
	for i, c := range a.ordered {
		ordered[i] = v[c]
	}
	slices.Sort(ordered)
	for i, c := range a.ordered {
		v[c] = ordered[i]
	}
	return v
}

// setCurrent makes h the current card of the search and returns its cost. It computes the total
// points of all records under h.
func (d *descent) setCurrent(h Card) int64 {
	clear(d.totals)
	for j, codes := range d.codes {
		for i, c := range codes {
			d.totals[i] += int32(h.Points[j][c])
		}
	}
	return d.cost(h)
}

// improve optimizes the points of one attribute of the current card h after another, until no
// change lowers the cost. The parameter cost is the cost of h; the result is the new cost.
func (d *descent) improve(h Card, cost int64) int64 {
	for j, idle := 0, 0; idle < len(h.Points); j = (j + 1) % len(h.Points) {
		before := cost
		cost = d.improveAttribute(h, j, cost)
		if idle++; cost < before {
			idle = 1 // now the attribute is optimal, given the others
		}
	}
	return cost
}

// cost returns the cost of card h, which must be the current card of the search (see setCurrent).
func (d *descent) cost(h Card) int64 {
	cost := d.base + d.charge(h.Norm())
	for j := range h.Points {
		if h.Used(j) {
			cost += d.penalty
		}
	}
	for i, total := range d.totals {
		if int(total) >= d.class.options.Threshold {
			cost += d.d[i]
		}
	}
	for j := range d.terms {
		for c, costs := range d.terms[j] {
			lo, _ := d.class.attributes[j].bounds(c)
			cost += costs[h.Points[j][c]-lo]
		}
	}
	return cost
}

// improveAttribute replaces the points of attribute j of the current card h by points of lower
// cost, if it finds some, with all other attributes fixed. The parameter cost is the cost of h; the
// result is the new cost.
func (d *descent) improveAttribute(h Card, j int, cost int64) int64 {
	a := &d.class.attributes[j]
	options := d.vectorCosts(h, j)
	norm := h.Norm() - square(h.Points[j]) // the squared norm of all other attributes
	price := func(v []int) int64 {
		sum := d.charge(norm + square(v))
		used := false
		for c, p := range v {
			sum += options[c].cost[p-options[c].lo]
			used = used || p != 0
		}
		if used {
			sum += d.penalty
		}
		return sum
	}
	now := price(h.Points[j])
	best, bestPrice := h.Points[j], now
	try := func(v []int) {
		if p := price(v); p < bestPrice {
			best, bestPrice = v, p
		}
	}
	others := 0
	for i := range h.Points {
		if i != j && h.Used(i) {
			others++
		}
	}
	if zero := make([]int, a.categories); a.contains(zero) {
		try(zero)
	}
	if others < d.class.most() {
		if a.oneHot() && d.norm != nil && d.multiplier == 0 {
			for _, v := range a.cheapestOfNorm(options, d.class.options.Norm-norm) {
				try(v)
			}
		} else if a.oneHot() {
			try(a.cheapest(options))
		} else {
			for _, v := range a.vectors {
				try(v)
			}
		}
	}
	if bestPrice == now {
		return cost
	}
	d.set(h, j, slices.Clone(best))
	return cost + bestPrice - now
}

// A categoryCost holds the costs of all numbers of points that a category may have: cost[i] is the
// cost if the category has lo+i points.
type categoryCost struct {
	lo   int
	cost []int64
}

// vectorCosts returns, for each category of attribute j, the cost of each number of points that it
// may have, if all other attributes of card h are fixed. The cost consists of the cost of the
// records with this category, the terms, and d.multiplier times the squared points, which replaces
// a limit on the norm.
func (d *descent) vectorCosts(h Card, j int) []categoryCost {
	a := &d.class.attributes[j]
	width := d.hi - d.lo + 1
	if need := width * a.categories; len(d.byTotal) < need {
		d.byTotal = make([]int64, need)
	}
	clear(d.byTotal[:width*a.categories])
	place := make([]int32, a.categories) // the index in byTotal of total 0, given a category's current points
	for c, v := range h.Points[j] {
		place[c] = int32(c*width - v - d.lo)
	}
	totals, weights := d.totals, d.d
	codes := d.codes[j]
	totals, weights = totals[:len(codes)], weights[:len(codes)]
	for i, c := range codes {
		d.byTotal[place[c]+totals[i]] += weights[i]
	}
	out := make([]categoryCost, a.categories)
	for c := range out {
		lo, hi := a.bounds(c)
		out[c] = categoryCost{lo, make([]int64, hi-lo+1)}
		sums := d.byTotal[c*width : (c+1)*width]
		// cost[v-lo] is Σ d over the records with category c whose other points sum to at least
		// threshold - v.
		sum, at := int64(0), width
		for v := lo; v <= hi; v++ {
			from := max(d.class.options.Threshold-v-d.lo, 0)
			for at > from {
				at--
				sum += sums[at]
			}
			out[c].cost[v-lo] = sum
			if d.terms != nil {
				out[c].cost[v-lo] += d.terms[j][c][v-lo]
			}
			out[c].cost[v-lo] += d.multiplier * int64(v*v)
		}
	}
	return out
}

// cheapest returns a vector of least cost of a OneHot attribute, respecting the order of its
// categories. The parameter options holds, for each category, the costs of its possible points.
func (a *Attribute) cheapest(options []categoryCost) []int {
	v := make([]int, a.categories)
	for c, o := range options {
		v[c] = o.lo + slices.Index(o.cost, slices.Min(o.cost))
	}
	if len(a.ordered) == 0 {
		return v
	}
	// least[i][p] is the least cost of the first i+1 ordered categories if
	// category a.ordered[i] has at most a.lo+p points.
	width := a.hi - a.lo + 1
	least := make([][]int64, len(a.ordered))
	for i, c := range a.ordered {
		least[i] = make([]int64, width)
		for p := range width {
			least[i][p] = options[c].cost[p]
			if i > 0 {
				least[i][p] += least[i-1][p]
			}
		}
		for p := 1; p < width; p++ {
			least[i][p] = min(least[i][p], least[i][p-1])
		}
	}
	top := width - 1
	for i := len(a.ordered) - 1; i >= 0; i-- {
		for top > 0 && least[i][top-1] == least[i][top] {
			top--
		}
		v[a.ordered[i]] = a.lo + top
	}
	return v
}
