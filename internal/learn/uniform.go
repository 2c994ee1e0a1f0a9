package learn

import (
	"context"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// Uniform returns the class c with the same prior for each of its hypotheses. Its partition
// function must be the sum over all hypotheses of the class, and size their number.
func Uniform[H any](c class.Summed[[]uint16, H], size *big.Int) Sampled[H] {
	return uniform[H]{c, size}
}

type uniform[H any] struct {
	class class.Summed[[]uint16, H]
	size  *big.Int
}

func (u uniform[H]) Work(records int64) int64 { return u.class.SumWork(records) }

func (u uniform[H]) Mass(ctx context.Context, records class.Records[[]uint16], decay func(k int64) class.Upper) (class.Mass[H], error) {
	var p class.Problem[[]uint16]
	var x []uint16
	var costs []int64
	for i := range records.Len() {
		x, costs = records.Record(i, x), records.Costs(i, costs)
		p.Points = append(p.Points, class.Point[[]uint16]{X: slices.Clone(x), Cost: [2]int64(costs)})
	}
	m, err := u.class.Sum(ctx, p, decay)
	if err != nil {
		return nil, err
	}
	return uniformMass[H]{m, u.size}, nil
}

// A uniformMass is the partition function of a class with a uniform prior: it divides the weights
// of another mass by the number of hypotheses.
type uniformMass[H any] struct {
	class.Mass[H]
	size *big.Int
}

func (m uniformMass[H]) Bound() (f class.Upper, least int64) {
	f, least = m.Mass.Bound()
	return f.Times(class.Ratio(big.NewInt(1), m.size)), least
}

func (m uniformMass[H]) Descend() class.Descent[H] {
	return uniformDescent[H]{m.Mass.Descend(), m.size}
}

type uniformDescent[H any] struct {
	class.Descent[H]
	size *big.Int
}

func (d uniformDescent[H]) Hypothesis() (h H, prior *big.Rat, cost int64) {
	h, weight, cost := d.Descent.Hypothesis()
	return h, weight.Quo(weight, new(big.Rat).SetInt(d.size)), cost
}
