package readonce

import (
	"math/big"
	"slices"
)

// A Gate is the gate of a formula.
type Gate uint8

const (
	// Majority has three inputs.
	Majority Gate = iota
	// Nand has two inputs and is 0 if and only if both are 1.
	Nand
)

// arity returns the number of inputs of the gate.
func (g Gate) arity() int {
	if g == Majority {
		return 3
	}
	return 2
}

// String returns the gate's name in formulas.
func (g Gate) String() string {
	if g == Majority {
		return "MAJ"
	}
	return "NAND"
}

// leaves returns the number of leaves of the complete tree of depth k.
func (g Gate) leaves(k int) int {
	n := 1
	for range k {
		n *= g.arity()
	}
	return n
}

// starts returns, for each leaf, the first leaf of the left sibling of the largest subtree that
// starts at this leaf, or -1 for the first leaf. A formula is canonical if and only if every leaf's
// input is greater than that of its start.
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

// canonical reports whether the children of every gate are sorted by their least inputs, given
// distinct inputs at the leaves.
func (g Gate) canonical(inputs []int) bool {
	for leaf, start := range g.starts(len(inputs)) {
		if start >= 0 && inputs[leaf] < inputs[start] {
			return false
		}
	}
	return true
}

// arrangements returns the canonical formulas of n leaves that read the inputs 0..n-1.
func (g Gate) arrangements(n int) [][]int {
	var out [][]int
	g.arrange(n, n, func(inputs []int) bool {
		out = append(out, slices.Clone(inputs))
		return true
	})
	return out
}

// arrange yields the canonical formulas of n leaves over d inputs in lexicographic order of their
// leaves. It reuses one slice.
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

// count returns N, which is C(d, n)·n! divided by the symmetries: arity! for each of the
// (n-1)/(arity-1) gates.
func (g Gate) count(d, k int) *big.Int {
	a := int64(g.arity())
	n := int64(g.leaves(k))
	symmetries := new(big.Int).MulRange(1, a)
	symmetries.Exp(symmetries, big.NewInt((n-1)/(a-1)), nil)
	size := new(big.Int).Binomial(int64(d), n)
	size.Mul(size, new(big.Int).MulRange(1, n))
	return size.Quo(size, symmetries)
}
