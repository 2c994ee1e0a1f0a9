package search

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// SampleSmall is SampleEffort with sizes so small that the least trees have
// many rounds a frontier, and blocks that are joined.
func SampleSmall[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins) (H, Effort, error) {
	return sample(ctx, t, lambda, coins, scale{block: 1, blocks: 2, bytes: 1 << 10, steps: 1, round: 1, batch: 8})
}
