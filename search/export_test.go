package search

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// SampleSmall is SampleEffort with such a small scale that even small trees have several rounds per
// frontier and joined blocks.
func SampleSmall[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins) (H, Effort, error) {
	return SampleThreads(ctx, t, lambda, coins, 1)
}

// SampleThreads is SampleSmall on the given number of threads, if the tree is shared.
func SampleThreads[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, coins noise.Coins, threads int) (H, Effort, error) {
	h, e, err := sample(ctx, erase(t), lambda, coins, scale{block: 1, blocks: 2, bytes: 1 << 10, steps: 1, round: 1, batch: 8, threads: threads, segment: 1})
	q, _ := h.(H)
	return q, e, err
}

// Walk computes the frontier for a least weight on several threads, cut at the given paths. It returns
// the nodes with their paths, the lowest cost found, and the number of steps.
func Walk[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, least, most int64, cuts [][]int, threads int) (nodes []string, ref, steps int64, err error) {
	f := newFrontier(erase(t), lambda, scale{threads: threads})
	f.least, f.unit, f.cuts = least, least>>16-unitBelow, cuts
	f.addWalkers()
	steps, err = f.walkSegments(ctx, most, func(n frontierNode, path []int) {
		nodes = append(nodes, fmt.Sprint(n, path))
		if n.exact {
			f.ref = min(f.ref, n.bound)
		}
	})
	return nodes, f.ref, steps, err
}

// MostSegmentNodes is the maximum number of nodes of a segment that are kept.
const MostSegmentNodes = mostSegmentNodes

// A Profile describes a frontier. It implies a lower bound on the work of a sample.
type Profile struct {
	Steps   int64   // the number of steps of its walk
	Split   int64   // the number of nodes that it splits
	Refined int64   // the number of split nodes whose descendants in the frontier together weigh more than the least weight
	Weight  float64 // the total weight, in units of the least weight of nodes that are split
}

// ProfileOf refines frontiers, as Sample does, until a frontier takes at least the given number of steps.
func ProfileOf[H any](ctx context.Context, t class.Tree[H], lambda *big.Rat, steps int64) (p Profile, err error) {
	sizes := usual
	sizes.threads = 1
	s := &sampler{frontier: newFrontier(erase(t), lambda, sizes), lambda: lambda, ceiling: t.Ceiling()}
	pace, err := s.coarsest(ctx, usual.steps)
	for err == nil && s.steps < steps && s.open > 0 {
		err = s.refine(ctx, &pace)
	}
	if err != nil {
		return p, err
	}
	var below []float64 // for each node of the path, the root first, the total weight of the frontier's nodes below it
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
	p.Steps = s.walk(nil, math.MaxInt64, func(n frontierNode, kept int, path []int) bool {
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
