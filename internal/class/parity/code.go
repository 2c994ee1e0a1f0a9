package parity

import (
	"fmt"
	"math/bits"
	"slices"
)

// A Code is a separator of parities, given by a list of points g_1 … g_m. Bit i of the vector φ(q) is the prediction
// of parity q at the point g_i. So the vectors φ(q) of all parities of d bits are the code words of the linear code
// that the points generate, together with their complements if the class is affine. A code has two properties on
// which the noise of a mechanism depends: with a greater minimum distance, each bit needs less noise, and with fewer
// points, fewer bits need noise.
//
// The natural separator consists of the d points with one bit set (Neel, Roth and Wu 2018, Appendix
// A), and of the point 0 if the class is affine. Its distance is 1.
type Code []uint64

// mostCodeBits is the maximum width of words, in bits, for which the distance of a code is
// computed.
const mostCodeBits = 24

// Hadamard returns the code of all points except 0, for parities of the given number of bits, from
// 1 to 24. Any two parities differ on 2^(bits-1) of these points.
func Hadamard(bits int) (Code, error) {
	if bits < 1 || bits > mostCodeBits {
		return nil, fmt.Errorf("parity: the number of bits of a Hadamard code is %d, but must be 1 to %d", bits, mostCodeBits)
	}
	points := make(Code, 1<<bits-1)
	for i := range points {
		points[i] = uint64(i + 1)
	}
	return points, nil
}

// Greedy returns a code with the given number of points, for parities over the given number of bits. If affine is
// true, the parities may have a constant. The number of bits, including the constant, must be between 1 and 24. The
// code is the same on every machine. Greedy takes the time of one transform for each point. The function New computes
// the distance of the code.
//
// Greedy adds points one by one. The weight of a code word is the number of its ones. Each step
// adds the point for which the sum of 4^-weight over all non-zero code words is least; if there are
// several, the one with the least number.
func Greedy(bits, points int, affine bool) (Code, error) {
	width := bits
	if affine {
		width++
	}
	if bits < 1 || width > mostCodeBits {
		return nil, fmt.Errorf("parity: the number of bits of a code is %d, but must be 1 to %d", width, mostCodeBits)
	}
	if points < width {
		return nil, fmt.Errorf("parity: %d points are too few to distinguish the parities of %d bits; use at least as many points as bits", points, width)
	}
	top := uint64(0)
	if affine {
		top = 1 << bits
	}
	weights := make([]int64, 1<<width) // the weight (number of ones) of the code word of each S and b
	var code Code
	for range points {
		rate := contributions(weights)
		transform(rate)
		// rate[g] is Σ contributions·χ(g): the total contribution of the code words that are 0 at
		// point g, minus that of the code words that are 1 at g.
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

// contributions returns the terms of the sum that Greedy minimizes, one for the code word of each
// key. The term is 4^-(weight-least), rounded down, where weight is the number of ones of the code
// word, and least is the minimum weight over all keys other than 0. The term of key 0 is 0. The
// unit of the terms is chosen so that their sum fits into 62 bits.
func contributions(weights []int64) []int64 {
	least := slices.Min(weights[1:])
	places := 61 - int64(bits.Len(uint(len(weights))))
	rate := make([]int64, len(weights))
	for key := 1; key < len(weights); key++ {
		rate[key] = 1 << places >> min(63, 2*(weights[key]-least))
	}
	return rate
}

// setSeparator computes the points of the separator and its distance from the options of the class.
// It returns an error if the code is invalid.
func (c *Class) setSeparator() error {
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
			return fmt.Errorf("point %d of the code, %#x, has more than %d bits", i+1, g, c.bits)
		}
	}
	if c.width() > mostCodeBits {
		return fmt.Errorf("the words of the code have %d bits, but at most %d are supported; use fewer bits, or no code", c.width(), mostCodeBits)
	}
	if c.distance = c.leastDistance(); c.distance == 0 {
		return fmt.Errorf("the code does not distinguish all parities: two agree on all %d points; use other points", len(c.points))
	}
	return nil
}

// leastDistance returns the minimum number of separator points on which two parities of the class
// differ. Two parities differ on the points at which their XOR is 1. Their XOR is again a parity,
// with at most 2r bits if a parity of the class may use at most r bits. One transform counts the
// points for all these parities.
func (c *Class) leastDistance() int {
	var ones []weight
	for _, g := range c.points {
		ones = append(ones, weight{g | c.constantBit(), -1})
	}
	least := int64(len(c.points))
	for key, differ := range table(c.width(), int64(len(ones)), ones, least) {
		size := bits.OnesCount64(uint64(key) &^ c.constantBit())
		if key != 0 && size <= 2*c.most {
			least = min(least, differ)
		}
	}
	return int(least)
}

// Distance returns h, the minimum Hamming distance between the separator bits of two parities.
func (c *Class) Distance() int { return c.distance }

// Separator returns the number of separator bits, one for each point.
func (c *Class) Separator() int { return len(c.points) }

// Separate returns the separator bits of parity h: its predictions on all points of the separator.
func (c *Class) Separate(h Parity) []bool {
	set := make([]bool, len(c.points))
	for i, g := range c.points {
		set[i] = odd(c.key(h)&(g|c.constantBit())) == 1
	}
	return set
}
