package class

import (
	"math"
	"math/bits"
)

// LeastDistance returns the least Hamming distance of two words of a code,
// given one after the other in the stated number of uint64 each, or MaxInt
// where there are fewer than two words. It compares all pairs of the n words:
// about n²/2 times the uint64 in a word, less where these differ early.
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
