package scorecard

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The powers of ½ are slightly above square roots of ½ computed with 300 binary places.
func TestPowersOfHalf(t *testing.T) {
	root := func(times int) *big.Float {
		x := new(big.Float).SetPrec(300).SetFloat64(.5)
		for range times {
			x.Sqrt(x)
		}
		return x
	}
	h := powersOfHalf()
	for half, times := range []int{8, 16} {
		exact := new(big.Float).SetPrec(300).SetInt64(1)
		words := []*[256]uint64{&h.high, &h.low}[half]
		for i, word := range words {
			over := new(big.Float).SetMantExp(new(big.Float).SetPrec(300).SetUint64(word), -31)
			if over.Sub(over, exact); over.Sign() < 0 || over.MantExp(nil) > -30 && over.Sign() > 0 {
				t.Errorf("2^(-%d/2^%d) is taken as %v more", i, times, over)
			}
			exact.Mul(exact, root(times))
		}
	}
}

// decay returns an upper bound on e^{-λk} that is nearly tight.
func TestRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, lambda := range []*big.Rat{big.NewRat(1, 1<<40), big.NewRat(1, 20), big.NewRat(1, 2), big.NewRat(7, 3), big.NewRat(40, 1)} {
		var r rate
		if !r.set(lambda) {
			t.Fatalf("a rate of %v is out of range", lambda)
		}
		per, _ := lambda.Float64()
		for range 2000 {
			k := rng.Int64N(1 << rng.IntN(12))
			want := math.Exp(-per * float64(k))
			if got := float64(r.decay(k, powersOfHalf())) / unit; got < want*(1-1e-12) || got > want*(1+3e-5)+2./unit {
				t.Errorf("e^-%v·%d is taken as %g, not %g", lambda, k, got, want)
			}
		}
	}
	var r rate
	if r.set(big.NewRat(45, 1)) {
		t.Error("a rate of 45 is in range")
	}
}
