package class

import (
	"math"
	"math/bits"
)

// LeastDistance returns the minimum Hamming distance of two words of a code, or math.MaxInt if there
// are fewer than two words. The words are concatenated in code; each has the given number of uint64.
// It compares all pairs of words, so the time grows with the square of their number.
func LeastDistance(code []uint64, each int) int {
	least := math.MaxInt
	for len(code) > each {
		first := code[:each]
		code = code[each:]
		for at := 0; at < len(code); at += each {
			d := 0
			for i, w := range first {
				if d += bits.OnesCount64(w ^ code[at+i]); d >= least {
					break
				}
			}
			least = min(least, d)
		}
	}
	return least
}
