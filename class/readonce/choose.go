package readonce

import "math/bits"

const (
	// mostPairs is how many close pairs of formulas are looked at when points
	// are chosen.
	mostPairs = 1 << 17
	// trial is the number of words of random points by which pairs are first
	// told to be close.
	trial = 4
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
	d.extend(trial)
	near := c.nearest(d.columns)
	for i := range near {
		near[i].distance = 0
	}
	chosen := newColumns(len(c.inputs), m)
	candidates := newColumns(len(c.inputs), 64)
	for size := range m {
		if size > 0 && (size == m/4 || size == m/2) {
			near = c.nearest(chosen)
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

// nearest returns the pairs of formulas that differ on the fewest of the given
// points: all up to some distance, or some of those at the least distance where
// these are more than mostPairs already. It compares all pairs.
func (c *Class) nearest(points columns) []pair {
	labels, each := c.labels(points), int32(len(points[0]))
	byDistance := make([][]pair, 64*each+1)
	limit, kept := 64*each, 0
	for a := range int32(c.size) {
		first := labels[a*each : (a+1)*each]
		for b := a + 1; b < int32(c.size); b++ {
			d := int32(0)
			for w, word := range labels[b*each : (b+1)*each] {
				if d += int32(bits.OnesCount64(first[w] ^ word)); d > limit {
					break
				}
			}
			if d > limit || len(byDistance[d]) == mostPairs {
				continue
			}
			byDistance[d] = append(byDistance[d], pair{a, b, d})
			for kept++; kept > mostPairs && kept > len(byDistance[limit]); limit-- {
				kept -= len(byDistance[limit])
				byDistance[limit] = nil
			}
		}
	}
	near := make([]pair, 0, kept)
	for _, pairs := range byDistance {
		near = append(near, pairs...)
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
