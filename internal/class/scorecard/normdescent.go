package scorecard

import (
	"math/rand/v2"
	"slices"
)

// bestWithin returns the best card that the local search finds within the limit on the norm. Since
// the search changes one attribute at a time, it could not lower the points of one attribute to
// allow higher points of another. Therefore bestWithin first replaces the limit by a Lagrange term:
// it adds a multiplier times the squared norm to the cost. The multiplier starts at the parameter
// price, and decreases until the card exceeds the limit.
func (d *descent) bestWithin(price int64, rng *rand.Rand) Card {
	best := d.start(rng)
	bestCost := d.improve(best, d.setCurrent(best))
	try := func(h Card) {
		d.multiplier = 0
		if h.Norm() > d.class.options.Norm {
			return
		}
		if cost := d.improve(h, d.setCurrent(h)); cost < bestCost {
			best, bestCost = h, cost
		}
	}
	most := d.mostMultiplierOfNorm()
	h := d.start(rng)
	for price = min(max(1, price), most); ; price = price * 3 / 4 {
		d.multiplier = max(1, price)
		d.improve(h, d.setCurrent(h))
		if h.Norm() > d.class.options.Norm || price == 0 {
			break
		}
		try(h.clone())
	}
	for range 4 * d.perturbations() {
		h := best.clone()
		d.multiplier = min(1+price/2+rng.Int64N(price+1), most)
		d.setCurrent(h)
		d.perturb(h, rng)
		d.perturb(h, rng)
		for d.improve(h, d.cost(h)); h.Norm() > d.class.options.Norm && d.multiplier < most; d.improve(h, d.cost(h)) {
			d.multiplier = min(d.multiplier+d.multiplier/4+1, most)
		}
		try(h)
	}
	return best
}

// mostMultiplierOfNorm returns the maximum Lagrange multiplier of the squared norm. It keeps the
// multiplier times the squared norm of any attribute below 2^62.
func (d *descent) mostMultiplierOfNorm() int64 {
	widest := 1
	for _, a := range d.class.attributes {
		norm := 0
		for cat := range a.categories {
			lo, hi := a.bounds(cat)
			norm += max(lo*lo, hi*hi)
		}
		widest = max(widest, norm)
	}
	return 1 << 61 / int64(widest)
}

// leastNormVector returns a vector of points of least norm that the attribute allows.
func (a *Attribute) leastNormVector() []int {
	if !a.oneHot() {
		return slices.MinFunc(a.vectors, func(v, w []int) int { return square(v) - square(w) })
	}
	return slices.Repeat([]int{min(max(0, a.lo), a.hi)}, a.categories)
}

// A partialChoice is an entry of the dynamic program of cheapestOfNorm: the cheapest points of the
// first categories of an attribute. It holds their total cost, the points of the last of these
// categories, and in the field before the index of the entry for the categories before it.
type partialChoice struct {
	cost           int64
	points, before int
}

// cheapestOfNorm returns a vector of least cost for each possible squared norm up to the given
// maximum, and possibly further vectors within it. The attribute must be created by OneHot. The
// parameter options holds, for each category, the costs of its possible points.
func (a *Attribute) cheapestOfNorm(options []categoryCost, most int) [][]int {
	order := slices.Clone(a.ordered)
	for c := range a.categories {
		if !slices.Contains(a.ordered, c) {
			order = append(order, c)
		}
	}
	// The index of an entry is s·width + p, where s is its squared norm. If the points of the last
	// ordered category constrain the next category, p is these points minus a.lo. Otherwise p is 0.
	width := a.hi - a.lo + 1
	impossible := slices.Repeat([]partialChoice{{cost: none}}, (most+1)*width)
	choices := [][]partialChoice{slices.Clone(impossible)}
	choices[0][0].cost = 0
	for i, c := range order {
		next := slices.Clone(impossible)
		for at, w := range choices[i] {
			if w.cost == none {
				continue
			}
			norm, last := at/width, at%width
			for p := last; p < width; p++ {
				points := a.lo + p
				if norm+points*points > most {
					continue
				}
				to := (norm + points*points) * width
				if i+1 < len(a.ordered) {
					to += p
				}
				if cost := w.cost + options[c].cost[points-options[c].lo]; cost < next[to].cost {
					next[to] = partialChoice{cost, points, at}
				}
			}
		}
		choices = append(choices, next)
	}
	var out [][]int
	for at, w := range choices[len(order)] {
		if w.cost == none {
			continue
		}
		v := make([]int, a.categories)
		for i := len(order) - 1; i >= 0; i-- {
			v[order[i]] = choices[i+1][at].points
			at = choices[i+1][at].before
		}
		out = append(out, v)
	}
	return out
}
