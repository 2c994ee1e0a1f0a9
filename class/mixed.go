package class

import (
	"context"
	"math/big"
)

// A Mixed class has hypotheses that are searched, and others that are drawn from through
// a mass. Each hypothesis q has a public weight: 1 if it is searched, and otherwise the
// prior that its summed class gives it, and a public penalty.
type Mixed[X, H any] interface {
	// String describes the class for people, with its public parameters.
	String() string
	// Size returns the exact number of hypotheses.
	Size() *big.Int
	// Contains tells whether h belongs to the class.
	Contains(h H) bool
	// Predict returns q(x).
	Predict(h H, x X) bool
	// Parts tells what the class is a union of.
	Parts() []Part
	// Layout bounds what Tree takes for at most so many distinct records, 0 or more: a
	// number that does not fall as they become more.
	Layout(records int64) Layout
	// Work returns about how many steps of some 10 ns the masses take on one thread, by
	// public numbers alone, for at most so many distinct records.
	Work(records int64) int64
	// Tree prepares the class for a draw over the problem, which has no terms. decay(k)
	// is at least e^{-λk}, for k ≥ 0. It fails with the context's error, with ErrRange
	// where costs are too large, and on nothing else that depends on the points.
	Tree(ctx context.Context, p Problem[X], decay func(k int64) Upper) (Tree[H], error)
}

// A Part of a mixed class, by public numbers.
type Part struct {
	Weight  *big.Rat // of all its hypotheses together
	Least   *big.Rat // of one of them
	Penalty int64    // the least that a hypothesis is charged
	Spread  int64    // and how much more at most
}
