package class

import (
	"math"
	"math/big"
)

// A Tree is the search tree of a class for one problem. Each node is a set of hypotheses, which the node's children
// partition. A Tree is safe for concurrent use; its walkers are not.
type Tree[H any] interface {
	// Walker returns a new walker at the root.
	Walker() Walker[H]
	// Plan returns the choices that determine the shape of the tree. Class.Checker rebuilds the tree from
	// the plan. The choices may depend on the points.
	Plan() []int
	// Incumbent returns some hypothesis and its exact cost. The lower the cost, the faster the
	// search.
	Incumbent() (H, int64)
	// Ceiling returns an upper bound on the cost of every hypothesis.
	Ceiling() int64
}

// A Shared tree can be searched efficiently by several walkers at the same time, each in its own
// goroutine. These walkers may call Bound of the same Mass concurrently.
type Shared interface {
	// WalkerBytes estimates the maximum memory of a walker, in bytes.
	WalkerBytes() int64
}

// WalkerBytes returns an estimate of the maximum memory of a walker of the tree, in bytes. For a
// tree that is not Shared, and should have only one walker, it returns math.MaxInt64.
func WalkerBytes[H any](t Tree[H]) int64 {
	if shared, ok := t.(Shared); ok {
		return shared.WalkerBytes()
	}
	return math.MaxInt64
}

// A Walker is at one node of a search tree and stores no other node. To return to a node later, a
// caller stores the node's path, which is the sequence of child indices from the root, and calls
// Down for each of them.
//
// Children, Leaves, ChildLeaves, Share and Bound return the same at every visit of a node. If Down
// does not enter a child, the number that it returns depends only on the node, the child and the
// limit.
type Walker[H any] interface {
	// Children returns the number of children. It is 0 at a single hypothesis and at a final
	// node, and at least 1 at all other nodes.
	//
	// A final node is a set of hypotheses with public weights that is represented only by its Mass.
	// It is not Exact and has no children, and Mass returns a tight mass for the rate for which the
	// tree was built. Only the root or its children may be final. Leaves and Share, and the bounds
	// and costs of the tree and of other nodes, do not take the hypotheses of final nodes into
	// account. An Exact root has no final child.
	Children() int
	// Leaves returns the exact number of hypotheses below the node. The result stays valid when
	// the walker moves; the caller must not change it.
	Leaves() *big.Int
	// ChildLeaves returns the exact number of hypotheses below child i, at least 1. The result
	// stays valid when the walker moves; the caller must not change it.
	ChildLeaves(i int) *big.Int
	// Share returns an upper bound on ChildLeaves(i)/Leaves(), with the accuracy of Ratio.
	Share(i int) Upper
	// Bound returns a lower bound on the cost of every hypothesis below the node. It is at least the bound of the
	// parent.
	Bound() int64
	// Exact returns true only if Bound is the cost of every hypothesis below the node. It always
	// returns true at a single hypothesis.
	Exact() bool
	// Down enters child i if the child's bound is at most the limit, and returns this bound and
	// true. Otherwise it stays at the node. Then it returns a lower bound for child i that is
	// greater than the limit, and false. It enters a final child for every limit.
	Down(i int, limit int64) (bound int64, entered bool)
	// Up moves to the parent.
	Up()
	// Hypothesis returns the hypothesis of an Exact node without children.
	Hypothesis() H
	// Mass returns an upper bound on the sum of weight·e^{-λ·cost} over the hypotheses below the
	// node, for λ > 0. All weights are 1, unless the node is final. The bound is lower than
	// N·e^{-λL}, where N is Leaves() and L is Bound(). Mass returns nil if the walker has no such
	// bound. The result is the same at every visit, and valid until the walker moves or Mass is
	// called again. The result tight reports whether the bound is nearly equal to the sum, so that
	// splitting the node gains nothing.
	Mass(lambda *big.Rat) (mass Mass[H], tight bool)
}

// NoMass provides the method Mass for walkers without a special bound on the sum of e^{-λ·cost}.
// The sum is then bounded by the number of hypotheses, Leaves(), times e^{-λL}, where L is Bound().
// These walkers embed NoMass.
type NoMass[H any] struct{}

// Mass returns nil: the walker has no special bound on the sum of e^{-λ·cost}.
func (NoMass[H]) Mass(*big.Rat) (Mass[H], bool) { return nil, false }

// A Checker is a second implementation of a Walker, which verifies certificates independently. It
// has the same nodes, with the same children in the same order. It computes bounds with slow and
// simple code that it does not share with the Walker.
type Checker interface {
	// Children returns the number of children of the current node of the search tree.
	Children() int
	// Down enters child i of the current node.
	Down(i int)
	// Up moves to the parent.
	Up()
	// Bound returns a lower bound on the cost of every hypothesis below the node. It is at least
	// the Walker's bound.
	Bound() int64
}

// A QuickChecker is a Checker that can stop computing a bound as soon as it is high enough.
type QuickChecker interface {
	Checker
	// Reaches reports whether Bound is at least cost.
	Reaches(cost int64) bool
}
