package learn

import (
	"errors"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
)

// ErrSize reports a table with more rows than the public number of rows of a mechanism.
var ErrSize = errors.New("learn: the table has more rows than was stated in public")

// Split divides the rows of a table uniformly at random into parts of the given sizes and returns the examples
// of each part. The sizes sum to at least the number of rows of all examples; the remaining rows are null
// records.
//
// Method: the rows of one example occupy a uniformly random subset of the remaining slots, so their number in
// each part is hypergeometric given the parts before. For each example and part, it uses at most
// min(rows of the example, slots of the part) random numbers.
func Split[X any](coins noise.Coins, d []Example[X], sizes []int64) [][]Example[X] {
	parts := make([][]Example[X], len(sizes))
	free, left := append([]int64(nil), sizes...), int64(0)
	for _, n := range free {
		left += n
	}
	for _, e := range d {
		rest, slots := e.Count, left
		for i := range free {
			if rest == 0 {
				break
			}
			got := hypergeometric(coins, slots, free[i], rest)
			slots -= free[i]
			rest -= got
			free[i] -= got
			parts[i] = put(parts[i], e, got)
		}
		left -= e.Count
	}
	return parts
}

// put appends the example e with the given count.
func put[X any](part []Example[X], e Example[X], count int64) []Example[X] {
	if count == 0 {
		return part
	}
	e.Count = count
	return append(part, e)
}

// hypergeometric samples the number of marked elements in a sample without replacement from a population. The
// distribution is symmetric in the numbers of marked and of sampled elements.
func hypergeometric(coins noise.Coins, population, marked, drawn int64) (hits int64) {
	if marked < drawn {
		marked, drawn = drawn, marked
	}
	sums := make([]uint64, 2)
	for ; drawn > 0 && marked > 0; drawn-- {
		if marked == population {
			return hits + drawn
		}
		sums[0], sums[1] = uint64(marked), uint64(population)
		if coins.Pick(sums) == 0 {
			hits++
			marked--
		}
		population--
	}
	return hits
}

// thin keeps each row independently with probability rate.
func thin[X any](coins noise.Coins, d []Example[X], rate *big.Rat) (kept []Example[X]) {
	for _, e := range d {
		n := int64(0)
		for range e.Count {
			if coins.Bernoulli(rate) {
				n++
			}
		}
		kept = put(kept, e, n)
	}
	return kept
}
