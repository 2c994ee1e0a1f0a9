package learn

import "github.com/sibyl-dp/sibyl/noise"

// partition splits a table of n rows at random into equal parts, of ⌊n/parts⌋
// rows, and discards what is left over. A part lists the examples that it has
// rows of, in their order.
func partition[X any](d []Example[X], n int64, parts int, coins noise.Coins) ([][]Example[X], error) {
	if _, err := rows(d, n, ErrPlanRows); err != nil {
		return nil, err
	}
	sizes := make([]int64, parts+1)
	for i := range parts {
		sizes[i] = n / int64(parts)
	}
	sizes[parts] = n % int64(parts)
	return split(coins, d, sizes)[:parts], nil
}
