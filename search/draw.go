package search

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// Decay returns a function that computes an upper bound on e^{-λk} for a number k ≥ 0. The bound
// has the accuracy that class.Tractable.Mass requires.
func Decay(lambda *big.Rat) func(k int64) class.Upper { return newDecay(lambda).at }

// descend samples a hypothesis h from the given mass, a bound on the partition function of a node.
// It makes the choices of a [class.Descent] one after another: each option is chosen with
// probability proportional to its weight. The result ratio is the prior of h divided by the
// probability that the choices lead to h.
func descend(ctx context.Context, mass class.Mass[any], coins noise.Coins) (h any, ratio *big.Rat, cost int64, err error) {
	d := mass.Descend()
	wholes, weights := big.NewInt(1), big.NewInt(1) // wholes/weights is 1/π of the children taken so far
	for {
		sums, err := d.Weights(ctx)
		if err != nil {
			return h, nil, 0, err
		}
		if sums == nil {
			break
		}
		i := coins.Pick(sums)
		weight := sums[i]
		if i > 0 {
			weight -= sums[i-1]
		}
		wholes.Mul(wholes, new(big.Int).SetUint64(sums[len(sums)-1]))
		weights.Mul(weights, new(big.Int).SetUint64(weight))
		d.Take(i)
	}
	h, prior, cost := d.Hypothesis()
	ratio = new(big.Rat).SetFrac(wholes, weights)
	return h, ratio.Mul(ratio, prior), cost, nil
}
