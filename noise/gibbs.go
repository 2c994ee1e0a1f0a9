package noise

import (
	"math/big"
	"slices"
)

// Gibbs is the exponential mechanism over a list of costs: it returns an index i with probability proportional to
// e^{-λ·costs[i]}, where λ = lambda. The parameter lambda must be positive, costs must not be empty, and the difference
// of any two costs must fit into an int64.
//
// Method: rejection sampling. A proposal is a uniform index, sampled with c.Uint64n, and is accepted with
// c.BernoulliExp. At most len(costs) proposals are needed on average, because an index with the least cost is always
// accepted.
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
