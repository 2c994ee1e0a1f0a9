package perturb

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The upper Riemann sum is at least the integral, and at most 2% larger. For one degree of freedom, the
// integral has a closed form.
func TestRadialDelta(t *testing.T) {
	tail := func(x float64) float64 { return math.Erfc(x / math.Sqrt2) } // of |X|
	for _, c := range []struct{ epsilon, q, s float64 }{{1, 0.3, 0}, {1, 0.3, 0.4}, {0.1, 0.05, 0}, {3, 2, 0.1}, {0.5, 1, 0}} {
		low := max(0, (c.epsilon-c.q*c.q/2)/c.q-c.s)
		want := tail(low) - math.Exp(c.epsilon-c.q*c.s)*tail(low+c.q)
		got := radialDelta(1, c.epsilon, c.q, c.s, want)
		if got < want || got > 1.02*want {
			t.Errorf("%+v: δ = %g; want %g", c, got, want)
		}
	}
}

// latticeError returns at least the sum of the series.
func TestLatticeError(t *testing.T) {
	for sigma := 0.3; sigma < 4; sigma += 0.1 {
		want := 0.0
		for i := 30.0; i > 0; i-- {
			want += 2 * math.Exp(-2*math.Pi*math.Pi*sigma*sigma*i*i)
		}
		if got := latticeError(sigma); got < want || got > 2*want {
			t.Errorf("σ = %g: the lattice error is %g; want %g", sigma, got, want)
		}
	}
}

// For several norms and dimensions, σ² suffices for (ε, δ), and a slightly smaller σ² does not.
func TestOPDiscSigma2IsLeast(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	decimal := func(low, high float64) privacy.Decimal {
		d := privacytest.Decimal(t, fmt.Sprintf("%.2g", low*math.Pow(high/low, random.Float64())))
		return d
	}
	for range 20 {
		s := class.Sphere{Dim: 1 + random.IntN(200), Square: 1 + random.Int64N(300), Gap: 1}
		shift, epsilon, delta := 1+random.Int64N(2000), decimal(0.01, 10), decimal(1e-12, 0.1)
		sigma2, _ := new(big.Float).SetInt(OPDiscSigma2(s, shift, epsilon, delta)).Float64()
		c2, _ := new(big.Float).SetInt(shiftSquare(s, shift)).Float64()
		n, want := float64(s.Dim), below(delta)
		bound := func(sigma float64) float64 {
			return radialDelta(n, below(epsilon), math.Sqrt(c2)/sigma, math.Sqrt(n)/(2*sigma), want) + n*latticeError(sigma)
		}
		if got := bound(math.Sqrt(sigma2)); got > want {
			t.Errorf("%+v, shift %d, ε = %v: σ² = %g has δ = %g, more than %v", s, shift, epsilon, sigma2, got, delta)
		}
		if less := math.Sqrt(max(0, sigma2*(1-0x1p-13)-1)); sigma2 > 64 && bound(less) <= want {
			t.Errorf("%+v, shift %d, ε = %v: a σ² below %g also has a δ of at most %v", s, shift, epsilon, sigma2, delta)
		}
	}
}

// σ² is rounded up to 16 significant bits.
func TestSquareUp(t *testing.T) {
	for _, sigma := range []float64{0.1, 1, 1.5, 255.99, 256, 1e5, 3e9, 0x1p100} {
		exact := new(big.Rat).SetFloat64(sigma)
		exact.Mul(exact, exact)
		got := new(big.Rat).SetInt(squareUp(sigma))
		most := new(big.Rat).Mul(exact, big.NewRat(1<<15+1, 1<<15))
		if got.Cmp(exact) < 0 || got.Cmp(most.Add(most, big.NewRat(1, 1))) > 0 {
			t.Errorf("σ = %g: squareUp returned %v", sigma, got)
		}
	}
}
