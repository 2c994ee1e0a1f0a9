package noise

import (
	"math/big"
	"testing"
)

func TestAllocations(t *testing.T) {
	c := Crypto()
	x, sums := rat("22/7"), []uint64{1, 5, 9}
	p, r := rat("1/7"), rat("1/10")
	truncated := TruncatedGeometric{r, 100}
	for _, test := range []struct {
		name string
		most float64
		f    func()
	}{
		{"Uint64n", 0, func() { c.Uint64n(1000) }},
		{"Bernoulli", 0, func() { c.Bernoulli(p) }},
		{"BernoulliExp", 0, func() { c.BernoulliExp(x) }},
		{"Pick", 0, func() { c.Pick(sums) }},
		{"TruncatedGeometric.SampleUint64", 0, func() { truncated.SampleUint64(c) }},
		{"Laplace", 2, func() { Laplace{x}.Sample(c) }}, // the result
		{"Gaussian", 2, func() { Gaussian{x}.Sample(c) }},
	} {
		if got := testing.AllocsPerRun(1000, test.f); got > test.most {
			t.Errorf("%s: %v allocations, want at most %v", test.name, got, test.most)
		}
	}
}

// Results of more than 64 bits neither wrap around nor panic.
func TestHugeDraws(t *testing.T) {
	c := Insecure(3)
	tiny := new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, 63))
	minute := new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, 200))
	var wide int
	for range 200 {
		for _, law := range []Sampler{
			Geometric{tiny}, Geometric{minute}, Laplace{new(big.Rat).Inv(tiny)}, Laplace{new(big.Rat).Inv(minute)},
			Gaussian{new(big.Rat).Inv(minute)}, CubeRadius{3, tiny}, CubeRadius{3, minute},
		} {
			if !law.Sample(c).IsInt64() {
				wide++
			}
		}
		for _, a := range []*big.Rat{tiny, minute} {
			for _, k := range (Cube{3, a}).Sample(c) {
				if !k.IsInt64() {
					wide++
				}
			}
		}
		if got := (TruncatedGeometric{minute, 9}).SampleUint64(c); got > 9 {
			t.Fatalf("truncated at 9: %d", got)
		}
	}
	if wide < 1000 {
		t.Errorf("only %d draws left 64 bits", wide)
	}
}
