package parity

import (
	"fmt"
	"math/bits"
	"slices"
)

// A Code is a separator: the words at which a parity is read. Bit i of φ(q) is
// q(g_i), its constant included, so that the φ's of all parities of d bits are
// the words of the linear code that the points generate, and their complements
// if the class is affine. The more bits any two of them differ in, the less
// noise each bit needs; the fewer points, the less noise there is in all.
//
// The natural separator is the d words of one bit (Neel, Roth and Wu 2018,
// Appendix A), and the word 0 if the class is affine. Its distance is 1.
type Code []uint64

// mostCoded is the width of words up to which a distance is computed.
const mostCoded = 24

// Hadamard returns all words of so many bits but 0. Any two parities differ in
// 2^(bits-1) of them. Bits are 1 to 24.
func Hadamard(bits int) (Code, error) {
	if bits < 1 || bits > mostCoded {
		return nil, fmt.Errorf("parity: a Hadamard code of %d bits is outside 1..%d", bits, mostCoded)
	}
	points := make(Code, 1<<bits-1)
	for i := range points {
		points[i] = uint64(i + 1)
	}
	return points, nil
}

// Greedy returns a code of so many points for parities of so many bits, affine
// or not, 1 to 24 bits the constant included. It adds one point after the
// other, each the one that leaves the least Σ 4^-(weight) over all words of the
// code so far, the least point among equals. It is the same code on every
// machine. New tells its distance; the cost is one transform for each point.
func Greedy(bits, points int, affine bool) (Code, error) {
	width := bits
	if affine {
		width++
	}
	if bits < 1 || width > mostCoded {
		return nil, fmt.Errorf("parity: a code for words of %d bits is outside 1..%d", width, mostCoded)
	}
	if points < width {
		return nil, fmt.Errorf("parity: %d points do not separate parities of %d bits", points, width)
	}
	top := uint64(0)
	if affine {
		top = 1 << bits
	}
	weights := make([]int64, 1<<width) // of the word of each S and b
	var code Code
	for range points {
		rate := urgency(weights)
		transform(rate)
		// rate[g] is Σ urgency·χ(g): what point g leaves at 1 less what it helps.
		best := top
		for g := top; g < uint64(len(rate)); g++ {
			if rate[g] < rate[best] {
				best = g
			}
		}
		code = append(code, best^top)
		for key := range weights {
			weights[key] += int64(odd(uint64(key) & best))
		}
	}
	return code, nil
}

// urgency returns 4^-(weight), relative to the least weight of any word but 0,
// in units so small that sums over all words stay within 62 bits. What is below
// a unit is 0, as is that of word 0.
func urgency(weights []int64) []int64 {
	least := slices.Min(weights[1:])
	places := 61 - int64(bits.Len(uint(len(weights))))
	rate := make([]int64, len(weights))
	for key := 1; key < len(weights); key++ {
		rate[key] = 1 << places >> min(63, 2*(weights[key]-least))
	}
	return rate
}

// separate sets the points of the separator and its distance.
func (c *Class) separate() error {
	c.points, c.distance = c.options.Code, 1
	if c.points == nil {
		for i := range c.bits {
			c.points = append(c.points, 1<<i)
		}
		if c.options.Affine {
			c.points = append(c.points, 0)
		}
		return nil
	}
	for i, g := range c.points {
		if bits.Len64(g) > c.bits {
			return fmt.Errorf("point %d is %#x, of more than %d bits", i+1, g, c.bits)
		}
	}
	if c.width() > mostCoded {
		return fmt.Errorf("words of %d bits are too many to prove its distance; the limit is %d", c.width(), mostCoded)
	}
	if c.distance = c.leastDistance(); c.distance == 0 {
		return fmt.Errorf("two parities agree on all of its %d points", len(c.points))
	}
	return nil
}

// leastDistance returns in how many points any two parities of the class
// differ at least: in as many as the parity of their difference is 1 at, which
// one transform counts for all differences. Differences of two sets of at most
// r bits are the sets of at most 2r.
func (c *Class) leastDistance() int {
	var ones []weight
	for _, g := range c.points {
		ones = append(ones, weight{g | c.constant(), -1})
	}
	least := int64(len(c.points))
	for key, differ := range table(c.width(), int64(len(ones)), ones, least) {
		size := bits.OnesCount64(uint64(key) &^ c.constant())
		if key != 0 && size <= 2*c.most {
			least = min(least, differ)
		}
	}
	return int(least)
}

// Distance returns h: in how many bits of φ any two parities differ at least.
func (c *Class) Distance() int { return c.distance }

// Separator returns the number of points.
func (c *Class) Separator() int { return len(c.points) }

// Separate returns the predictions at all points.
func (c *Class) Separate(h Parity) []bool {
	set := make([]bool, len(c.points))
	for i, g := range c.points {
		set[i] = odd(c.key(h)&(g|c.constant())) == 1
	}
	return set
}
