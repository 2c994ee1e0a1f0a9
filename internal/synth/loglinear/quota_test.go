package loglinear

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A share gets its proportion of the places, rounded up or down. A share of 0 gets none.
func TestQuota(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for range 300 {
		n, k := random.IntN(40), 1+random.IntN(7)
		shares, sum := make([]float64, k), 0.0
		for i := range shares {
			if random.IntN(3) > 0 {
				shares[i] = random.Float64()
			}
			sum += shares[i]
		}
		many := make([]int, k)
		for _, i := range Quota(n, shares, random.Float64()) {
			many[i]++
		}
		all := 0
		for i, m := range many {
			all += m
			if want := float64(n) * shares[i] / sum; sum > 0 && math.Abs(float64(m)-want) >= 1+1e-9 {
				t.Fatalf("%v: share %d has %d of %d places", shares, i, m, n)
			}
			if sum > 0 && shares[i] == 0 && m > 0 {
				t.Fatalf("%v: share %d is 0 and has %d places", shares, i, m)
			}
		}
		if all != n {
			t.Fatalf("%d places, want %d", all, n)
		}
	}
}
