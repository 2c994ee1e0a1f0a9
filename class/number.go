package class

import "math/bits"

// NumberBits returns ⌈log₂ n⌉, the number of bits that distinguish the numbers 0 to n-1.
func NumberBits(n int) int { return bits.Len(uint(n - 1)) }

// Number returns the lowest m bits of i, the lowest bit first. If n hypotheses are numbered from 0,
// these bits with m = NumberBits(n) form the shortest possible separator.
func Number(i, m int) []bool {
	set := make([]bool, m)
	for b := range set {
		set[b] = i>>b&1 == 1
	}
	return set
}
