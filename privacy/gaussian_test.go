package privacy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The bound is above the curve, which is computed with 300 bits, and close to it. The curve is at least 1e-12 here.
func TestGaussianDeltaPrecise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		mu := math.Exp2(-10 + 12*rng.Float64())
		x := mu * (mu/2 + 7*rng.Float64() - 1)
		if x/mu+mu/2 > 7 {
			continue
		}
		bound, exact := gaussianDelta(mu, x), preciseGaussian(mu, x)
		if near, _ := exact.Float64(); !atLeast(bound, exact) || bound > near*(1+1e-6)+1e-13 {
			t.Errorf("μ = %v: δ(%v) = %v, but the bound is %v", mu, x, exact, bound)
		}
	}
}

// The bound is valid and finite for all arguments.
func TestGaussianDeltaExtremes(t *testing.T) {
	for _, mu := range []float64{1e-150, 1e-3, 1, 1e3, 1e150} {
		last := 1.0
		for _, x := range []float64{-500, -1e-300, 0, 1e-3, 1, 600, 800, 0x1p500} {
			d := gaussianDelta(mu, x)
			if !(d >= 0 && d <= last) || x == 0 && d < (1-1e-9)*math.Erf(mu/math.Sqrt(8)) {
				t.Errorf("μ = %v: δ(%v) = %v after %v", mu, x, d, last)
			}
			last = d
		}
	}
}
