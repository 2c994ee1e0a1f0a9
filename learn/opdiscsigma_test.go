package learn

import (
	"math"
	"math/big"
	"testing"
)

// The upper sum is above the integral, which has a closed form for one degree of
// freedom, and less than a fiftieth above.
func TestRadialDelta(t *testing.T) {
	tail := func(x float64) float64 { return math.Erfc(x / math.Sqrt2) } // of |X|
	for _, c := range []struct{ epsilon, q, s float64 }{{1, 0.3, 0}, {1, 0.3, 0.4}, {0.1, 0.05, 0}, {3, 2, 0.1}, {0.5, 1, 0}} {
		low := max(0, (c.epsilon-c.q*c.q/2)/c.q-c.s)
		want := tail(low) - math.Exp(c.epsilon-c.q*c.s)*tail(low+c.q)
		got := radialDelta(1, c.epsilon, c.q, c.s, want)
		if got < want || got > 1.02*want {
			t.Errorf("%+v: %g, not %g", c, got, want)
		}
	}
}

// The series is summed from above.
func TestLatticeError(t *testing.T) {
	for sigma := 0.3; sigma < 4; sigma += 0.1 {
		want := 0.0
		for i := 30.0; i > 0; i-- {
			want += 2 * math.Exp(-2*math.Pi*math.Pi*sigma*sigma*i*i)
		}
		if got := latticeError(sigma); got < want || got > 2*want {
			t.Errorf("σ = %g: %g, not %g", sigma, got, want)
		}
	}
}

// σ² is rounded up, to 16 bits.
func TestSquareUp(t *testing.T) {
	for _, sigma := range []float64{0.1, 1, 1.5, 255.99, 256, 1e5, 3e9, 0x1p100} {
		exact := new(big.Rat).SetFloat64(sigma)
		exact.Mul(exact, exact)
		got := new(big.Rat).SetInt(squareUp(sigma))
		most := new(big.Rat).Mul(exact, big.NewRat(1<<15+1, 1<<15))
		if got.Cmp(exact) < 0 || got.Cmp(most.Add(most, big.NewRat(1, 1))) > 0 {
			t.Errorf("σ = %g: σ² = %v", sigma, got)
		}
	}
}
