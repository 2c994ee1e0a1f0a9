package class

import "math/bits"

// NumberBits returns ⌈log₂ n⌉, the least m such that the numbers 0..n-1 have
// distinct sequences of m bits.
func NumberBits(n int) int { return bits.Len(uint(n - 1)) }

// Number returns the last m bits of i, the lowest first: the shortest separator
// of hypotheses that have nothing but a number.
func Number(i, m int) []bool {
	set := make([]bool, m)
	for b := range set {
		set[b] = i>>b&1 == 1
	}
	return set
}
