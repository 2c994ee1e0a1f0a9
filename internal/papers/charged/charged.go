// Package charged adds public points to a class: what they cost a hypothesis becomes a
// part of its penalty, which is data-independent. A mechanism that picks from such a class
// minimises over private and public records together, and neither its noise nor its parts
// know of the public ones.
package charged

import (
	"fmt"
	"iter"
	"math/bits"

	"github.com/sibyl-dp/sibyl/class"
)

// mostCharge is the greatest sum of what all points cost.
const mostCharge = 1 << 60

// New returns c, whose penalties grow by what the points cost, in units of penalty. Costs
// are at least 0, and those of all points, of either prediction, come to at most 2^60. It
// is Coded and Partial as c is, and Enumerable if c is.
func New[X, H any](c class.Class[X, H], points []class.Point[X]) (class.Class[X, H], error) {
	left := int64(mostCharge)
	for i, pt := range points {
		for _, cost := range pt.Cost {
			if cost < 0 || cost > left {
				return nil, fmt.Errorf("charged: point %d costs %d; the costs are to be 0 or more, and at most %d together", i+1, cost, int64(mostCharge))
			}
			left -= cost
		}
	}
	charged := charged[X, H]{c, points}
	if list, ok := c.(class.Enumerable[X, H]); ok {
		return enumerable[X, H]{charged, list}, nil
	}
	return charged, nil
}

type charged[X, H any] struct {
	class.Class[X, H]
	points []class.Point[X]
}

func (c charged[X, H]) String() string {
	return fmt.Sprintf("%v, charged for %d public points", c.Class, len(c.points))
}

func (c charged[X, H]) Distance() int       { return class.Distance(c.Class) }
func (c charged[X, H]) Separator() int      { return class.SeparatorBits(c.Class) }
func (c charged[X, H]) Separate(h H) []bool { return class.Separate(c.Class, h) }

func (c charged[X, H]) PredictPartial(h H, x []uint16, known []bool) (label, ok bool) {
	return class.PredictPartial(c.Class, h, x, known)
}

// Penalty returns the penalty of c and what the points cost.
func (c charged[X, H]) Penalty(h H) int64 {
	return class.Cost(c.Class, class.Problem[X]{Points: c.points}, h)
}

// Layout is that of c for the public points too.
func (c charged[X, H]) Layout(records int64) class.Layout {
	return c.Class.Layout(class.Sum(records, int64(len(c.points))))
}

func (c charged[X, H]) Tree(p class.Problem[X]) (class.Tree[H], error) {
	all, err := c.with(p)
	if err != nil {
		return nil, err
	}
	return c.Class.Tree(all)
}

func (c charged[X, H]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	all, err := c.with(p)
	if err != nil {
		return nil, err
	}
	return c.Class.Checker(all, plan)
}

// with returns the problem with the public points, which cost a unit of penalty as often
// as they say.
func (c charged[X, H]) with(p class.Problem[X]) (class.Problem[X], error) {
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

type enumerable[X, H any] struct {
	charged[X, H]
	list class.Enumerable[X, H]
}

func (c enumerable[X, H]) All() iter.Seq[H] { return c.list.All() }
