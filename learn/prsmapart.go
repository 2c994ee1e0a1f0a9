package learn

import "github.com/sibyl-dp/sibyl/noise"

// partition splits a table of so many rows at random into parts of ⌊rows/parts⌋
// rows, and discards what is left over. Every row, those of null records
// included, takes a free place uniformly at random, so every split is equally
// likely; null records come last and take what is left. A part lists the
// examples that it has rows of, in their order. Cost: O(log parts) coins' time
// and O(parts) additions for each row, and no memory for it.
func partition[X any](d []Example[X], rows int64, parts int, coins noise.Coins) ([][]Example[X], error) {
	left := rows
	for _, e := range d {
		if e.Count > left {
			return nil, ErrPlanRows
		}
		left -= e.Count
	}
	free := make([]uint64, parts+1) // places in the parts up to each; the last is the discard
	for i := range parts {
		free[i] = uint64(rows/int64(parts)) * uint64(i+1)
	}
	free[parts] = uint64(rows)
	out := make([][]Example[X], parts)
	taken := make([]int64, parts+1)
	for _, e := range d {
		clear(taken)
		for range e.Count {
			i := coins.Pick(free)
			taken[i]++
			for j := i; j <= parts; j++ {
				free[j]--
			}
		}
		for i, n := range taken[:parts] {
			if n > 0 {
				out[i] = append(out[i], Example[X]{e.X, e.Label, n})
			}
		}
	}
	return out, nil
}
