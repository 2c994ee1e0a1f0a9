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
	// where costs are too large, and on nothing else that depends on the points. The
	// walkers of the tree are Massed.
	Tree(ctx context.Context, p Problem[X], decay func(k int64) Upper) (Tree[H], error)
}

// A Part of a mixed class, by public numbers.
type Part struct {
	Weight  *big.Rat // of all its hypotheses together
	Least   *big.Rat // of one of them
	Penalty int64    // the least that a hypothesis is charged
	Spread  int64    // and how much more at most
}

// A Massed walker has children that are not walked, but drawn from through their mass.
// What Tree and Walker say of leaves, shares, bounds and costs is said of all other
// hypotheses; a node with such a child is not Exact.
type Massed[H any] interface {
	Walker[H]
	// ChildMass returns the mass of child i, whose priors are the weights of its
	// hypotheses, or nil if the child is walked. It is the same at every visit. A child
	// with a mass has no leaves and is not entered.
	ChildMass(i int) Mass[H]
}

// TreeOf returns a tree of one child, which has the mass.
func TreeOf[H any](m Mass[H]) Tree[H] { return massTree[H]{m} }

type massTree[H any] struct{ mass Mass[H] }

func (massTree[H]) Plan() []int { return nil }

// Incumbent returns the m of the mass, as a cost to refer to; there is no hypothesis to return.
func (t massTree[H]) Incumbent() (h H, cost int64) {
	_, cost = t.mass.Bound()
	return h, cost
}

// Ceiling is of no hypothesis.
func (t massTree[H]) Ceiling() int64 {
	_, cost := t.mass.Bound()
	return cost
}

// Walker returns a walker at the root.
func (t massTree[H]) Walker() Walker[H] { return massWalker[H]{t.mass} }

// A massWalker stands at the root, whose child it never enters.
type massWalker[H any] struct{ mass Mass[H] }

func (massWalker[H]) Children() int            { return 1 }
func (massWalker[H]) Leaves() *big.Int         { return big.NewInt(1) }
func (massWalker[H]) ChildLeaves(int) *big.Int { return big.NewInt(1) }
func (massWalker[H]) Share(int) Upper          { return One }
func (massWalker[H]) Exact() bool              { return false }
func (massWalker[H]) Up()                      {}

func (w massWalker[H]) ChildMass(int) Mass[H] { return w.mass }

func (w massWalker[H]) Bound() int64 {
	_, least := w.mass.Bound()
	return least
}

func (massWalker[H]) Down(int, int64) (int64, bool) {
	panic("class: a child with a mass is not entered")
}
func (massWalker[H]) Hypothesis() H { panic("class: the root is no hypothesis") }
