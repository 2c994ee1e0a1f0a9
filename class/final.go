package class

import "math/big"

// Final returns a tree with a single node, which is a final node: its hypotheses are not listed,
// but represented by the mass m, a bound on their partition function (see Walker.Children).
func Final[H any](m Mass[H]) Tree[H] { return final[H]{mass: m} }

// IsFinal reports whether the walker is at a final node.
func IsFinal[H any](w Walker[H]) bool { return w.Children() == 0 && !w.Exact() }

// A final is a search tree with a single, final node (see Walker.Children). It is also the walker
// of this tree.
type final[H any] struct {
	mass Mass[H]
}

func (f final[H]) Walker() Walker[H] { return f }

// Incumbent returns a zero hypothesis, because the tree does not list any, and the number m that
// Mass.Bound returns. Callers use this number as the reference cost for the weights of nodes.
func (f final[H]) Incumbent() (h H, cost int64) { return h, f.Bound() }

// Ceiling returns the number m that Mass.Bound returns. It need not bound the cost of any
// hypothesis, because the tree lists none.
func (f final[H]) Ceiling() int64 { return f.Bound() }

func (f final[H]) Bound() int64 {
	_, least := f.mass.Bound()
	return least
}

func (f final[H]) Mass(*big.Rat) (Mass[H], bool) { return f.mass, true }

func (final[H]) Plan() []int              { return nil }
func (final[H]) WalkerBytes() int64       { return 0 }
func (final[H]) Children() int            { return 0 }
func (final[H]) Leaves() *big.Int         { return new(big.Int) }
func (final[H]) Exact() bool              { return false }
func (final[H]) ChildLeaves(int) *big.Int { panic("class: a final node has no children") }
func (final[H]) Share(int) Upper          { panic("class: a final node has no children") }
func (final[H]) Up()                      { panic("class: the root has no parent") }
func (final[H]) Hypothesis() H            { panic("class: a final node is no hypothesis") }

func (final[H]) Down(int, int64) (int64, bool) { panic("class: a final node has no children") }
