package learn

import (
	"errors"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
)

// ErrSize reports a table of more rows than the public number that a mechanism
// was made for.
var ErrSize = errors.New("learn: the table has more rows than was stated in public")

// Split draws a uniform division of a table into parts of the given sizes and
// returns the examples of each part. Rows of no example are null records: the
// sizes add up to at least the rows of all examples.
//
// Method: the rows of one example occupy a uniform set of the slots that are
// left, so their number in each part is hypergeometric given the parts before.
// Cost: at most min(rows of the example, slots of the part) coins for each.
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

// put appends count rows equal to e.
func put[X any](part []Example[X], e Example[X], count int64) []Example[X] {
	if count == 0 {
		return part
	}
	e.Count = count
	return append(part, e)
}

// hypergeometric draws how many of the marked elements of a population are among
// so many drawn without replacement. The law is symmetric in marked and drawn.
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

// thin keeps each row with probability rate, independently.
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
