package dual

import "math/rand/v2"

// starts is the number of starting points of descend.
const starts = 8

// descend searches for a record of small cost by coordinate descent from several starting points. It returns the best
// record that it finds, and the cost of this record.
func (t *tree[H]) descend() (best []uint16, least int64) {
	rng := rand.New(rand.NewPCG(2, 7)) // affects only the incumbent, so privacy does not depend on it
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

// improve does coordinate descent from the record x: it sets one attribute after the other to its best category,
// until no change of a single attribute reduces the cost. It modifies x, and returns its final cost.
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
			idle = 0 // count j itself as visited after the loop's increment
		}
	}
	return cost
}

// costOf returns the exact cost of the record x, a hypothesis of the dual class.
func (t *tree[H]) costOf(x []uint16) int64 {
	cost := t.base
	for j, category := range x {
		cost += t.prices[j][category]
	}
	for i := range t.points {
		pt := &t.points[i]
		cost += pt.over[costIndex(t.class.primal.Predict(pt.h, x))]
	}
	return cost
}
