package class

import (
	"errors"
	"math/big"
)

// ErrRange reports a problem whose costs do not fit the 62 bits that a tree
// works in.
var ErrRange = errors.New("class: costs leave 62 bits")

// A Class is a finite set of hypotheses, fixed in public: nothing of it may be
// derived from private records. Distinct values of H are distinct hypotheses
// (representations), even where they predict alike.
type Class[X, H any] interface {
	// String describes the class for people, with its public parameters.
	String() string
	// Size returns the exact number of hypotheses, at least 1.
	Size() *big.Int
	// Contains tells whether h belongs to the class.
	Contains(h H) bool
	// Predict returns q(x).
	Predict(h H, x X) bool
	// Penalty returns the data-independent cost of h, at least 0.
	Penalty(h H) int64
	// Layout bounds what Tree takes for at most so many distinct records, 0 or
	// more: a number that does not fall as they become more.
	Layout(records int64) Layout
	// Tree prepares the class for search over the problem. It fails with
	// ErrRange where costs are too large, and on nothing else that depends on
	// the points.
	Tree(p Problem[X]) (Tree[H], error)
	// Checker returns an independent walker of the same tree, for verifying a
	// certificate; plan is what the tree's Plan returned. A plan that is none
	// is refused.
	Checker(p Problem[X], plan []int) (Checker, error)
}

// Cost returns the exact cost of h by its definition, point by point.
func Cost[X, H any](c Class[X, H], p Problem[X], h H) int64 {
	cost := p.PenaltyUnit() * c.Penalty(h)
	for _, pt := range p.Points {
		if c.Predict(h, pt.X) {
			cost += pt.Cost[1]
		} else {
			cost += pt.Cost[0]
		}
	}
	if p.Terms != nil {
		for i, set := range Separate(c, h) {
			if set {
				cost += p.Terms[i]
			}
		}
	}
	return cost
}
