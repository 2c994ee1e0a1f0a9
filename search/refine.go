package search

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// A pace determines how far each successive frontier is refined. A walk splits all nodes whose
// weight is at least a threshold, the least weight. A lower threshold gives a finer frontier, but
// takes more steps. Each frontier may take twice as many steps as the preceding one, and its
// threshold is as low as these steps allow. So the total work on all frontiers is a small multiple
// of the work on the last one, and the work of each attempt to build a finer frontier is bounded. A
// pace affects only the running time, not the distribution of samples.
//
// All logarithms are binary, in units of 2^-16.
type pace struct {
	most int64 // maximum number of steps
	// When the logarithm of the least weight decreased by fall, the logarithm of the number of
	// steps increased by growth.
	fall, growth int64
}

const (
	startFall = 2 << 16
	leastFall = 1 << 13 // smaller differences between logarithms of least weights are ignored
)

// coarsest builds the first frontier, which splits the root and only those nodes whose weight
// exceeds that of the root. It returns a pace that allows the second frontier twice as many steps
// as the first took, but at least 2·most steps.
func (s *sampler) coarsest(ctx context.Context, most int64) (pace, error) {
	root := log(s.leaves[0]) + s.decay.log(max(0, plus(s.ref, -s.w.Bound())))
	_, err := s.build(ctx, min(root, mostLog)+1<<16, math.MaxInt64)
	return pace{most: max(s.steps, most), fall: startFall}, err
}

// refine doubles the maximum number of steps, p.most, and builds a finer frontier: it searches for
// the lowest threshold on the weight of split nodes (see pace) for which the walk needs at most
// p.most steps. The search ends early if a frontier takes more than p.most/2 steps, or if the
// logarithm of the lowest possible threshold is known with an error of about leastFall.
func (s *sampler) refine(ctx context.Context, p *pace) error {
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
			bad = math.MinInt64 // with the new ref, this least weight may be possible
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

// next returns by how much the search should next lower the logarithm of the least weight of a node
// that it splits (see pace). The next walk should then take about three quarters of the allowed
// steps, if the number of steps grows at the same rate as at the last decrease. The result is at
// most four times the last decrease.
func (p *pace) next(steps int64) int64 {
	wanted := max(0, logOf(p.most)-logOf(steps)-27<<10)
	if wanted/4 >= p.growth {
		return min(4*p.fall, mostLog)
	}
	return max(p.fall*wanted/p.growth, leastFall)
}

// logOf returns approximately 2^16·log₂ n.
func logOf(n int64) int64 { return log(class.Quotient(uint64(n), 1)) }
