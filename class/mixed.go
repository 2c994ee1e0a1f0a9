package class

import (
	"context"
	"math/big"
)

// A Summed class can compute its partition function by a complete enumeration, whose number of
// operations does not depend on the costs. So it can be sampled without a search.
type Summed[X, H any] interface {
	// Sum returns the partition function for the problem p, which must not have terms. Every
	// hypothesis has the weight 1, and its cost includes the penalty. decay(k) is an upper bound on
	// e^{-λk} for k ≥ 0. Sum fails with the context's error, or with ErrRange if costs are too large.
	// No other error depends on the points.
	Sum(ctx context.Context, p Problem[X], decay func(k int64) Upper) (Mass[H], error)
	// SumWork estimates the time of Sum on one thread, in units of about 10 ns, for the given number
	// of distinct records. It does not depend on the contents of the records.
	SumWork(records int64) int64
}

// A Mixed class is a union of classes of two kinds: a Class, which is searched or summed, and a
// Tractable class, which is sampled by its partition function. Each hypothesis has a public weight and a
// public penalty. The weight is 1 for a hypothesis of a Class, and its prior probability
// for a hypothesis of a tractable class.
type Mixed[X, H any] interface {
	// String describes the class and its public parameters for people.
	String() string
	// Size returns the exact number of hypotheses.
	Size() *big.Int
	// Contains reports whether h belongs to the class.
	Contains(h H) bool
	// Predict returns h(x), the prediction of the hypothesis h for the record x.
	Predict(h H, x X) bool
	// Parts describes the members of the union.
	Parts() []Part
	// Layout bounds the memory of a tree over at most the given number of distinct records. The
	// bound does not decrease as that number grows.
	Layout(records int64) Layout
	// Work estimates the time to compute the partition functions on one thread, in units of about
	// 10 ns, for at most the given number of distinct records. It does not depend on the contents
	// of the records.
	Work(records int64) int64
	// Tree returns the tree of p for sampling at the rate λ. The problem p must not have terms.
	// decay(k) is an upper bound on e^{-λk} for k ≥ 0. Tree fails with the context's error, or with
	// ErrRange if costs are too large. No other error depends on the points.
	Tree(ctx context.Context, p Problem[X], decay func(k int64) Upper) (Tree[H], error)
}

// A Part describes one of the classes of which a Mixed class is the union. All fields are
// independent of the data.
type Part struct {
	Weight  *big.Rat // sum of the weights of its hypotheses
	Least   *big.Rat // minimum weight of a hypothesis
	Penalty int64    // minimum penalty of a hypothesis
	Spread  int64    // maximum penalty minus minimum penalty
}
