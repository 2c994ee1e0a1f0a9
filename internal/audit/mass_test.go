package audit

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// Products and ratios agree with exact arithmetic, rounded down.
func TestMass(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() mass {
		switch r.IntN(8) {
		case 0:
			return certain
		case 1:
			return mass{}
		case 2:
			return mass{lo: r.Uint64()}
		}
		return mass{hi: r.Uint64() >> (1 + r.IntN(60)), lo: r.Uint64()}
	}
	for range 20_000 {
		a, b := draw(), draw()
		exact := new(big.Int).Mul(a.int(), b.int())
		if got := a.times(b).int(); got.Cmp(exact.Rsh(exact, places)) != 0 {
			t.Fatalf("%v · %v = %v, want %v", a.int(), b.int(), got, exact)
		}
		if b.less(a) {
			a, b = b, a
		}
		if b.minus(a).plus(a) != b {
			t.Fatalf("%v - %v + %v", b.int(), a.int(), a.int())
		}
		if !b.isZero() {
			exact := new(big.Int).Lsh(a.int(), places)
			if got := massOfRatio(a.int(), b.int()).int(); got.Cmp(exact.Quo(exact, b.int())) != 0 {
				t.Fatalf("%v / %v = %v, want %v", a.int(), b.int(), got, exact)
			}
		}
	}
}

// The probabilities of the two outcomes of a coin sum to slightly less than 1, and never to more.
func TestMassOfCoins(t *testing.T) {
	lack := func(yes, no mass) bool {
		sum := new(big.Int).Add(yes.int(), no.int())
		sum.Sub(unit, sum)
		return sum.Sign() < 0 || sum.Cmp(big.NewInt(4)) > 0
	}
	for _, x := range []*big.Rat{big.NewRat(0, 1), big.NewRat(1, 1000), big.NewRat(1, 1), big.NewRat(200, 3), big.NewRat(1<<40, 1)} {
		if yes, no := massesOfExp(x); lack(yes, no) {
			t.Errorf("e^-%v: %v and %v", x, yes.int(), no.int())
		}
		if yes, no, ok := massesOfScaledExp(big.NewRat(3, 4), x); !ok || lack(yes, no) {
			t.Errorf("¾e^-%v: %v and %v", x, yes.int(), no.int())
		}
	}
	if _, _, ok := massesOfScaledExp(big.NewRat(2, 1), big.NewRat(1, 2)); ok {
		t.Error("2e^-½ passes for a probability")
	}
}
