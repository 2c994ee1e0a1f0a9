package search

import (
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A frontierWalker computes the nodes of a frontier, or of a part of it, by a depth-first walk.
// Each thread has its own frontier walker, with its own walker of the tree. Frontier walkers with
// equal values of ref, least and unit find the same nodes, wherever their walks start and end.
type frontierWalker struct {
	w     class.Walker[any]
	decay *decay
	ref   int64 // the lowest known cost

	least int64 // 2^16·log₂ of the least weight of nodes that are split
	unit  int64 // weights are integers in units of 2^unit

	end []int // the path at which a walk ends; nil if it ends with the tree

	path   []int         // path of the walker's node
	leaves []class.Upper // numbers of leaves of the nodes on the path, the root first
}

// newFrontierWalker returns a frontier walker at the root of the tree of the walker w. The caller
// must not use w any more.
func newFrontierWalker(w class.Walker[any], lambda *big.Rat, ref int64) frontierWalker {
	if class.IsFinal(w) {
		w = &above{Walker: w}
	}
	return frontierWalker{w: w, decay: newDecay(lambda), ref: ref, leaves: []class.Upper{class.UpperOf(w.Leaves())}}
}

// An above adds a node to the tree of a walker whose root is a final node (class.IsFinal). The new
// node is the root, and the final node is its only child. This is needed because a frontier never
// contains the root of a tree.
type above struct {
	class.Walker[any]
	below bool
}

func (w *above) Children() int {
	if w.below {
		return 0
	}
	return 1
}

func (w *above) Share(int) class.Upper { return class.Upper{} }

func (w *above) Down(int, int64) (bound int64, entered bool) {
	w.below = true
	return w.Bound(), true
}

func (w *above) Up() { w.below = false }

// A frontierNode is a node of the frontier with its weight. If hasMass is true, the node is
// represented by a class.Mass, an upper bound f·e^{-λm} on the sum of e^{-λ·cost} over the
// hypotheses below the node. It is then treated like f hypotheses of cost m.
type frontierNode struct {
	bound   int64
	exact   bool
	hasMass bool
	tight   bool        // whether its mass is nearly equal to its partition function
	weight  class.Upper // at least N·e^{-λ(bound-ref)}
	units   uint64      // the weight in units of 2^unit, rounded up
}

// unitBelow determines the initial unit in which weights are rounded: 2^-unitBelow times the least
// weight of a node that is split.
const unitBelow = 24

// seek moves the walker to the node with the given path from the root.
func (s *frontierWalker) seek(path []int) {
	common := 0
	for common < len(s.path) && common < len(path) && s.path[common] == path[common] {
		common++
	}
	for len(s.path) > common {
		s.up()
	}
	for _, i := range path[common:] {
		leaves := s.leaves[len(s.path)].Times(s.w.Share(i))
		s.w.Down(i, math.MaxInt64)
		s.path = append(s.path, i)
		s.leaves = append(s.leaves, leaves)
	}
}

// up moves the walker from its node to the parent of this node.
func (s *frontierWalker) up() {
	s.w.Up()
	s.path = s.path[:len(s.path)-1]
	s.leaves = s.leaves[:len(s.path)+1]
}

// walk visits the nodes of the frontier in depth-first order and calls the function yield for each.
// The parameter from is the path at which the walk starts; if it is empty, the walk starts with the
// first node. The walk ends when
//
//   - yield returns false, or
//   - the walk reaches the path s.end, or
//   - the walk has taken the given number of steps, each of which evaluates one child.
//
// The arguments of yield are the node, the depth up to which its path is equal to the path of the
// preceding node (kept), and its path, which the next step overwrites. walk returns the number of
// steps.
func (s *frontierWalker) walk(from []int, most int64, yield func(n frontierNode, kept int, path []int) bool) (steps int64) {
	child := 0
	if len(from) > 0 {
		child = from[len(from)-1]
		from = from[:len(from)-1]
	}
	s.seek(from)
	kept := len(from)
	for {
		for child == s.w.Children() {
			if len(s.path) == 0 {
				return steps
			}
			child = s.path[len(s.path)-1] + 1
			s.up()
			kept = min(kept, len(s.path))
		}
		if s.ends(child) {
			return steps
		}
		if steps++; steps > most {
			return steps
		}
		n, split := s.evaluateChild(child)
		if split {
			child = 0
			continue
		}
		if !yield(n, kept, append(s.path, child)) {
			return steps
		}
		kept = len(s.path)
		child++
	}
}

// ends reports whether the walk must end before the given child of the walker's node, because the child is at the
// path s.end or after it.
func (s *frontierWalker) ends(child int) bool {
	depth := len(s.path)
	if depth >= len(s.end) || child < s.end[depth] || !slices.Equal(s.path, s.end[:depth]) {
		return false
	}
	return child > s.end[depth] || depth == len(s.end)-1
}

// begin returns the path at which a walk must start to yield exactly the frontier's nodes from the
// path cut on. Usually the result is cut itself. If a node of the frontier is an ancestor of cut,
// the result is the path after that node.
func (s *frontierWalker) begin(cut []int) (from []int) {
	if len(cut) == 0 {
		return nil
	}
	s.seek(nil)
	for depth, child := range cut[:len(cut)-1] {
		if _, split := s.evaluateChild(child); !split {
			from = slices.Clone(cut[:depth+1])
			from[depth]++
			return from
		}
	}
	return cut
}

// evaluateChild evaluates a child of the walker's node. If the child is a node of the frontier,
// evaluateChild returns it as n, and the walker does not move. Otherwise it enters the child and
// returns split = true, and the walk must continue below the child.
func (s *frontierWalker) evaluateChild(child int) (n frontierNode, split bool) {
	leaves := s.leaves[len(s.path)].Times(s.w.Share(child))
	size := log(leaves) - s.least
	limit := plus(s.ref, s.decay.reach(size))
	bound, entered := s.w.Down(child, plus(s.ref, s.decay.reach(size+unitBelow<<16)))
	if entered && class.IsFinal(s.w) {
		mass, _ := s.w.Mass(s.decay.lambda)
		s.w.Up()
		return s.weighMass(mass, true), false
	}
	n = frontierNode{bound: bound, exact: entered && s.w.Exact()}
	if entered && bound <= limit && !n.exact && !s.useMass(&n) {
		s.path = append(s.path, child)
		s.leaves = append(s.leaves, leaves)
		return n, true
	}
	if entered {
		s.w.Up()
	}
	if !n.hasMass {
		s.weigh(&n, leaves)
	}
	return n, false
}

// massAt returns the mass (class.Mass) of the node with the given path, which must have one.
func (s *frontierWalker) massAt(path []int) class.Mass[any] {
	s.seek(path)
	mass, _ := s.w.Mass(s.decay.lambda)
	return mass
}

// weighMass returns a node of the frontier that is represented by the given mass. The weight of the
// node is the bound f·e^{-λm} of the mass (see class.Mass), relative to the lowest known cost. The
// parameter exact reports whether m is the cost of a hypothesis, so that it may become the new
// lowest known cost, s.ref.
func (s *frontierWalker) weighMass(mass class.Mass[any], exact bool) frontierNode {
	hypotheses, least := mass.Bound()
	n := frontierNode{bound: least, exact: exact, hasMass: true}
	s.weigh(&n, hypotheses)
	return n
}

// useMass reports whether the walker's node becomes a node of the frontier that is represented by
// its mass, and sets n to this node. This is so if the mass is tight, or too small for the node to
// be split.
func (s *frontierWalker) useMass(n *frontierNode) bool {
	mass, tight := s.w.Mass(s.decay.lambda)
	if mass == nil {
		return false
	}
	if _, least := mass.Bound(); least < plus(s.ref, -s.decay.reach(mostLog)) {
		return false // e^{-λ(m-ref)} is outside the range of weights
	}
	summed := s.weighMass(mass, false)
	if !tight && log(summed.weight) >= s.least {
		return false
	}
	*n, n.tight = summed, tight
	return true
}

// plus returns the sum of cost and difference, clamped to the range of int64.
func plus(cost, difference int64) int64 {
	sum := cost + difference
	switch {
	case cost > 0 && difference > 0 && sum < 0:
		return math.MaxInt64
	case cost < 0 && difference < 0 && sum >= 0:
		return math.MinInt64
	}
	return sum
}

// weigh sets the weight of node n, which has at most the given number of leaves. If the known cost
// of n is less than ref, weigh does nothing, because this cost becomes the new ref and the frontier
// is computed again.
func (s *frontierWalker) weigh(n *frontierNode, leaves class.Upper) {
	if n.exact && n.bound < s.ref {
		return
	}
	n.weight = leaves.Times(s.decay.at(n.bound - s.ref))
	n.units, _ = units(n.weight, s.unit)
}
