package readonce

import (
	"iter"
	"math"
	"math/bits"
)

// At returns the formula with index i. A formula is determined by the set of its inputs and by
// their arrangement at the leaves, which is a canonical formula over the inputs 0..n-1. If there
// are a arrangements, formula i has the set with number i/a (see combination) and the arrangement
// with number i mod a.
func (c *Class) At(i int) Formula {
	a := len(c.arrangements)
	chosen := combination(i/a, len(c.inputs), c.leaves)
	inputs := make([]int, c.leaves)
	for leaf, at := range c.arrangements[i%a] {
		inputs[leaf] = chosen[at]
	}
	return Formula{c.options.Gate, inputs}
}

// combination returns the r-th subset of n of the numbers 0..d-1, in ascending order. Subsets are
// ordered by their greatest elements first (the combinatorial number system). So r is Σ_j
// C(chosen[j-1], j), summed over j = 1, …, n, where chosen is the result.
func combination(r, d, n int) []int {
	chosen := make([]int, n)
	for j := n; j > 0; j-- {
		for d--; choose(d, j) > r; d-- {
		}
		r -= choose(d, j)
		chosen[j-1] = d
	}
	return chosen
}

// choose returns the binomial coefficient C(d, j), or math.MaxInt if an intermediate product
// overflows an int.
func choose(d, j int) int {
	c := 1
	for i := range j {
		hi, lo := bits.Mul64(uint64(c), uint64(d-i))
		if hi != 0 || lo > math.MaxInt {
			return math.MaxInt
		}
		c = int(lo) / (i + 1)
	}
	return c
}

// formulas yields the index of every formula and the list of inputs at its leaves, in the order of
// At. The list is valid only until the next formula.
func (c *Class) formulas() iter.Seq2[int, []int] {
	return func(yield func(int, []int) bool) {
		chosen, inputs := make([]int, c.leaves), make([]int, c.leaves)
		for i := range chosen {
			chosen[i] = i
		}
		for i := 0; ; {
			for _, arrangement := range c.arrangements {
				for leaf, at := range arrangement {
					inputs[leaf] = chosen[at]
				}
				if !yield(i, inputs) {
					return
				}
				i++
			}
			if !advance(chosen, len(c.inputs)) {
				return
			}
		}
	}
}

// advance replaces a subset of the numbers 0..d-1, in ascending order, by the next one in the order
// of the function combination. It returns false if there is no next subset.
func advance(chosen []int, d int) bool {
	for i := range chosen {
		end := d
		if i+1 < len(chosen) {
			end = chosen[i+1]
		}
		if chosen[i]+1 < end {
			chosen[i]++
			for j := range i {
				chosen[j] = j
			}
			return true
		}
	}
	return false
}
