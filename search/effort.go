package search

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// SampleEffort is Sample, and also tells what the draw cost, which is private.
func SampleEffort[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins) (H, Effort, error) {
	return sample(ctx, t, lambda, coins)
}
