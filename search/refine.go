package search

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// A pace says how frontiers become finer. A frontier is allowed twice the
// steps of the one before, and the least weight is lowered as far as that
// allows: so the work on all frontiers together is a small multiple of that on
// the last, and no try at a finer one costs more than is known beforehand. What
// a pace decides bears on the running time only.
//
// Logarithms are to base 2 with 16 binary places.
type pace struct {
	most int64 // steps allowed
	// As the least weight fell by the logarithm fall, that of the steps grew by
	// growth.
	fall, growth int64
}

const (
	startFall = 2 << 16
	leastFall = 1 << 13 // frontiers closer than that are not told apart
)

// coarsest builds the first frontier: only what weighs more than the root is
// split. The second is to be allowed twice its steps, or twice most.
func (s *sampler[H]) coarsest(ctx context.Context, most int64) (pace, error) {
	root := log(s.leaves[0]) + s.decay.log(max(0, plus(s.ref, -s.w.Bound())))
	_, err := s.build(ctx, min(root, mostLog)+1<<16, math.MaxInt64)
	return pace{most: max(s.steps, most), fall: startFall}, err
}

// refine builds the next frontier: that of the lowest least weight, up to
// leastFall, which it finds to take no more steps than allowed, and if there is
// one no fewer than half of them.
func (s *sampler[H]) refine(ctx context.Context, p *pace) error {
	p.most *= 2
	good, steps, whole := s.least, s.steps, false
	bad := int64(math.MinInt64) // too low
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
			bad = math.MinInt64 // for this ref it may do
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

// next returns what the least weight should fall by for three quarters of the
// steps that are allowed, if these go on growing at the same rate; but at most
// four times the last fall.
func (p *pace) next(steps int64) int64 {
	wanted := max(0, logOf(p.most)-logOf(steps)-27<<10)
	if wanted/4 >= p.growth {
		return min(4*p.fall, mostLog)
	}
	return max(p.fall*wanted/p.growth, leastFall)
}

// logOf returns 2^16·log₂ n, about.
func logOf(n int64) int64 { return log(class.Quotient(uint64(n), 1)) }
