package search

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// SampleSmall is SampleEffort with sizes so small that the least trees have
// many rounds a frontier, and blocks that are joined.
func SampleSmall[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins) (H, Effort, error) {
	return SampleThreads(ctx, t, lambda, coins, 1)
}

// SampleThreads is SampleSmall on so many threads, if the tree is shared.
func SampleThreads[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins, threads int) (H, Effort, error) {
	return sample(ctx, t, lambda, coins, scale{block: 1, blocks: 2, bytes: 1 << 10, steps: 1, round: 1, batch: 8, threads: threads, stretch: 1})
}

// Walk walks the frontier of a least weight, cut at the paths, on so many threads, and returns
// its nodes with their paths, the least cost that it then knows, and the steps that it took.
func Walk[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, least, most int64, cuts [][]int, threads int) (nodes []string, ref, steps int64, err error) {
	f := newFrontier(t, lambda, scale{threads: threads})
	f.least, f.unit, f.cuts = least, least>>16-unitBelow, cuts
	f.muster()
	steps, err = f.stretches(ctx, most, func(n leafSet, path []int) {
		nodes = append(nodes, fmt.Sprint(n, path))
		if n.exact {
			f.ref = min(f.ref, n.bound)
		}
	})
	return nodes, f.ref, steps, err
}

// MostStretched is how many nodes of a stretch are kept.
const MostStretched = mostStretched

// A Profile is what a frontier says of the least work of a draw.
type Profile struct {
	Steps   int64   // that walking it takes
	Split   int64   // nodes that it splits
	Refined int64   // of these, that weigh too much even by the frontier's own nodes below them
	Weight  float64 // of all, in units of the weight from which a node is split
}

// ProfileOf refines frontiers until one takes at least so many steps, with the pace of a draw.
func ProfileOf[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, steps int64) (p Profile, err error) {
	sizes := usual
	sizes.threads = 1
	s := &sampler[H]{frontier: newFrontier(t, lambda, sizes), lambda: lambda, ceiling: t.Ceiling()}
	pace, err := s.coarsest(ctx, usual.steps)
	for err == nil && s.steps < steps && s.open > 0 {
		err = s.refine(ctx, &pace)
	}
	if err != nil {
		return p, err
	}
	var below []float64 // of the nodes on the path, the root first: what is weighed below them
	leave := func(depth int) {
		for len(below) > depth {
			last := len(below) - 1
			p.Split++
			if below[last] >= 1 {
				p.Refined++
			}
			if last > 0 {
				below[last-1] += below[last]
			}
			p.Weight = below[last]
			below = below[:last]
		}
	}
	p.Steps = s.walk(nil, math.MaxInt64, func(n leafSet, kept int, path []int) bool {
		leave(kept + 1)
		for len(below) < len(path) {
			below = append(below, 0)
		}
		below[len(below)-1] += math.Ldexp(float64(n.weight.Head), int(n.weight.Exponent-s.least>>16))
		return true
	})
	leave(0)
	return p, ctx.Err()
}
