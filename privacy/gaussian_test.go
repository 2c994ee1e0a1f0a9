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

// Where Φ(-μ/2 - x/μ) is so small that float64 has few digits or none for it, the bound is valid and close. The curve was
// computed independently with 80 digits.
func TestGaussianDeltaUnderflow(t *testing.T) {
	for _, c := range []struct{ mu, x, curve float64 }{
		{31.5, 699.3, 4.6208143735352821e-11},
		{31.25, 697, 9.8666520306816513e-12},
		{13, 415.4, 1.0800239798049735e-143},
		{12.5, 384, 5.2023531471263987e-133},
		{7.5, 258.5, 3.3407412854742294e-208},
		{4, 145.875, 1.2245052775002526e-261},
		{1.5, 56.5625, 1.042248018429965e-300},
		{0.5, 18.53125, 7.7946252529928501e-299},
		{33, 800, 3.9357451169465816e-15},
		{44, 2000, 3.8713556344430238e-122},
	} {
		if bound := gaussianDelta(c.mu, c.x); !(bound >= c.curve && bound <= c.curve*1.001) {
			t.Errorf("μ = %v: δ(%v) = %v, but the bound is %v", c.mu, c.x, c.curve, bound)
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
