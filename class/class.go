package class

import (
	"errors"
	"math/big"
)

// ErrRange reports a problem whose costs do not fit into 62 bits, the size of the integers with
// which trees compute.
var ErrRange = errors.New("class: a cost is too large: it must fit into 62 bits")

// A Class is a finite set of hypotheses that predict 0 or 1. It is public: nothing about it may
// depend on private records. Two different values of type H are two hypotheses, even if they
// predict the same for every record.
type Class[X, H any] interface {
	// String describes the class and its public parameters for people.
	String() string
	// Size returns the exact number of hypotheses, at least 1.
	Size() *big.Int
	// Contains reports whether h belongs to the class.
	Contains(h H) bool
	// Predict returns h(x), the prediction of the hypothesis h for the record x.
	Predict(h H, x X) bool
	// Penalty returns the part of the cost of h that does not depend on the data. It is at
	// least 0.
	Penalty(h H) int64
	// Layout bounds the memory of a tree over at most the given number of distinct records. The
	// bound does not decrease as that number grows.
	Layout(records int64) Layout
	// Tree returns the search tree of the problem. It fails with ErrRange if costs are too large. No other error
	// depends on the points of the problem.
	Tree(p Problem[X]) (Tree[H], error)
	// Checker returns an independent implementation of the problem's search tree, which verifies certificates. The plan
	// is the result of the tree's Plan method; Checker returns an error if it is malformed.
	Checker(p Problem[X], plan []int) (Checker, error)
}

// Cost returns the exact cost of hypothesis h in problem p, computed from the definition point by
// point.
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
