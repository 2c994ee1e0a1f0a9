package parity

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// mostWidth is the maximum number of bits of words for which a transform is computed. The transform
// then has a table of mostTable costs.
const (
	mostWidth = 26
	mostTable = 1 << mostWidth
)

// Tabulate returns the costs of all parities in the order of At. It fails for a class of more than
// 2^26 parities, and with class.ErrRange if costs are too large. Tabulate uses one transform of
// length 2^width, where width is the number of bits of a word. If this length is too great, or if
// the class has few parities, it instead adds up the cost of each parity over the distinct records.
func (c *Class) Tabulate(p class.Problem[[]uint16]) ([]int64, error) {
	if c.Size().Cmp(big.NewInt(mostTable)) > 0 {
		return nil, fmt.Errorf("parity: the class has %v parities, but only classes of at most %d can be tabulated", c.Size(), mostTable)
	}
	spread, ok := c.spread(p)
	if !ok {
		return nil, class.ErrRange
	}
	size := int(c.Size().Int64())
	base, others := c.weights(p)
	width := c.width()
	if width > mostWidth || size*len(others) < width<<width {
		return c.costsOneByOne(size, base, others), nil
	}
	costs := table(width, base, others, spread)
	if size == len(costs) {
		return costs, nil
	}
	some := make([]int64, size)
	for i := range some {
		some[i] = costs[c.key(c.At(i))]
	}
	return some, nil
}

// costsOneByOne returns the costs of all parities, each computed by a sum over all words. Tabulate
// uses it if a transform would be too large or slower.
func (c *Class) costsOneByOne(size int, base int64, others []weight) []int64 {
	costs := make([]int64, size)
	for i := range costs {
		key, twice := c.key(c.At(i)), base
		for _, x := range others {
			twice += signed(x.w, key&x.word)
		}
		costs[i] = twice / 2
	}
	return costs
}

// signed returns -w if an odd number of bits of word are set, and w otherwise.
func signed(w int64, word uint64) int64 {
	sign := -int64(odd(word))
	return (w ^ sign) - sign
}

// mostPackedCost is the maximum absolute cost for which the sum of two costs fits into an int32.
const mostPackedCost = 1<<30 - 1

// table returns the costs of the parities with the keys 0 to 2^width-1, computed by a transform.
// The absolute values of the costs must be at most spread.
//
// If the costs are small enough, two numbers are packed into one integer, so that one addition adds
// both of them modulo 2^64. The low half of the integer has the weight of a word without the
// highest bit. The high half has the weight of the same word with this bit. After the transform,
// the halves hold the sum and the difference of two costs.
func table(width int, base int64, others []weight, spread int64) []int64 {
	costs := make([]int64, 1<<width)
	if width == 0 || spread > mostPackedCost {
		costs[0] = base
		for _, x := range others {
			costs[x.word] += x.w
		}
		transform(costs)
		for i := range costs {
			costs[i] >>= 1
		}
		return costs
	}
	half := len(costs) / 2
	low, high := costs[:half], costs[half:]
	low[0] = base
	for _, x := range others {
		place := int(x.word)
		if place < half {
			low[place] += x.w
		} else {
			low[place-half] += x.w << 32
		}
	}
	transform(low)
	for i, v := range low {
		lo := int64(int32(v))
		hi := (v - lo) >> 32
		low[i], high[i] = (lo+hi)>>1, (lo-hi)>>1
	}
	return costs
}
