package coded

import (
	"math/bits"
	"testing"
)

// griesmer returns a lower bound on the length of a linear code of dimension r with distance h
// (Griesmer, 1960).
func griesmer(r, h int) int {
	n := 0
	for i := range r {
		n += (h + 1<<i - 1) >> i
	}
	return n
}

func TestWords(t *testing.T) {
	for _, options := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 33, 256, 257, 300} {
		for _, h := range []int{1, 2, 3, 4, 5, 8, 12, 16, 33} {
			if options > 100 && h > 4 && h != 33 {
				continue
			}
			code := words(options, h)
			if len(code) != options {
				t.Fatalf("%d words for %d options", len(code), options)
			}
			for o, word := range code {
				for before, other := range code[:o] {
					d := 0
					for b := range word {
						if word[b] != other[b] {
							d++
						}
					}
					if d < h {
						t.Fatalf("%d options at distance %d: words %d and %d differ in %d places", options, h, before, o, d)
					}
				}
			}
			for _, set := range code[0] {
				if set {
					t.Fatalf("%d options at distance %d: word 0 is not 0", options, h)
				}
			}
			r := bits.Len(uint(options - 1))
			if n, least := len(code[0]), griesmer(r, h); r <= 3 && n != least || r <= 8 && n > least+4 {
				t.Errorf("%d options at distance %d: %d bits, where %d are needed", options, h, n, least)
			}
		}
	}
}

func TestKnownLengths(t *testing.T) {
	for _, c := range []struct{ options, h, bits int }{
		{1, 5, 0}, {2, 7, 7}, {3, 1, 2}, {3, 2, 3}, {4, 2, 3}, {3, 4, 6}, {5, 4, 7}, {8, 4, 7}, {5, 2, 4}, {7, 1, 3},
		{16, 8, 15}, {9, 8, 15}, {17, 16, 31}, {32, 8, 16}, {1 << 13, 3, 39},
	} {
		if got := len(words(c.options, c.h)[0]); got != c.bits {
			t.Errorf("%d options at distance %d: %d bits instead of %d", c.options, c.h, got, c.bits)
		}
	}
}
