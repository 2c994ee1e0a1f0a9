package scorecard

import (
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A descent looks for a good card: it gives one attribute after the other its
// best contributions, all others held fixed, until no such change helps; then
// it shakes one attribute and descends again, from the best card so far.
type descent struct {
	class   *Class
	codes   [][]uint16 // of each attribute: its category in each record
	d       []int64    // of each record
	penalty int64      // of one attribute used
	terms   [][][]int64
	totals  []int32 // of each record under the current card
	base    int64
	lo, hi  int // the range of totals
	byTotal []int64
	norm    []int64 // what each squared norm is charged, at least none for no card's; nil without a limit
	price   int64   // of a unit of the squared norm, which it then has no limit; 0 for the limit
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

// shakes returns how often to shake the card: the more the harder the search
// will be, which grows with the number of cards, but on very many categories so
// often that each is looked at a bounded number of times.
func (d *descent) shakes() int {
	points := 0
	for _, a := range d.class.attributes {
		lo, hi := a.bounds(0)
		points += a.categories * (hi - lo + 1)
	}
	return min(8<<min(max(0, (d.class.size.BitLen()-32)/8), 8), 8+mostShaken/points)
}

// mostShaken bounds the points of categories that all shakes look at.
const mostShaken = 1 << 24

// floor returns a cost that no card is below, without terms.
func (d *descent) floor() int64 {
	floor := d.base
	for _, w := range d.d {
		floor += min(w, 0)
	}
	return floor
}

// slackShare is the share of all costs by which a card may be worse than the
// one that was shaken and still take its place: on census data, with none the
// descent gets stuck more often, and with a multiple it strays.
const slackShare = 1000

// best returns the best card found.
func (d *descent) best() Card {
	rng := rand.New(rand.NewPCG(3, 5)) // steers only: nothing private, nothing released
	slack := int64(0)
	for _, w := range d.d {
		slack += max(w, -w)
	}
	if d.norm != nil {
		return d.bestWithin(slack, rng)
	}
	slack /= slackShare
	h := d.start(rng)
	cost := d.improve(h, d.enter(h))
	best, bestCost := h, cost
	var before []int32
	for range d.shakes() {
		if d.terms == nil && bestCost == d.floor() {
			break
		}
		g := h.clone()
		before = append(before[:0], d.totals...)
		c := d.improve(g, d.shake(g, rng))
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

// start returns the card of the class that uses the fewest attributes, or with a
// limit on the norm one of the least norm.
func (d *descent) start(rng *rand.Rand) Card {
	h := Card{make([][]int, len(d.class.attributes))}
	for j := range d.class.attributes {
		a := &d.class.attributes[j]
		h.Points[j] = make([]int, a.categories)
		switch {
		case a.contains(h.Points[j]):
		case d.norm != nil:
			h.Points[j] = a.gentlest()
		default:
			h.Points[j] = a.random(rng)
		}
	}
	return h
}

// charge returns what a squared norm is charged: more than any cost where no card
// may have it.
func (d *descent) charge(norm int) int64 {
	switch {
	case d.norm == nil || d.price > 0:
		return 0
	case norm >= len(d.norm):
		return none
	default:
		return min(d.norm[norm], none)
	}
}

// shake gives one attribute random contributions, and returns the cost.
func (d *descent) shake(h Card, rng *rand.Rand) int64 {
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

// set gives attribute j the contributions v.
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

// random returns some vector of the attribute.
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

// enter makes h the current card, and returns its cost.
func (d *descent) enter(h Card) int64 {
	clear(d.totals)
	for j, codes := range d.codes {
		for i, c := range codes {
			d.totals[i] += int32(h.Points[j][c])
		}
	}
	return d.cost(h)
}

// improve changes h, the current card, attribute by attribute, until no change
// helps, and returns its cost.
func (d *descent) improve(h Card, cost int64) int64 {
	for j, idle := 0, 0; idle < len(h.Points); j = (j + 1) % len(h.Points) {
		before := cost
		cost = d.improveAttribute(h, j, cost)
		if idle++; cost < before {
			idle = 1 // its own best, given the rest of the card
		}
	}
	return cost
}

// cost returns the cost of h, whose totals are current.
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

// improveAttribute gives attribute j its best vector, and returns the cost.
func (d *descent) improveAttribute(h Card, j int, cost int64) int64 {
	a := &d.class.attributes[j]
	options := d.vectorCosts(h, j)
	norm := h.Norm() - square(h.Points[j]) // of all points but these
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
		if a.oneHot() && d.norm != nil && d.price == 0 {
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

// A categoryCost is what the contributions of a category cost, from lo up.
type categoryCost struct {
	lo   int
	cost []int64
}

// vectorCosts returns the costs of attribute j's contributions while all
// others stay: records and terms.
func (d *descent) vectorCosts(h Card, j int) []categoryCost {
	a := &d.class.attributes[j]
	width := d.hi - d.lo + 1
	if need := width * a.categories; len(d.byTotal) < need {
		d.byTotal = make([]int64, need)
	}
	clear(d.byTotal[:width*a.categories])
	place := make([]int32, a.categories) // of total 0 under a category's present points
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
		// Σ of d where the total without v is at least threshold - v, for v from hi down
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
			out[c].cost[v-lo] += d.price * int64(v*v)
		}
	}
	return out
}

// cheapest returns the one-hot vector of least cost.
func (a *Attribute) cheapest(options []categoryCost) []int {
	v := make([]int, a.categories)
	for c, o := range options {
		v[c] = o.lo + slices.Index(o.cost, slices.Min(o.cost))
	}
	if len(a.ordered) == 0 {
		return v
	}
	// Along the ordered categories: least[i][p] is the cheapest way to end
	// category i at p or below.
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
