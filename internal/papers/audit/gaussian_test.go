package audit_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
)

// parityDelta returns a lower bound on δ at ε = 1 for the minimizer of noisy costs over all labellings of m
// bits. The cost depends only on the parity of the labelling: odd labellings cost more than even ones by a
// gap, and replacing one record changes the gap by 2. The minimizer is odd if two conditions hold. The signs
// of the noise select an odd labelling, which has probability ½; and flipping any bit costs more than the gap.
// If ties is false, reach returns the probability that flipping one bit costs more than the gap. If ties is
// true, it returns the probability that flipping one bit costs at least the gap.
func parityDelta(m int, reach func(gap float64, ties bool) float64) float64 {
	odd := func(gap float64, ties bool) float64 { return math.Pow(reach(gap, ties), float64(m)) / 2 }
	worst := 0.0
	for gap := 0.0; gap < 200; gap++ {
		worst = max(worst, odd(gap, true)-math.E*odd(gap+2, false))
	}
	return worst
}

// continuous returns the argument reach of parityDelta for continuous Gaussian noise. With this noise, flipping a
// bit costs the absolute value of a normal variable with variance σ².
func continuous(sigma float64) func(float64, bool) float64 {
	return func(gap float64, _ bool) float64 { return math.Erfc(gap / (sigma * math.Sqrt2)) }
}

// discrete returns the argument reach of parityDelta for discrete Gaussian noise. With this noise, flipping a bit
// costs each·|k| in units of 1/grid, where k is a discrete Gaussian variable with parameter σ².
func discrete(sigma2 *big.Int, grid, each float64) func(float64, bool) float64 {
	square, _ := new(big.Float).SetInt(sigma2).Float64()
	top := int(12 * math.Sqrt(square))
	above := make([]float64, top+2) // of each k, the mass of |k| and more
	for k := top; k >= 0; k-- {
		above[k] = above[k+1] + math.Exp(-float64(k)*float64(k)/(2*square))
		if k > 0 {
			above[k] += math.Exp(-float64(k) * float64(k) / (2 * square))
		}
	}
	return func(gap float64, ties bool) float64 {
		k := math.Ceil(gap * grid / each)
		if !ties {
			k = math.Floor(gap*grid/each) + 1
		}
		return above[min(int(k), top+1)] / above[0]
	}
}

// The printed σ of Gaussian noise is too small for (ε, δ)-DP in Neel, Roth and Wu, Theorems 7 and 19, and in Neel,
// Roth, Vietri and Wu, Algorithms 1 and 3. Consider Algorithm 1 of Neel, Roth, Vietri and Wu on {±1}^m with G = 1/2,
// τ = 2 and D² = m. Flipping bit i costs 2|η_i|/√m, and the proof needs a shift of norm √m.
func TestPrintedSigmaFails(t *testing.T) {
	const delta = 1e-5
	root := math.Sqrt(-math.Log(delta))
	for _, v := range []struct {
		name  string
		reach func(m int) func(float64, bool) float64
		first int // the least m for which the example refutes σ
	}{
		{"3.5√(m ln(1/δ))/ε", func(m int) func(float64, bool) float64 {
			return continuous(3.5 * math.Sqrt(float64(m)) * root)
		}, 43},
		{"7√(m ln(1/δ))/ε", func(m int) func(float64, bool) float64 {
			return continuous(7 * math.Sqrt(float64(m)) * root)
		}, 212},
		{"7GD²√ln(1/δ)/(τε)", func(m int) func(float64, bool) float64 {
			return continuous(7 * 0.5 * float64(m) / 2 * root * 2 / math.Sqrt(float64(m)))
		}, 43},
	} {
		for m := 1; m <= 300; m++ {
			if d := parityDelta(m, v.reach(m)); (d > delta) != (m >= v.first) {
				t.Errorf("%s at m = %d: δ is at least %g; the least m that is refuted should be %d", v.name, m, d, v.first)
			}
		}
	}
	if d := parityDelta(100, continuous(3.5*10*root)); d < 0.14 || d > 0.16 {
		t.Errorf("σ = 3.5√(m ln(1/δ))/ε at m = 100 has a δ of %g; want 0.15", d)
	}
	epsilon, small := privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5")
	for _, m := range []int{1, 2, 10, 43, 100, 212, 400} {
		const grid = 16
		s := perturb.GaussianRSPMSigma2(m, 2*grid+1, epsilon, small)
		if d := parityDelta(m, discrete(s, grid, 1)); d > delta {
			t.Errorf("the corrected σ at m = %d: δ is at least %g", m, d)
		}
		sphere := class.Sphere{Dim: m, Square: int64(m), Gap: 2}
		s = perturb.OPDiscSigma2(sphere, grid+1, epsilon, small)
		if d := parityDelta(m, discrete(s, grid, 2)); d > delta {
			t.Errorf("the σ of OPDisc at m = %d: δ is at least %g", m, d)
		}
	}
}
