package noise

import (
	"math/big"
	"slices"
)

// Gibbs draws i with probability proportional to e^{-λ·costs[i]}, λ > 0, from at least one
// cost: the exponential mechanism over a list. Differences of costs must fit into 64 bits.
//
// Method: rejection from the uniform law by Uint64n and BernoulliExp. There are fewer than
// len(costs) proposals on average, since the least cost is always accepted.
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
