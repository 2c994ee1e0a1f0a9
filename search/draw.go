package search

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// Decay returns upper bounds on e^{-λk} for k ≥ 0, which class.Summed asks for.
func Decay(lambda *big.Rat) func(k int64) class.Upper { return newDecay(lambda).at }

// Draw draws a hypothesis q with probability proportional to prior(q)·e^{-λ·cost(q)},
// exactly, from a mass that was made with Decay of the same λ. It returns an error only
// when the context ends, and then nothing was drawn.
//
// Method: a descent takes options in proportion to their weights, and reaches q with
// probability π(q). One exact coin accepts it with the probability
// prior(q)·e^{-λ·cost(q)}/(π(q)·f·e^{-λm}), which is at most 1 (class.Mass); otherwise
// all begins anew. An accepted q has the wanted law, however loose the weights are:
// docs/proofs/dectree.md. No floating point takes part but in the weights, which are
// whole numbers here.
//
// Restarts are as rare as f·e^{-λm} is tight. Cost: that of a descent.
func Draw[H any](ctx context.Context, mass class.Mass[H], lambda *big.Rat, coins noise.Coins) (h H, err error) {
	f, least := mass.Bound()
	bound := f.Rat()
	for start := noise.Mark(coins); ; noise.Forget(coins, start, "draw") {
		q, ratio, cost, err := descend(ctx, mass, coins)
		if err != nil {
			return h, err
		}
		x := new(big.Rat).SetInt64(cost - least)
		if coins.BernoulliScaledExp(ratio.Quo(ratio, bound), x.Mul(x, lambda)) {
			return q, nil
		}
	}
}

// descend takes options in proportion to their weights until it is at a hypothesis, and
// returns it with its prior over the probability π to be there, and its cost.
func descend[H any](ctx context.Context, mass class.Mass[H], coins noise.Coins) (h H, ratio *big.Rat, cost int64, err error) {
	d := mass.Descend()
	wholes, weights := big.NewInt(1), big.NewInt(1) // their quotient is 1/π of what was taken so far
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
