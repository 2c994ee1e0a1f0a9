package class

import (
	"math"
	"math/big"
)

// A Tree is a class laid out for search over one problem. It is safe for
// concurrent use; its walkers are not.
type Tree[H any] interface {
	// Walker returns a new walker at the root.
	Walker() Walker[H]
	// Plan returns what Class.Checker needs to rebuild the same tree: the
	// choices that shaped it, which may have been learned from the points.
	Plan() []int
	// Incumbent returns some hypothesis and its exact cost, the better the
	// faster the search.
	Incumbent() (H, int64)
	// Ceiling returns an upper bound on the cost of every hypothesis.
	Ceiling() int64
}

// A Shared tree may be searched by several walkers at a time, each on a thread of its own,
// for what they take of memory and time. They may ask one mass of a child for its Bound then.
type Shared interface {
	// WalkerBytes returns about how much memory a walker takes at most.
	WalkerBytes() int64
}

// WalkerBytes returns about how much memory a walker of the tree takes, or math.MaxInt64 where
// the tree is not Shared: it should have one walker.
func WalkerBytes[H any](t Tree[H]) int64 {
	if shared, ok := t.(Shared); ok {
		return shared.WalkerBytes()
	}
	return math.MaxInt64
}

// A Walker stands at one node of a tree. The nodes it has left are gone: what
// is to outlive a visit is the path, the child numbers from the root, from
// which Down leads back to the node. Children, leaves, shares and bounds of a
// node are the same at every visit; what Down returns for a child that it does
// not enter depends on the limit too, and on nothing else.
type Walker[H any] interface {
	// Children returns how many children the node has; 0 at a single
	// hypothesis, and at a final node. Other nodes have at least one.
	//
	// A final node stands for hypotheses with public weights that are known by their Mass only:
	// it is not Exact, has no children, and Mass returns a tight mass that was made for the rate of
	// the tree. Only the root or its children may be final. Leaves, shares, bounds and costs are said of
	// all other hypotheses, of which there may be none; an Exact root has no final child.
	Children() int
	// Leaves returns the exact number of hypotheses below the node, which
	// stays valid wherever the walker goes. The caller must not change it.
	Leaves() *big.Int
	// ChildLeaves returns the exact number of hypotheses below child i, at
	// least 1, which stays valid wherever the walker goes. The caller must not
	// change it.
	ChildLeaves(i int) *big.Int
	// Share returns an upper bound on ChildLeaves(i)/Leaves(), as tight as
	// Ratio's.
	Share(i int) Upper
	// Bound returns a lower bound on the cost of every hypothesis below the
	// node. It is at least the bound of the parent.
	Bound() int64
	// Exact tells that Bound is the very cost of every hypothesis below. It
	// holds at a single hypothesis at the latest.
	Exact() bool
	// Down enters child i if its bound is at most limit, and returns that
	// bound and true. Otherwise it stays at the node and returns a number
	// above limit that is also a lower bound for child i, and false. A final child is
	// entered whatever the limit.
	Down(i int, limit int64) (bound int64, entered bool)
	// Up returns to the parent.
	Up()
	// Hypothesis returns the hypothesis at an Exact node without children.
	Hypothesis() H
	// Mass returns a mass of all hypotheses below the node, each of the weight 1 where the node is
	// not final, for λ > 0, which bounds the sum of e^{-λ·cost} by more than their number and Bound
	// do; or nil where the walker knows none: the same at every visit. It lasts until the walker
	// moves or is asked again. It is tight if the sum is hardly less than it, so that nothing is
	// gained by a look at the children.
	Mass(lambda *big.Rat) (mass Mass[H], tight bool)
}

// NoMass is part of walkers that know no mass.
type NoMass[H any] struct{}

// Mass returns none.
func (NoMass[H]) Mass(*big.Rat) (Mass[H], bool) { return nil, false }

// A Checker walks the same tree as a Walker, with the same children in the
// same order, but computes bounds afresh by means of its own, slow and simple.
// It serves the verification of certificates and shares no bounding code with
// the Walker.
type Checker interface {
	// Children returns how many children the node has.
	Children() int
	// Down enters child i.
	Down(i int)
	// Up returns to the parent.
	Up()
	// Bound returns a lower bound on the cost of every hypothesis below the
	// node, at least as high as the Walker's.
	Bound() int64
}

// A QuickChecker is a Checker that can tell early that a bound is high enough.
type QuickChecker interface {
	Checker
	// Reaches tells whether Bound is at least cost.
	Reaches(cost int64) bool
}
