package readonce

import (
	"math"
	"math/bits"
	"slices"
)

const (
	// mostPairs is how many close pairs of formulas are looked at when points
	// are chosen.
	mostPairs = 1 << 17
	// trial is the number of random points by which pairs are first told to be
	// close.
	trial = 256
	// projections is how often formulas are thrown into buckets.
	projections = 16
)

// A pair of formulas, by their numbers, and the number of chosen points on which
// they differ.
type pair struct{ a, b, distance int32 }

// choosePoints returns m points. Each is the one of 64 random ones that
// separates most of the closest pairs of formulas, a pair counting four times
// as much as one that is further apart by one. Which pairs are close is first
// told by other random points, and twice again by those chosen so far. All this
// is a heuristic: the distance is worked out afterwards.
func (c *Class) choosePoints(d *draw, m int) columns {
	d.extend(trial / 64)
	near := c.nearest(d, d.columns, trial)
	for i := range near {
		near[i].distance = 0
	}
	chosen := newColumns(len(c.inputs), m)
	candidates := newColumns(len(c.inputs), 64)
	for size := range m {
		if (size == m/4 || size == m/2) && size >= 2*c.bucketBits() {
			near = c.nearest(d, chosen, size)
		}
		for i := range candidates {
			candidates[i][0] = d.word()
		}
		labels := c.labels(candidates)
		best := mostSeparating(near, labels)
		for i := range candidates {
			if candidates.bit(i, best) {
				chosen.set(i, size)
			}
		}
		for i, p := range near {
			near[i].distance += int32((labels[p.a] ^ labels[p.b]) >> best & 1)
		}
	}
	return chosen
}

// bucketBits returns the logarithm of the number of buckets, N or somewhat more.
func (c *Class) bucketBits() int { return bits.Len(uint(c.size)) }

// nearest returns mostPairs of the pairs of formulas that differ on the fewest
// of the first n points, or nearly so. It throws all formulas into buckets by
// their labels of a few of these points, drawn at random, compares those that
// share a bucket, and does so again: pairs that are close meet at some time.
func (c *Class) nearest(d *draw, points columns, n int) []pair {
	labels, each := c.labels(points), len(points[0])
	label := func(i, r int) int { return int(labels[i*each+r/64] >> (r % 64) & 1) }
	var found []uint64 // distance, a and b, each in its bits
	limit := uint64(math.MaxUint64)
	thin := func() {
		slices.Sort(found)
		found = slices.Compact(found)
		if len(found) >= mostPairs {
			found = found[:mostPairs]
			limit = found[mostPairs-1]
		}
	}
	for range projections {
		key := make([]int, c.size)
		for range c.bucketBits() {
			r := int(d.bits.Uint64() % uint64(n))
			for i := range key {
				key[i] = key[i]<<1 | label(i, r)
			}
		}
		buckets := make([][]int, 1<<c.bucketBits())
		for i, k := range key {
			buckets[k] = append(buckets[k], i)
		}
		for _, bucket := range buckets {
			for j, b := range bucket {
				for _, a := range bucket[:j] {
					distance := 0
					for w := range each {
						distance += bits.OnesCount64(labels[a*each+w] ^ labels[b*each+w])
					}
					if p := uint64(distance)<<32 | uint64(a)<<16 | uint64(b); p < limit {
						found = append(found, p)
					}
					if len(found) == 4*mostPairs {
						thin()
					}
				}
			}
		}
	}
	thin()
	near := make([]pair, len(found))
	for i, p := range found {
		near[i] = pair{int32(p >> 16 & 0xffff), int32(p & 0xffff), int32(p >> 32)}
	}
	return near
}

// mostSeparating returns the point that separates most, given the labels of 64
// points by every formula.
func mostSeparating(near []pair, labels []uint64) int {
	least := int32(64 * mostPoints)
	for _, p := range near {
		least = min(least, p.distance)
	}
	var gain [64]uint64
	for _, p := range near {
		worth := uint64(1) << (2 * max(0, 10-(p.distance-least)))
		for x := labels[p.a] ^ labels[p.b]; x != 0; x &= x - 1 {
			gain[bits.TrailingZeros64(x)] += worth
		}
	}
	best := 0
	for i, g := range gain {
		if g > gain[best] {
			best = i
		}
	}
	return best
}
