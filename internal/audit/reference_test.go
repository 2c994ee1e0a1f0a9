package audit_test

import (
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/noise"
)

// oneAgainstMany returns a class in which hypothesis 0 is wrong on the records on which all others
// are right.
func oneAgainstMany(others int) audittest.Finite {
	f := audittest.Finite{Loss: [][]int64{{1, 0, 0, 0}}}
	for q := range others {
		f.Loss = append(f.Loss, []int64{0, 1, int64(q % 2), 0})
	}
	return f
}

// exponential samples q with probability proportional to e^{-λ·c(q)} by adaptive rejection on the
// tree of halved ranges. After budget rejections it returns the best hypothesis; a budget of 0 is
// unlimited.
func exponential(f audittest.Finite, lambda *big.Rat, budget int) func([]int64, noise.Coins) (int, error) {
	return func(table []int64, c noise.Coins) (int, error) {
		cost := make([]int64, len(f.Loss))
		for q := range cost {
			cost[q] = f.Cost(q, table)
		}
		times := func(k int64) *big.Rat { return new(big.Rat).Mul(lambda, big.NewRat(k, 1)) }
		bound := func(from, to int) int64 { // exact at a leaf, loose above
			least := slices.Min(cost[from:to])
			if to-from > 1 {
				least = max(0, least-1)
			}
			return least
		}
		cuts := uint64(1) // bit i: a node of the frontier begins at i
		start := noise.Mark(c)
		for round := 0; budget == 0 || round < budget; round++ {
			noise.Forget(c, start, "round", cuts, uint64(min(round, budget)))
			var from, to int
			inner := noise.Mark(c)
			for {
				noise.Forget(c, inner, "node")
				from = int(c.Uint64n(uint64(len(cost))))
				for cuts>>from&1 == 0 {
					from--
				}
				to = min(len(cost), from+1+bits.TrailingZeros64(cuts>>(from+1)))
				if c.BernoulliExp(times(bound(from, to))) {
					break
				}
			}
			q := from + int(c.Uint64n(uint64(to-from)))
			if c.BernoulliExp(times(cost[q] - bound(from, to))) {
				return q, nil
			}
			cuts |= 1 << ((from + to) / 2)
		}
		return slices.Index(cost, slices.Min(cost)), nil
	}
}
