package parity

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// mostTable is the greatest number of costs in a table, and mostWidth its
// logarithm: the widest words that are transformed.
const (
	mostWidth = 26
	mostTable = 1 << mostWidth
)

// Tabulate returns the costs of all parities in the order of At. It takes one
// transform of 2^width words, or, where these are too many or the parities few,
// a sum over the distinct records for each. It refuses a class of more than
// 2^26 parities.
func (c *Class) Tabulate(p class.Problem[[]uint16]) ([]int64, error) {
	if c.Size().Cmp(big.NewInt(mostTable)) > 0 {
		return nil, fmt.Errorf("parity: the class has %v parities, too many for a table; the limit is %d", c.Size(), mostTable)
	}
	spread, ok := c.spread(p)
	if !ok {
		return nil, class.ErrRange
	}
	size := int(c.Size().Int64())
	base, others := c.weights(p)
	width := c.width()
	if width > mostWidth || size*len(others) < width<<width {
		return c.sums(size, base, others), nil
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

// sums returns the costs one by one.
func (c *Class) sums(size int, base int64, others []weight) []int64 {
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

// signed returns w times χ: -w if the word has an odd number of bits.
func signed(w int64, word uint64) int64 {
	sign := -int64(odd(word))
	return (w ^ sign) - sign
}

// mostPacked is below 2^30, so that the sum of two costs is an int32.
const mostPacked = 1<<30 - 1

// table returns the cost of the parity with each key of so many bits, whose
// absolute values are at most spread.
//
// Where it can, it carries two numbers in one word: v = lo + 2^32·hi, of the
// words without and with the highest bit. Sums of v's are sums of both, modulo
// 2^64; and lo and hi are read off at the end, where they are the sum and the
// difference of two costs.
func table(width int, base int64, others []weight, spread int64) []int64 {
	costs := make([]int64, 1<<width)
	if width == 0 || spread > mostPacked {
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
