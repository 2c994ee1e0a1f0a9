package scorecard

import (
	"math/rand/v2"
	"slices"
)

// bestWithin returns the best card found within the limit on the norm. A change
// of one attribute cannot use what another has of the norm, so the limit is
// first replaced by a price of the norm, which falls from the given one until
// the card reaches the limit.
func (d *descent) bestWithin(price int64, rng *rand.Rand) Card {
	best := d.start(rng)
	bestCost := d.improve(best, d.enter(best))
	try := func(h Card) {
		d.price = 0
		if h.Norm() > d.class.options.Norm {
			return
		}
		if cost := d.improve(h, d.enter(h)); cost < bestCost {
			best, bestCost = h, cost
		}
	}
	most := d.mostPrice()
	h := d.start(rng)
	for price = min(max(1, price), most); ; price = price * 3 / 4 {
		d.price = max(1, price)
		d.improve(h, d.enter(h))
		if h.Norm() > d.class.options.Norm || price == 0 {
			break
		}
		try(h.clone())
	}
	for range 4 * d.shakes() {
		h := best.clone()
		d.price = min(1+price/2+rng.Int64N(price+1), most)
		d.enter(h)
		d.shake(h, rng)
		d.shake(h, rng)
		for d.improve(h, d.cost(h)); h.Norm() > d.class.options.Norm && d.price < most; d.improve(h, d.cost(h)) {
			d.price = min(d.price+d.price/4+1, most)
		}
		try(h)
	}
	return best
}

// mostPrice returns a price at which all points of an attribute come to less
// than 2^62.
func (d *descent) mostPrice() int64 {
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

// gentlest returns the vector of least norm.
func (a *Attribute) gentlest() []int {
	if !a.oneHot() {
		return slices.MinFunc(a.vectors, func(v, w []int) int { return square(v) - square(w) })
	}
	return slices.Repeat([]int{min(max(0, a.lo), a.hi)}, a.categories)
}

// A way is the cheapest to give some categories points: those of the last of
// them, and the place of the way for those before it.
type way struct {
	cost           int64
	points, before int
}

// cheapestOfNorm returns one-hot vectors with a squared norm of at most so much,
// the cheapest of each norm among them.
func (a *Attribute) cheapestOfNorm(options []categoryCost, most int) [][]int {
	order := slices.Clone(a.ordered)
	for c := range a.categories {
		if !slices.Contains(a.ordered, c) {
			order = append(order, c)
		}
	}
	// A way's place is its norm, times the points that the last ordered category
	// may have, plus its points, as far as these bind the next.
	width := a.hi - a.lo + 1
	impossible := slices.Repeat([]way{{cost: none}}, (most+1)*width)
	ways := [][]way{slices.Clone(impossible)}
	ways[0][0].cost = 0
	for i, c := range order {
		next := slices.Clone(impossible)
		for at, w := range ways[i] {
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
					next[to] = way{cost, points, at}
				}
			}
		}
		ways = append(ways, next)
	}
	var out [][]int
	for at, w := range ways[len(order)] {
		if w.cost == none {
			continue
		}
		v := make([]int, a.categories)
		for i := len(order) - 1; i >= 0; i-- {
			v[order[i]] = ways[i+1][at].points
			at = ways[i+1][at].before
		}
		out = append(out, v)
	}
	return out
}
