package scorecard

import (
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A descent looks for a good card by giving one attribute after the other its
// best contributions, all others held fixed, from several starts.
type descent struct {
	class   *Class
	records []record
	penalty int64 // of one attribute used
	terms   [][][]int64
	totals  []int // of each record under the current card
	base    int64
	lo, hi  int // the range of totals
	byTotal []int64
}

// starts is the number of random starts beside the all-zero one.
const starts = 8

func newDescent(c *Class, p class.Problem[[]uint16], records []record, base int64) *descent {
	d := &descent{
		class: c, records: records, base: base,
		penalty: c.options.Penalty * p.PenaltyUnit(), terms: c.termCosts(p.Terms),
		totals: make([]int, len(records)),
	}
	for _, a := range c.attributes {
		lo, hi := 0, 0
		for cat := range a.categories {
			l, h := a.bounds(cat)
			lo, hi = min(lo, l), max(hi, h)
		}
		d.lo, d.hi = d.lo+lo, d.hi+hi
	}
	return d
}

// best returns the best card found.
func (d *descent) best() Card {
	rng := rand.New(rand.NewPCG(3, 5)) // starts only: nothing private, nothing released
	var best Card
	bestCost := int64(0)
	for s := range starts + 1 {
		h := d.start(rng, s == 0)
		cost := d.improve(h)
		if s == 0 || cost < bestCost {
			best, bestCost = h.clone(), cost
		}
	}
	return best
}

// start returns a card of the class.
func (d *descent) start(rng *rand.Rand, zero bool) Card {
	h := Card{make([][]int, len(d.class.attributes))}
	used := 0
	for j := range d.class.attributes {
		a := &d.class.attributes[j]
		h.Points[j] = make([]int, a.categories)
		if a.contains(h.Points[j]) {
			continue
		}
		h.Points[j] = a.random(rng)
		used++
	}
	if zero {
		return h
	}
	for _, j := range rng.Perm(len(h.Points)) {
		if h.Used(j) || used == d.class.most() {
			continue
		}
		h.Points[j] = d.class.attributes[j].random(rng)
		used++
	}
	return h
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

// improve changes h, attribute by attribute, until no change helps, and
// returns its cost.
func (d *descent) improve(h Card) int64 {
	for i, r := range d.records {
		d.totals[i] = h.Total(r.x)
	}
	cost := d.cost(h)
	for {
		before := cost
		for j := range h.Points {
			cost = d.improveAttribute(h, j, cost)
		}
		if cost == before {
			return cost
		}
	}
}

// cost returns the cost of h, whose totals are current.
func (d *descent) cost(h Card) int64 {
	cost := d.base
	for j := range h.Points {
		if h.Used(j) {
			cost += d.penalty
		}
	}
	for i, r := range d.records {
		if d.totals[i] >= d.class.options.Threshold {
			cost += r.d
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
	price := func(v []int) int64 {
		sum := int64(0)
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
		if a.oneHot() {
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
	for i, r := range d.records {
		d.totals[i] += best[r.x[j]] - h.Points[j][r.x[j]]
	}
	h.Points[j] = slices.Clone(best)
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
	for i, r := range d.records {
		c := r.x[j]
		rest := d.totals[i] - h.Points[j][c]
		d.byTotal[int(c)*width+rest-d.lo] += r.d
	}
	out := make([]categoryCost, a.categories)
	for c := range out {
		lo, hi := a.bounds(c)
		out[c] = categoryCost{lo, make([]int64, hi-lo+1)}
		sums := d.byTotal[c*width : (c+1)*width]
		// Σ of d over rest ≥ threshold - v, for v from hi down
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
