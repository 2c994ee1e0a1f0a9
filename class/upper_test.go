package class_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// rat returns the number that u stands for.
func rat(u class.Upper) *big.Rat {
	n := new(big.Int).SetUint64(u.Head)
	if u.Exponent >= 0 {
		return new(big.Rat).SetInt(n.Lsh(n, uint(u.Exponent)))
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), uint(-u.Exponent)))
}

// tight checks that u is normal, at least x, and at most 2^-60 of x above.
func tight(t *testing.T, what string, u class.Upper, x *big.Rat) {
	t.Helper()
	if x.Sign() == 0 {
		if u != (class.Upper{}) {
			t.Fatalf("%s of 0 is %v", what, u)
		}
		return
	}
	over := new(big.Rat).Sub(rat(u), x)
	most := new(big.Rat).Mul(x, new(big.Rat).SetFrac64(1, 1<<60))
	if u.Head>>63 == 0 || over.Sign() < 0 || over.Cmp(most) > 0 {
		t.Fatalf("%s: %v for %v, above it by %v", what, u, x, over)
	}
}

// number returns weird and random integers of all lengths.
func number(rng *rand.Rand) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(1), uint(rng.IntN(200)))
	switch rng.IntN(5) {
	case 0:
	case 1:
		n.Sub(n, big.NewInt(1))
	case 2:
		n.Add(n, big.NewInt(1))
	case 3:
		n.Mul(n, big.NewInt(rng.Int64()))
	default:
		n.SetUint64(rng.Uint64() >> rng.IntN(64))
	}
	return n
}

func TestUpper(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		a, b := number(rng), number(rng)
		u, v := class.UpperOf(a), class.UpperOf(b)
		x, y := new(big.Rat).SetInt(a), new(big.Rat).SetInt(b)
		tight(t, "UpperOf", u, x)
		tight(t, "Times", u.Times(v), new(big.Rat).Mul(rat(u), rat(v)))
		tight(t, "Plus", u.Plus(v), new(big.Rat).Add(rat(u), rat(v)))
		if u.Plus(v) != v.Plus(u) {
			t.Fatalf("%v and %v: their sum depends on the order", u, v)
		}
		if b.Sign() == 0 {
			continue
		}
		tight(t, "Ratio", class.Ratio(a, b), new(big.Rat).Quo(x, y))
		tight(t, "Over", u.Over(v), new(big.Rat).Quo(x, y))
		if a.IsUint64() && b.IsUint64() {
			q := class.Quotient(a.Uint64(), b.Uint64())
			tight(t, "Quotient", q, new(big.Rat).Quo(x, y))
			if q.Head > 1<<63 {
				below := class.Upper{Head: q.Head - 1, Exponent: q.Exponent}
				if rat(below).Cmp(new(big.Rat).Quo(x, y)) >= 0 {
					t.Fatalf("%v over %v: %v is not the least", a, b, q)
				}
			}
		}
	}
	if got := class.One.Scaled(-3).Times(class.UpperOf(big.NewInt(8))); got != class.One {
		t.Errorf("an eighth of 8 is %v", got)
	}
}
