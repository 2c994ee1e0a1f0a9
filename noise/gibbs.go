package noise

import (
	"math/big"
	"slices"
)

// Gibbs returns an index i with probability proportional to e^{-λ·costs[i]}: the exponential
// mechanism over a list. It needs λ > 0 and at least one cost. Differences of costs must fit
// into 64 bits.
//
// Method: rejection sampling. A proposal is uniform, by Uint64n, and accepted by BernoulliExp.
// At most len(costs) proposals are needed on average, because the least cost is always accepted.
func Gibbs(c Coins, costs []int64, lambda *big.Rat) int {
	least := slices.Min(costs)
	x := new(big.Rat)
	start := Mark(c)
	for {
		i := c.Uint64n(uint64(len(costs)))
		if c.BernoulliExp(x.Mul(x.SetInt64(costs[i]-least), lambda)) {
			return int(i)
		}
		Forget(c, start, "gibbs")
	}
}
