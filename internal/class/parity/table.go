package parity

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// mostTable is the maximum number of costs in a table; mostWidth, its binary logarithm, is the
// maximum width of words that are transformed.
const (
	mostWidth = 26
	mostTable = 1 << mostWidth
)

// Tabulate returns the costs of all parities in the order of At. It uses one transform of 2^width
// words, or, if these are too many or the parities are few, a sum over the distinct records for
// each parity. It fails for a class of more than 2^26 parities, and with class.ErrRange if costs
// are too large.
func (c *Class) Tabulate(p class.Problem[[]uint16]) ([]int64, error) {
	if c.Size().Cmp(big.NewInt(mostTable)) > 0 {
		return nil, fmt.Errorf("parity: the class has %v parities; a table holds at most %d", c.Size(), mostTable)
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

// costsOneByOne returns the costs, computing a sum over all words for each parity.
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

// signed returns w·χ: -w if word has an odd number of bits set, otherwise w.
func signed(w int64, word uint64) int64 {
	sign := -int64(odd(word))
	return (w ^ sign) - sign
}

// mostPackedCost is the maximum absolute cost for which the sum of two costs fits an int32.
const mostPackedCost = 1<<30 - 1

// table returns the costs of the parities with all keys of the given number of bits. Their absolute
// values must be at most spread.
//
// If costs are small enough, it packs two numbers into one word, v = lo + 2^32·hi, for the words
// without and with the highest bit. Sums of such words are sums of both numbers modulo 2^64. After
// the transform, lo and hi are the sum and the difference of two costs, which are extracted.
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
