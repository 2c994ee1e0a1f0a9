package audit_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
)

// parityDelta returns a lower bound on the δ, at ε = 1, of a perturbed minimum over
// all m-bit labellings where the cost depends on their parity alone: n records
// that all set every bit. One replaced record moves by 2 what the odd ones cost
// more than the even ones. An odd one wins if the signs of the noise choose it,
// with probability ½, and no bit can be flipped for less than that gap: reach is
// the probability that a bit cannot, with ties won if so told.
func parityDelta(m int, reach func(gap float64, ties bool) float64) float64 {
	odd := func(gap float64, ties bool) float64 { return math.Pow(reach(gap, ties), float64(m)) / 2 }
	worst := 0.0
	for gap := 0.0; gap < 200; gap++ {
		worst = max(worst, odd(gap, true)-math.E*odd(gap+2, false))
	}
	return worst
}

// continuous is a bit of Gaussian noise, flipped for |N(0, σ²)|.
func continuous(sigma float64) func(float64, bool) float64 {
	return func(gap float64, _ bool) float64 { return math.Erfc(gap / (sigma * math.Sqrt2)) }
}

// discrete is a bit of discrete Gaussian noise in steps of 1/grid, flipped for
// each times |k|.
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

// Neel, Roth and Wu, Theorems 7 and 19, and Neel, Roth, Vietri and Wu,
// Algorithms 1 and 3: the printed σ of Gaussian noise is false. In the latter's
// Algorithm 1 a bit of {±1}^m is flipped for 2|η|/√m, G = 1/2, τ = 2, D² = m, and the
// shift that it needs on that sphere is √m.
func TestPrintedSigmaFails(t *testing.T) {
	const delta = 1e-5
	root := math.Sqrt(-math.Log(delta))
	for _, v := range []struct {
		name  string
		reach func(m int) func(float64, bool) float64
		first int // the least m that refutes it
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
	epsilon, small := audittest.Decimal(t, "1"), audittest.Decimal(t, "1e-5")
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
