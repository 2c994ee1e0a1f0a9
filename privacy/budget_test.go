package privacy

import (
	"errors"
	"math/big"
	"testing"
)

// budget returns a budget of the given ρ and μ, of which one is 0.
func budget(t testing.TB, rho, mu string) GaussianBudget {
	t.Helper()
	b, err := NewGaussianBudget(ReplaceOne, decimal(t, rho), decimal(t, mu))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A budget of μ is a GDP with ρ = μ²/2, whose Total is this ρ.
func TestGaussianBudget(t *testing.T) {
	for _, c := range [][2]string{{"0.02", "0"}, {"0", "0.2"}} {
		b, want := budget(t, c[0], c[1]), big.NewRat(1, 50)
		if g, ok := b.(GDP); ok && g.Square().Cmp(big.NewRat(1, 25)) != 0 || ok != (c[0] == "0") {
			t.Errorf("ρ = %s, μ = %s: %#v", c[0], c[1], b)
		}
		if rho := b.(interface{ Rho() *big.Rat }).Rho(); rho.Cmp(want) != 0 || b.Total().Cmp(want) != 0 || b.Relation() != ReplaceOne {
			t.Errorf("ρ = %s, μ = %s: a ρ of %v and a total of %v", c[0], c[1], rho, b.Total())
		}
		b.Total().SetInt64(7)
		if b.Total().Cmp(want) != 0 {
			t.Errorf("ρ = %s, μ = %s: the total was changed", c[0], c[1])
		}
	}
	// μ² determines the total, not ρ.
	if total := gdp(t, big.NewRat(1, 2), big.NewRat(1, 9)).Total(); total.Cmp(big.NewRat(1, 4)) != 0 {
		t.Errorf("the total is %v", total)
	}
}

func TestGaussianBudgetRefuses(t *testing.T) {
	for _, c := range [][2]string{{"0", "0"}, {"1", "1"}} {
		if b, err := NewGaussianBudget(AddRemove, decimal(t, c[0]), decimal(t, c[1])); !errors.Is(err, ErrParameter) {
			t.Errorf("ρ = %s, μ = %s: %v, %v", c[0], c[1], b, err)
		}
	}
	for _, c := range [][2]string{{"1", "0"}, {"0", "1"}} {
		if b, err := NewGaussianBudget(0, decimal(t, c[0]), decimal(t, c[1])); !errors.Is(err, ErrRelation) {
			t.Errorf("ρ = %s, μ = %s: %v, %v", c[0], c[1], b, err)
		}
	}
}

// The noise for a part consumes exactly this part.
func TestNoiseWithin(t *testing.T) {
	c, part := big.NewRat(2, 1), big.NewRat(3, 200)
	sigma2 := budget(t, "1", "0").NoiseWithin(c, part)
	if rho := new(big.Rat).Quo(c, new(big.Rat).Add(sigma2, sigma2)); rho.Cmp(part) != 0 {
		t.Errorf("the noise for ρ = %v has ρ = %v", part, rho)
	}
	if square := NoiseSquare(c, budget(t, "0", "1").NoiseWithin(c, part)); square.Cmp(big.NewRat(3, 100)) != 0 {
		t.Errorf("the noise for μ²/2 = %v has μ² = %v", part, square)
	}
	if c.Cmp(big.NewRat(2, 1)) != 0 || part.Cmp(big.NewRat(3, 200)) != 0 {
		t.Error("the arguments were changed")
	}
}

// RangeWithin returns the greatest ε with 6 significant digits for which RangePart is at most the given part.
func TestRangeWithin(t *testing.T) {
	for _, c := range []struct{ rho, mu, part, want string }{
		{"1", "0", "0", "0"}, {"1", "0", "0.02", "0.4"}, {"1", "0", "0.5", "2"}, {"1", "0", "0.25", "1.41421"}, {"1", "0", "800", "80"},
		{"1", "0", "1e-70", "0"}, {"1", "0", "1.71125e-60", "0.000000000000000000000000000003"},
		{"0", "1", "0", "0"}, {"0", "1", "0.19635", "1"}, {"0", "1", "0.1963499999", "0.999999"}, {"0", "1", "0.7854", "2"},
	} {
		b := budget(t, c.rho, c.mu)
		part, _ := new(big.Rat).SetString(c.part)
		epsilon, err := b.RangeWithin(part)
		if err != nil || epsilon.String() != c.want {
			t.Errorf("%s of %T: ε = %s, not %s, %v", c.part, b, epsilon, c.want, err)
		}
		if b.RangePart(epsilon).Cmp(part) > 0 {
			t.Errorf("%s of %T: ε = %s consumes more", c.part, b, epsilon)
		}
		if want, _ := new(big.Rat).SetString(c.part); part.Cmp(want) != 0 {
			t.Errorf("%s of %T: the part was changed", c.part, b)
		}
		if _, err := b.RangeWithin(big.NewRat(-1, 9)); !errors.Is(err, ErrParameter) {
			t.Errorf("%T: a negative part gives %v", b, err)
		}
	}
	two := decimal(t, "2")
	if rho, square := budget(t, "1", "0").RangePart(two), budget(t, "0", "1").RangePart(two); rho.Cmp(RangeRho(two)) != 0 || square.Add(square, square).Cmp(RangeSquare(two)) != 0 {
		t.Errorf("a range of 2 consumes ρ = %v and μ² = %v", rho, square)
	}
}
