package class

import (
	"math"
	"math/bits"
)

// LeastDistance returns the minimum Hamming distance between two words of a binary code, or
// math.MaxInt if there are fewer than two words. The parameter code contains the words one after
// another, and each is the length of a word, as a number of uint64 values. The time grows with the
// square of the number of words, because all pairs are compared.
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
