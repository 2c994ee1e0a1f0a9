package class_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// tight checks that u is normalized, at least x, and at most (1 + 2^-60)·x.
func tight(t *testing.T, what string, u class.Upper, x *big.Rat) {
	t.Helper()
	if x.Sign() == 0 {
		if u != (class.Upper{}) {
			t.Fatalf("%s of 0 is %v", what, u)
		}
		return
	}
	over := new(big.Rat).Sub(u.Rat(), x)
	most := new(big.Rat).Mul(x, new(big.Rat).SetFrac64(1, 1<<60))
	if u.Head>>63 == 0 || over.Sign() < 0 || over.Cmp(most) > 0 {
		t.Fatalf("%s: %v for %v, above it by %v", what, u, x, over)
	}
}

// number returns edge cases (such as powers of two) and random integers of all lengths.
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
	for range heavy.Pick(20_000, 100_000) {
		a, b := number(rng), number(rng)
		u, v := class.UpperOf(a), class.UpperOf(b)
		x, y := new(big.Rat).SetInt(a), new(big.Rat).SetInt(b)
		tight(t, "UpperOf", u, x)
		tight(t, "Times", u.Times(v), new(big.Rat).Mul(u.Rat(), v.Rat()))
		tight(t, "Plus", u.Plus(v), new(big.Rat).Add(u.Rat(), v.Rat()))
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
				if below.Rat().Cmp(new(big.Rat).Quo(x, y)) >= 0 {
					t.Fatalf("%v over %v: %v is not the least", a, b, q)
				}
			}
		}
	}
	if got := class.One.Scaled(-3).Times(class.UpperOf(big.NewInt(8))); got != class.One {
		t.Errorf("an eighth of 8 is %v", got)
	}
}

// UpperOfFloat and Rat do not round.
func TestUpperIsExact(t *testing.T) {
	for _, x := range []float64{0, 1, 0.1, 3e-300, 5e-324, 1 << 60, math.MaxFloat64} {
		if u := class.UpperOfFloat(x); u.Rat().Cmp(new(big.Rat).SetFloat64(x)) != 0 || x > 0 && u.Head>>63 == 0 {
			t.Errorf("%g becomes %v", x, u)
		}
	}
}
