package search

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// A pace controls how frontiers are refined. Each frontier may take twice the steps of the one before,
// and the least weight is lowered as far as these steps allow. So the work on all frontiers together is
// a small multiple of the work on the last one, and each attempt at a finer one has a known limit. A
// pace affects only the running time.
//
// Logarithms are to base 2 with 16 binary places.
type pace struct {
	most int64 // maximum number of steps
	// When the logarithm of the least weight decreased by fall, the logarithm of the number of
	// steps increased by growth.
	fall, growth int64
}

const (
	startFall = 2 << 16
	leastFall = 1 << 13 // smaller differences of the least weight are ignored
)

// coarsest builds the first frontier, which splits only nodes that weigh more than the root. The second
// may take twice its steps, or twice most.
func (s *sampler[H]) coarsest(ctx context.Context, most int64) (pace, error) {
	root := log(s.leaves[0]) + s.decay.log(max(0, plus(s.ref, -s.w.Bound())))
	_, err := s.build(ctx, min(root, mostLog)+1<<16, math.MaxInt64)
	return pace{most: max(s.steps, most), fall: startFall}, err
}

// refine builds the next frontier. It searches for the lowest least weight, up to a difference of
// leastFall, whose frontier takes at most the allowed number of steps, and at least half of them if
// there is one.
func (s *sampler[H]) refine(ctx context.Context, p *pace) error {
	p.most *= 2
	good, steps, whole := s.least, s.steps, false
	bad := int64(math.MinInt64) // a least weight that takes too many steps
	fall := p.next(steps)
	for !whole && steps <= p.most/2 {
		fall = min(fall, good+mostLog)
		if bad > math.MinInt64 {
			fall = min(fall, (good-bad)/2)
		}
		if fall < leastFall {
			break
		}
		ref := s.ref
		fits, err := s.build(ctx, good-fall, p.most)
		if err != nil {
			return err
		}
		if s.ref < ref {
			bad = math.MinInt64 // for the new ref it may be possible
		}
		if fits {
			p.fall, p.growth = fall, logOf(s.steps)-logOf(steps)
			good, steps, whole = s.least, s.steps, s.open == 0
			fall = p.next(steps)
		} else {
			bad = s.least
		}
	}
	if s.least == good {
		return nil
	}
	_, err := s.build(ctx, good, math.MaxInt64)
	return err
}

// next returns by how much to lower the least weight so that the walk takes about three quarters of the
// allowed steps, if their number continues to grow at the same rate. It is at most four times the last
// decrease.
func (p *pace) next(steps int64) int64 {
	wanted := max(0, logOf(p.most)-logOf(steps)-27<<10)
	if wanted/4 >= p.growth {
		return min(4*p.fall, mostLog)
	}
	return max(p.fall*wanted/p.growth, leastFall)
}

// logOf returns approximately 2^16·log₂ n.
func logOf(n int64) int64 { return log(class.Quotient(uint64(n), 1)) }
