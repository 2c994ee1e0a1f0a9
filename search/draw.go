package search

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// Decay returns a function that computes upper bounds on e^{-λk} for k ≥ 0, with the accuracy that
// class.Tractable.Mass requires.
func Decay(lambda *big.Rat) func(k int64) class.Upper { return newDecay(lambda).at }

// descend samples a hypothesis h from the given mass. It makes the choices of a [class.Descent] one
// after another: each option is chosen with probability proportional to its weight. Let π be the
// probability of reaching h. descend returns h, ratio = (prior of h)/π, and the cost of h.
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
