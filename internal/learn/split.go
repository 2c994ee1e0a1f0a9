package learn

import (
	"errors"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
)

// ErrSize reports a table with more rows than the public number of rows that a mechanism was given.
var ErrSize = errors.New("learn: the table has more rows than the public number of rows of the mechanism")

// Split partitions the rows of a table uniformly at random into parts of the given sizes, and
// returns the examples of each part. The sizes must sum to the number of rows of the table. This
// sum includes null records, which are in no example, so it is at least the number of rows of all
// examples.
//
// Method: a part of size s has s slots for rows. The rows of one example take a uniformly random
// subset of the slots that earlier examples left free. So the number of these rows in a part has a
// hypergeometric distribution, given their numbers in the parts before it. For each example and
// part, Split uses at most min(rows of the example, free slots of the part) random numbers.
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

// put appends the example e, with the given count, to the part, unless the count is 0.
func put[X any](part []Example[X], e Example[X], count int64) []Example[X] {
	if count == 0 {
		return part
	}
	e.Count = count
	return append(part, e)
}

// hypergeometric samples elements of a population without replacement, and returns how many of them
// are marked. The parameters are the size of the population, the number of marked elements in it,
// and the size of the sample, drawn. The distribution does not change if the last two are
// exchanged.
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

// thin samples each row of the table independently with the given probability, and returns the examples of the
// sampled rows.
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
