package privacy

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The bound is above the curve, which is computed with 300 bits. The difference is a multiple of the sum of both terms of the
// curve, up to rounding: 2⁻⁴⁴·(2 + s²), where s = |x|/μ + μ/2.
func TestGaussianDeltaPrecise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		mu := math.Exp2(-10 + 12*rng.Float64())
		x := mu * (mu/2 + 7*rng.Float64() - 1)
		if x/mu+mu/2 > 7 {
			continue
		}
		p, q := preciseTail(precise(x/mu-mu/2)), mul(preciseExp(precise(x)), preciseTail(precise(x/mu+mu/2)))
		s := math.Abs(x)/mu + mu/2
		bound, exact, margin := gaussianDelta(mu, x), preciseGaussian(mu, x), mul(precise(logSlack*(2+s*s)), add(p, q))
		if !atLeast(bound, add(exact, mul(margin, precise(0.97)))) || atLeast(bound, add(exact, mul(margin, precise(1.03)))) {
			t.Errorf("μ = %v: δ(%v) = %v, but the bound is %v", mu, x, exact, bound)
		}
	}
}

// If all records are used, the bound is the curve of docs/explanation/proofs/dpsgd.md, section 3.1, rounded upward. Here it is
// computed with 300 bits.
func TestWholeDelta(t *testing.T) {
	pi, kappa := precisePi(), mul(precise(12.06), preciseExp(precise(-30)))
	for _, relation := range []Relation{AddRemove, ReplaceOne} {
		for _, steps := range []int{1, 100, 100_000} {
			for _, mu := range []float64{0.01, 0.3, 1, 2, 4} {
				rounding := (math.Log(float64(steps)) + 30) / (2 * math.Pi * math.Pi)
				noise := math.Ceil(float64(steps)/(mu*mu) + rounding)
				s := subsampled(t, relation, big.NewRat(1, 1), new(big.Rat).SetFloat64(noise), steps)
				c := quo(add(preciseLog(precise(float64(steps)), math.Log(float64(steps))), precise(30)), mul(precise(2), mul(pi, pi)))
				exactMu := precise(0).Sqrt(quo(precise(float64(steps)), sub(precise(noise), c)))
				if relation == ReplaceOne {
					exactMu = mul(exactMu, precise(2))
				}
				m, _ := exactMu.Float64()
				for _, low := range []float64{-m / 2, 0.5, 2.5, 4} {
					eps := m * (low + m/2)
					if low+m > 8 || eps < 0 {
						continue
					}
					exact := mul(preciseExp(kappa), preciseGaussianAt(exactMu, sub(precise(eps), mul(precise(2), kappa))))
					if got := s.wholeDelta(eps); !atLeast(got, exact) || atLeast(got, mul(exact, precise(1+1e-8))) {
						t.Errorf("%v, %d steps with σ²/Δ² = %g: δ(%v) = %v, but the bound is %v", relation, steps, noise, eps, exact, got)
					}
				}
			}
		}
	}
	s := subsampled(t, AddRemove, big.NewRat(1, 1), big.NewRat(100, 1), 1)
	if d := s.wholeDelta(1e6); d <= 0 {
		t.Errorf("δ(10⁶) = %v", d)
	}
}

// For a mechanism of bounded range before the steps, the bound is the maximum over its possible greatest losses, up to the
// distance of two such losses that are tried.
func TestWholeDeltaAfter(t *testing.T) {
	for _, c := range []struct {
		width string
		noise int64
		eps   float64
		most  float64 // the greatest ratio of the bound to the maximum
	}{
		{"1", 3, 0.1, 1.0016}, {"1", 3, 1.5, 1.0025}, {"10", 200, 12.5, 20}, {"500", 3, 510, 1e5}, {"501", 3, 510, 0},
	} {
		b, err := NewBoundedRange(AddRemove, decimal(t, c.width))
		if err != nil {
			t.Fatal(err)
		}
		steps := subsampled(t, AddRemove, big.NewRat(1, 1), big.NewRat(c.noise, 1), 1)
		s, err := steps.After(b)
		if err != nil {
			t.Fatal(err)
		}
		w := floatUp(s.width)
		mu := 1 / math.Sqrt(float64(c.noise)-30/(2*math.Pi*math.Pi))
		most := 0.0
		for i := range 100_000 {
			loss := w * float64(i) / 100_000
			p, _ := twoLosses(w, loss)
			most = max(most, p[0]*gaussianDelta(mu, c.eps-loss)+p[1]*gaussianDelta(mu, c.eps-loss+w))
		}
		got := s.wholeDelta(c.eps)
		if c.most == 0 && got != 1 || c.most > 0 && !(got >= most*(1-1e-9) && got <= most*c.most) {
			t.Errorf("width %s: the bound on δ(%v) is %v, and the maximum is %v", c.width, c.eps, got, most)
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
