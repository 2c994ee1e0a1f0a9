package oracle

import (
	"context"
	"fmt"
	"math/big"
	"math/bits"

	"github.com/sibyl-dp/sibyl/class"
)

// MostEnumerated is the maximum number of hypotheses of a class that Exhaust supports.
const MostEnumerated = 1 << 24

// Exhaust returns an oracle that computes the cost of every hypothesis of c. It is slow and simple; tests compare other
// oracles with it. Exhaust returns an error if c has more than MostEnumerated hypotheses.
func Exhaust[X, H any](c class.Enumerable[X, H]) (Minimizer[X, H], error) {
	size := c.Size()
	if size.Cmp(big.NewInt(MostEnumerated)) > 0 {
		return nil, fmt.Errorf("oracle: the class has %v hypotheses, and at most %d can be enumerated", size, MostEnumerated)
	}
	return &exhaustive[X, H]{c, size.Int64()}, nil
}

type exhaustive[X, H any] struct {
	class class.Enumerable[X, H]
	size  int64
}

func (e *exhaustive[X, H]) Class() class.Class[X, H] { return e.class }

func (e *exhaustive[X, H]) Kind() Kind { return Exhaustive }

// Minimize returns the hypothesis of least cost. Every hypothesis counts as a node of the budget, so if the budget is
// less than the number of hypotheses, Minimize returns ErrFail without a search.
func (e *exhaustive[X, H]) Minimize(ctx context.Context, p class.Problem[X], b Budget) (Solution[H], error) {
	spread, ok := p.Range()
	if !ok {
		return Solution[H]{}, class.ErrRange
	}
	if b.Nodes > 0 && b.Nodes < e.size {
		return Solution[H]{}, fmt.Errorf("%w: the budget is %d nodes, but the class has %d hypotheses", ErrFail, b.Nodes, e.size)
	}
	var best Solution[H]
	tried := 0
	for h := range e.class.All() {
		if tried&0xff == 0 && ctx.Err() != nil {
			return Solution[H]{}, ctx.Err()
		}
		hi, penalty := bits.Mul64(uint64(e.class.Penalty(h)), uint64(p.PenaltyUnit()))
		if hi != 0 || penalty > 1<<61-uint64(spread) {
			return Solution[H]{}, class.ErrRange
		}
		if cost := class.Cost(e.class, p, h); tried == 0 || cost < best.Cost {
			best = Solution[H]{h, cost}
		}
		tried++
	}
	return best, nil
}
