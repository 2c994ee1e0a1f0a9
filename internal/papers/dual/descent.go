package dual

import "math/rand/v2"

// starts is how many records the descent starts from.
const starts = 8

// descend looks for a good record, and returns it with its cost: it gives one
// attribute after the other its best category, all others held fixed, until no
// such change helps, and does so from several starts.
func (t *tree[H]) descend() (best []uint16, least int64) {
	rng := rand.New(rand.NewPCG(2, 7)) // steers only: nothing private, nothing released
	for start := range starts {
		x := make([]uint16, len(t.class.sizes))
		if start > 0 {
			for j, n := range t.class.sizes {
				x[j] = uint16(rng.IntN(n))
			}
		}
		if cost := t.improve(x); best == nil || cost < least {
			best, least = x, cost
		}
	}
	return best, least
}

// improve changes x until no change helps, and returns its cost.
func (t *tree[H]) improve(x []uint16) int64 {
	cost := t.costOf(x)
	for j, idle := 0, 0; idle < len(x); j, idle = (j+1)%len(x), idle+1 {
		now := x[j]
		for category := range t.class.sizes[j] {
			before := x[j]
			x[j] = uint16(category)
			if c := t.costOf(x); c < cost {
				cost = c
			} else {
				x[j] = before
			}
		}
		if x[j] != now {
			idle = 0 // its own best, given the others
		}
	}
	return cost
}

// costOf returns the exact cost of x.
func (t *tree[H]) costOf(x []uint16) int64 {
	cost := t.base
	for j, category := range x {
		cost += t.prices[j][category]
	}
	for i := range t.points {
		pt := &t.points[i]
		cost += pt.over[side(t.class.primal.Predict(pt.h, x))]
	}
	return cost
}
