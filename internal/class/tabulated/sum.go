package tabulated

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// Sum returns the partition function of the class for the problem p, from the table of all costs: the sum of
// e^{-λ·cost}, where the cost includes the penalty. decay(k) must be an upper bound on e^{-λk} for k ≥ 0. The result
// satisfies the inequality of class.Mass, where every hypothesis has the weight 1. Sum fails with the context's
// error, or if Tabulate of the original class fails.
func (c *Class[X, H]) Sum(ctx context.Context, p class.Problem[X], decay func(k int64) class.Upper) (class.Mass[H], error) {
	costs, err := c.Tabulate(p)
	if err != nil {
		return nil, err
	}
	m := &mass[H]{at: c.At, costs: costs, least: costs[0], sums: make([]uint64, len(costs))}
	for _, cost := range costs {
		m.least = min(m.least, cost)
	}
	sum := uint64(0)
	for i, cost := range costs {
		sum += fixed(decay(cost - m.least))
		m.sums[i] = sum
	}
	return m, ctx.Err()
}

// places is the number of binary places of the weights of hypotheses. Each weight is at most 1, so
// the sum of Most of them has at most 63 bits.
const places = 36

// fixed returns min(u, 1) in units of 2^-places, rounded up, and at least 1.
func fixed(u class.Upper) uint64 {
	shift := -(u.Exponent + places)
	switch {
	case u.Head == 0 || shift >= 64:
		return 1
	case shift < 63-places: // u is at least 2, since u.Head is at least 2^63
		return 1 << places
	}
	w := u.Head >> shift
	if w<<shift != u.Head {
		w++
	}
	return min(w, 1<<places)
}

// A mass is the partition function of all hypotheses of a table. It implements class.Mass. A
// descent from it makes a single choice, that of a hypothesis.
type mass[H any] struct {
	at    func(int) H
	costs []int64
	least int64    // the least cost
	sums  []uint64 // the cumulative weights of the hypotheses; a weight is at least e^{-λ(cost-least)}·2^places
}

func (m *mass[H]) Bound() (f class.Upper, least int64) {
	sum := m.sums[len(m.sums)-1]
	return class.UpperOf(new(big.Int).SetUint64(sum)).Scaled(-places), m.least
}

func (m *mass[H]) Descend() class.Descent[H] { return &descent[H]{m, -1} }

// A descent samples a hypothesis from a mass. The field chosen is the index of the hypothesis, or
// -1 before it is chosen.
type descent[H any] struct {
	*mass[H]
	chosen int
}

func (d *descent[H]) Weights(ctx context.Context) ([]uint64, error) {
	if d.chosen >= 0 {
		return nil, ctx.Err()
	}
	return d.sums, ctx.Err()
}

func (d *descent[H]) Take(i int) { d.chosen = i }

func (d *descent[H]) Hypothesis() (h H, weight *big.Rat, cost int64) {
	return d.at(d.chosen), big.NewRat(1, 1), d.costs[d.chosen]
}
