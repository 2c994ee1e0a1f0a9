package class_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

func TestLeastDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 300 {
		n, each := rng.IntN(12), 1+rng.IntN(3)
		code := make([]uint64, n*each)
		for i := range code {
			code[i] = rng.Uint64() & rng.Uint64() & rng.Uint64()
		}
		least := math.MaxInt
		for a := range n {
			for b := range a {
				d := 0
				for w := range each {
					d += bits.OnesCount64(code[a*each+w] ^ code[b*each+w])
				}
				least = min(least, d)
			}
		}
		if got := class.LeastDistance(code, each); got != least {
			t.Errorf("%x in words of %d: %d, not %d", code, each, got, least)
		}
	}
	if got := class.LeastDistance([]uint64{3, 5, 3}, 1); got != 0 {
		t.Errorf("equal words: %d", got)
	}
}
