package perturb

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
)

// Excess bounds the excess cost of the released hypothesis q for a table with the given number of rows. The excess is
// at most ⟨k, ψ(q*)-ψ(q)⟩/g, where k is the noise, g is the grid, and q* minimizes the true cost
// (docs/explanation/proofs/opdisc.md, section 6). The embedded points ψ(q*) and ψ(q) have norm √R, and q* does not
// depend on k.
func (m *OPDisc[X, H]) Excess(rows int64) learn.Excess {
	s := m.embedding.Sphere()
	var e learn.Excess
	switch {
	case s.Dim == 0:
	case m.sigma2 == nil:
		rate, _ := m.Rate().Float64()
		e = ballExcess(float64(s.Dim), rate)
	default:
		square, _ := new(big.Float).SetInt(m.sigma2).Float64()
		e = radialExcess(float64(s.Dim), math.Sqrt(square), learn.LogSize(m.objective.Class))
	}
	scale := math.Sqrt(float64(s.Square)) / float64(m.grid)
	return m.objective.Within(learn.Excess{Mean: e.Mean * scale, Most: e.Most * scale}, rows)
}

// radialExcess bounds the maximum of ⟨k, v*-v⟩ over a set of e^size unit vectors v, where v* is a fixed unit vector,
// and k is a vector of n independent discrete Gaussian variables with the parameter σ. The result is the smaller of
// two bounds: one by the Cauchy-Schwarz inequality, and a union bound over the vectors v.
func radialExcess(n, sigma, size float64) learn.Excess {
	fixed := math.Sqrt(-2 * math.Log((1-learn.Confidence)/2))
	return learn.Excess{
		Mean: sigma * min(math.Sqrt(n), math.Sqrt(2*size)),
		Most: sigma*fixed + min(
			sigma*(math.Sqrt(n)+fixed)+math.Sqrt(n)/2,
			sigma*math.Sqrt(2*(size-math.Log((1-learn.Confidence)/2)))),
	}
}

// ballExcess bounds the maximum of ⟨k, v*-v⟩ over unit vectors v like radialExcess, but for a noise vector k of
// noise.Ball with rate a in n dimensions. The norm of k, multiplied by a, has approximately a gamma distribution of
// shape n (docs/explanation/proofs/opdisc.md, section 6).
func ballExcess(n, a float64) learn.Excess {
	factor, off := math.Exp(a*(math.Sqrt(n)+1)), math.Sqrt(n)/2
	low, high := n, 2*n
	for factor*gammaTail(n, high) > 1-learn.Confidence {
		low, high = high, 2*high
	}
	for high-low > 1e-6*high {
		if middle := (low + high) / 2; factor*gammaTail(n, middle) > 1-learn.Confidence {
			low = middle
		} else {
			high = middle
		}
	}
	return learn.Excess{Mean: factor*n/a + off, Most: 2 * (high/a + off)}
}

// gammaTail returns the probability that a gamma variable of integer shape n exceeds x, which equals the probability
// that a Poisson variable with mean x is less than n.
func gammaTail(n, x float64) float64 {
	sum := 0.0
	for i := range int(n) {
		gamma, _ := math.Lgamma(float64(i) + 1)
		sum += math.Exp(float64(i)*math.Log(x) - x - gamma)
	}
	return sum
}
