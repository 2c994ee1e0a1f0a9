package readonce

import (
	"math/big"
	"slices"
)

// A Gate is the kind of gate of which a formula consists: Majority or Nand.
type Gate uint8

const (
	// Majority is the majority gate with three inputs.
	Majority Gate = iota
	// Nand is the NAND gate with two inputs. Its value is 0 if and only if both are 1.
	Nand
)

// arity returns the number of inputs of a gate: three for majority, two for NAND.
func (g Gate) arity() int {
	if g == Majority {
		return 3
	}
	return 2
}

// String returns the gate's name, as formulas are printed.
func (g Gate) String() string {
	if g == Majority {
		return "MAJ"
	}
	return "NAND"
}

// leaves returns the number of leaves in a complete tree of gates of depth k.
func (g Gate) leaves(k int) int {
	n := 1
	for range k {
		n *= g.arity()
	}
	return n
}

// starts returns, for each leaf, an earlier leaf with which it is compared (-1 for leaf 0). A
// formula is in canonical form if and only if, at every other leaf, the input is greater than the
// input at starts[leaf].
//
// Consider the largest subtree that begins with the leaf, and the sibling to the left of this
// subtree. The result for the leaf is the first leaf of this sibling.
func (g Gate) starts(n int) []int {
	starts := make([]int, n)
	for leaf := range starts {
		size := 1
		for leaf > 0 && leaf%(size*g.arity()) == 0 {
			size *= g.arity()
		}
		starts[leaf] = leaf - size
	}
	starts[0] = -1
	return starts
}

// canonical reports whether the children of every gate are sorted by their least inputs. The inputs
// at the leaves must be distinct.
func (g Gate) canonical(inputs []int) bool {
	for leaf, start := range g.starts(len(inputs)) {
		if start >= 0 && inputs[leaf] < inputs[start] {
			return false
		}
	}
	return true
}

// arrangements returns all canonical formulas with n leaves that read the inputs 0..n-1. A formula
// is given by the inputs at its leaves.
func (g Gate) arrangements(n int) [][]int {
	var out [][]int
	g.arrange(n, n, func(inputs []int) bool {
		out = append(out, slices.Clone(inputs))
		return true
	})
	return out
}

// arrange yields all canonical formulas with n leaves over d inputs, in lexicographic order. A
// formula is yielded as the list of inputs at its leaves, which is valid only until the next
// formula.
func (g Gate) arrange(n, d int, yield func(inputs []int) bool) {
	starts := g.starts(n)
	inputs, used := make([]int, n), make([]bool, d)
	var fill func(leaf int) bool
	fill = func(leaf int) bool {
		if leaf == n {
			return yield(inputs)
		}
		least := 0
		if start := starts[leaf]; start >= 0 {
			least = inputs[start] + 1
		}
		for i := least; i < d; i++ {
			if used[i] {
				continue
			}
			inputs[leaf], used[i] = i, true
			if !fill(leaf + 1) {
				return false
			}
			used[i] = false
		}
		return true
	}
	fill(0)
}

// count returns N, the number of formulas of depth k over d inputs. With n leaves, N is C(d, n)·n!
// divided by the number of symmetries of the tree. Each of the (n-1)/(arity-1) gates multiplies the
// number of symmetries by the factorial of arity.
func (g Gate) count(d, k int) *big.Int {
	a := int64(g.arity())
	n := int64(g.leaves(k))
	symmetries := new(big.Int).MulRange(1, a)
	symmetries.Exp(symmetries, big.NewInt((n-1)/(a-1)), nil)
	size := new(big.Int).Binomial(int64(d), n)
	size.Mul(size, new(big.Int).MulRange(1, n))
	return size.Quo(size, symmetries)
}
