package readonce

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTally(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 400 {
		n := rng.IntN(300)
		weights := make([]int64, n)
		scale := rng.Int64N(1 << rng.IntN(52))
		for r := range weights {
			weights[r] = (rng.Int64N(200) - 100) * (scale + rng.Int64N(2))
		}
		if n > 0 {
			weights[0] = []int64{0, 1, -1, 1 << 61, -1 << 61}[rng.IntN(5)]
		}
		if rng.IntN(2) == 0 {
			slices.Sort(weights)
		}
		set := make([]uint64, (n+63)/64)
		for w := range set {
			set[w] = rng.Uint64() // including bits after the last point
		}
		want := int64(0)
		for r, w := range weights {
			if set[r/64]>>(r%64)&1 == 1 {
				want += w
			}
		}
		if got := newWeightedSum(weights).sum(set); got != want {
			t.Fatalf("%v in %x: %d, not %d", weights, set, got, want)
		}
	}
}

// For NAND gates, threshold is the fixed point (√5-1)/2 of 1-p² in units of 2^-32, rounded down.
func TestBias(t *testing.T) {
	c := &Class{options: Options{Gate: Nand}}
	one := new(big.Int).Lsh(big.NewInt(1), 64)
	side := func(p uint64) int { // the sign of p²+p-1
		x := new(big.Int).SetUint64(p)
		x.Mul(x, new(big.Int).SetUint64(p+1<<32))
		return x.Cmp(one)
	}
	if p := c.newPointSource().threshold; side(p) > 0 || side(p+1) <= 0 {
		t.Errorf("%d of 2^32", p)
	}
}

// formulas yields the formulas in the order of At.
func TestFormulasInOrder(t *testing.T) {
	for _, o := range []Options{{}, {Depth: 1}, {Depth: 2}, {Gate: Nand, Depth: 2}, {Gate: Nand, Depth: 3}} {
		c, err := New(Bits(10), o)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, inputs := range c.formulas() {
			if i != n || !slices.Equal(inputs, c.At(i).Inputs) {
				t.Fatalf("%v: %v comes at place %d, where %v is", c, inputs, n, c.At(i))
			}
			n++
		}
		if n != c.size {
			t.Errorf("%v: %d formulas", c, n)
		}
	}
}
