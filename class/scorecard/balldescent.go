package scorecard

import "math/rand/v2"

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
