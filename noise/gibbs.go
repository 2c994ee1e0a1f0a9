package noise

import (
	"math/big"
	"slices"
)

// Gibbs is the exponential mechanism over a list of costs: it returns an index i with probability proportional to
// e^{-lambda·costs[i]}. There must be at least one cost, lambda must be positive, and the difference of any two costs
// must fit into an int64.
//
// Method: rejection sampling. A proposal is a uniform index, sampled with c.Uint64n, and is accepted with
// c.BernoulliExp. An index with the least cost is always accepted, so on average at most len(costs) proposals are
// needed.
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
