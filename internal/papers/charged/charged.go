// Package charged adds the losses on public points to the penalties of a class. A mechanism that uses the resulting
// class minimizes the total cost of the private records and the public points. Penalties do not depend on the private
// data. So the public points change neither the noise of a mechanism nor its partition of the private rows into parts.
package charged

import (
	"fmt"
	"iter"
	"math/bits"

	"github.com/sibyl-dp/sibyl/class"
)

// mostCharge is the maximum total cost of the public points: the sum over all points of the costs of predicting 0 and
// of predicting 1.
const mostCharge = 1 << 60

// New returns a class with the same hypotheses as c and larger penalties: the penalty of a hypothesis in c plus the
// costs of its predictions on the given public points. These costs are in units of penalties. Each must be at least
// 0, and the sum of both costs over all points must be at most 2^60. The new class has the same separator, distance
// and partial predictions as c, and it implements class.Enumerable if c does.
func New[X, H any](c class.Class[X, H], points []class.Point[X]) (class.Class[X, H], error) {
	left := int64(mostCharge)
	for i, pt := range points {
		for _, cost := range pt.Cost {
			if cost < 0 || cost > left {
				return nil, fmt.Errorf("charged: a cost of point %d is %d, but costs must not be negative, and their sum must be at most %d", i+1, cost, int64(mostCharge))
			}
			left -= cost
		}
	}
	charged := &charged[X, H]{c, points}
	if list, ok := c.(class.Enumerable[X, H]); ok {
		return &enumerable[X, H]{*charged, list}, nil
	}
	return charged, nil
}

// charged is the class that New returns: a class whose penalties include the costs of public points.
type charged[X, H any] struct {
	class.Class[X, H]
	points []class.Point[X]
}

func (c *charged[X, H]) String() string {
	return fmt.Sprintf("%v, charged for %d public points", c.Class, len(c.points))
}

func (c *charged[X, H]) Distance() int       { return class.Distance(c.Class) }
func (c *charged[X, H]) Separator() int      { return class.SeparatorBits(c.Class) }
func (c *charged[X, H]) Separate(h H) []bool { return class.Separate(c.Class, h) }

func (c *charged[X, H]) PredictPartial(h H, x []uint16, known []bool) (label, ok bool) {
	return class.PredictPartial(c.Class, h, x, known)
}

// Penalty returns the penalty of h: its penalty in the original class plus the costs of its predictions on the public
// points.
func (c *charged[X, H]) Penalty(h H) int64 {
	return class.Cost(c.Class, class.Problem[X]{Points: c.points}, h)
}

// Layout returns an upper bound on the memory of the search tree for the given number of distinct records. The tree
// is that of the original class, for these records and the public points together.
func (c *charged[X, H]) Layout(records int64) class.Layout {
	return c.Class.Layout(class.Sum(records, int64(len(c.points))))
}

func (c *charged[X, H]) Tree(p class.Problem[X]) (class.Tree[H], error) {
	all, err := c.with(p)
	if err != nil {
		return nil, err
	}
	return c.Class.Tree(all)
}

func (c *charged[X, H]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	all, err := c.with(p)
	if err != nil {
		return nil, err
	}
	return c.Class.Checker(all, plan)
}

// with adds the public points to the problem p. The costs of these points are in units of penalties, so they are
// multiplied by the penalty unit of p. If a product exceeds 2^61, with returns class.ErrRange.
func (c *charged[X, H]) with(p class.Problem[X]) (class.Problem[X], error) {
	unit := p.PenaltyUnit()
	points := make([]class.Point[X], len(p.Points), len(p.Points)+len(c.points))
	copy(points, p.Points)
	for _, pt := range c.points {
		for label, cost := range pt.Cost {
			hi, lo := bits.Mul64(uint64(cost), uint64(unit))
			if hi != 0 || lo > 1<<61 {
				return class.Problem[X]{}, class.ErrRange
			}
			pt.Cost[label] = int64(lo)
		}
		points = append(points, pt)
	}
	p.Points = points
	return p, nil
}

// enumerable is a charged class whose original class implements class.Enumerable.
type enumerable[X, H any] struct {
	charged[X, H]
	list class.Enumerable[X, H]
}

func (c *enumerable[X, H]) All() iter.Seq[H] { return c.list.All() }
