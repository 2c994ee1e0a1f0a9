package readonce

import (
	"math"
	"math/bits"
	"slices"
)

const (
	// mostPairs is the maximum number of close pairs of formulas that are considered when points
	// are chosen.
	mostPairs = 1 << 17
	// trialPoints is the number of random points from which the first close pairs are determined.
	trialPoints = 256
	// projections is the number of times that nearest hashes all formulas into buckets to find
	// close pairs.
	projections = 16
)

// A pair consists of two formulas, given by their indices a and b. The field distance is the number
// of chosen separator points on which they differ.
type pair struct{ a, b, distance int32 }

// choosePoints returns m separator points such that any two formulas differ on many of them. This
// is a heuristic; the actual minimum distance is computed afterwards.
//
// Method: choosePoints first finds close pairs of formulas, those that differ on few random points.
// Then it adds points one by one. Each is the best of 64 random points: the one that distinguishes
// the pairs with the greatest total weight. The weight of a pair grows fourfold for each point less
// on which it differs. The close pairs are determined again, from the points chosen so far, two
// times during this process.
func (c *Class) choosePoints(d *pointSource, m int) columns {
	d.extend(trialPoints / 64)
	near := c.nearest(d, d.columns, trialPoints)
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

// bucketBits returns the binary logarithm of the number of hash buckets that nearest uses. There
// are more buckets than formulas.
func (c *Class) bucketBits() int { return bits.Len(uint(c.size)) }

// nearest returns mostPairs pairs of formulas that differ on few of the first n points:
// approximately those that differ on the fewest. It repeatedly hashes all formulas into buckets, by
// their values on a few random ones of these points, and compares the formulas that share a bucket.
// Close pairs are likely to share a bucket at least once.
func (c *Class) nearest(d *pointSource, points columns, n int) []pair {
	labels, each := c.labels(points), len(points[0])
	label := func(i, r int) int { return int(labels[i*each+r/64] >> (r % 64) & 1) }
	var found []uint64 // distance, a and b, packed
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

// mostSeparating returns the index of the best of 64 points: the one that distinguishes the close
// pairs of formulas with the greatest total weight (see choosePoints). The parameter near holds the
// pairs. The parameter labels holds, for every formula, the values on the 64 points as one word.
func mostSeparating(near []pair, labels []uint64) int {
	least := int32(64 * mostPoints)
	for _, p := range near {
		least = min(least, p.distance)
	}
	var gain [64]uint64
	for _, p := range near {
		weight := uint64(1) << (2 * max(0, 10-(p.distance-least)))
		for x := labels[p.a] ^ labels[p.b]; x != 0; x &= x - 1 {
			gain[bits.TrailingZeros64(x)] += weight
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
