package perturb

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
)

// Excess bounds the excess cost of the released hypothesis for a table with the given number of rows. The excess is
// at most a sum over the separator bits i of max(0, k_i)/g or max(0, -k_i)/g, where k is the noise and g is the grid.
// Which of the two applies depends only on a minimizer of the true cost, and so not on the noise
// (docs/explanation/proofs/rspm.md, section 4).
func (m *RSPM[X, H]) Excess(rows int64) learn.Excess { return m.ExcessBeyond(rows, 1-learn.Confidence) }

// ExcessBeyond returns the bounds of Excess, but with another probability for the field Most: the excess exceeds Most
// with probability at most beta.
func (m *RSPM[X, H]) ExcessBeyond(rows int64, beta float64) learn.Excess {
	rate, _ := m.Rate().Float64()
	e := noiseExcess(m.kind, class.SeparatorBits(m.objective.Class), rate, beta)
	g := float64(m.grid * learn.Units(m.objective.Relation))
	return m.objective.Within(learn.Excess{Mean: e.Mean / g, Most: e.Most / g}, rows)
}

// NoiseExcess bounds the sum of max(0, k_i) over the components of a noise vector k with m components and the given
// distribution (kind) and NoiseRate. The bound is in grid steps. It also bounds the excess of RSPM.
func NoiseExcess(kind Noise, m int, rate *big.Rat) learn.Excess {
	r, _ := rate.Float64()
	return noiseExcess(kind, m, r, 1-learn.Confidence)
}

// noiseExcess returns the bounds of NoiseExcess, but with another probability: the sum exceeds the field Most with
// probability at most beta.
func noiseExcess(kind Noise, m int, rate, beta float64) learn.Excess {
	switch {
	case m == 0:
		return learn.Excess{}
	case kind == Cube:
		return cubeExcess(float64(m), rate, beta)
	}
	return laplaceExcess(float64(m), 1/rate, beta)
}

// laplaceExcess bounds the sum of the positive parts of m independent discrete Laplace variables with the given
// scale. It returns the mean of the sum, and an upper bound on its (1-beta)-quantile by Chernoff's inequality.
func laplaceExcess(m, scale, beta float64) learn.Excess {
	// p = e^{-1/scale}; P(k) = (1-p)/(1+p)·p^|k|.
	p := math.Exp(-1 / scale)
	mean := p / (1 - p) / (1 + p)
	// E e^{θk⁺} = 1 + (1-p)/(1+p)·Σ_{k>0} p^k(e^{θk}-1)
	moment := func(theta float64) float64 {
		q := p * math.Exp(theta)
		return math.Log1p((1 - p) / (1 + p) * (q/(1-q) - p/(1-p)))
	}
	most := math.Inf(1)
	for i := 1; i < 1000; i++ {
		theta := float64(i) / 1000 / scale
		most = min(most, (m*moment(theta)-math.Log(beta))/theta)
	}
	return learn.Excess{Mean: m * mean, Most: most}
}

// cubeExcess bounds the sum of the positive parts of Cube noise with rate a in m dimensions. Given the
// radius R of the noise, the positive parts are independent and lie in 0..R. Their mean is
// R(R+1)/(2(2R+1)), which is at most (R+1)/4. Hoeffding's inequality bounds their sum.
func cubeExcess(m, a, beta float64) learn.Excess {
	mean, high := cubeRadius(m, a, 1-beta/2)
	return learn.Excess{
		Mean: m * (mean + 1) / 4,
		Most: m*(high+1)/4 + high*math.Sqrt(-m/2*math.Log(beta/2)),
	}
}

// cubeRadius returns upper bounds on the mean of R and on its quantile for the probability level, where R is the
// radius of Cube noise with rate a in m dimensions. The probability of R is proportional to (2R+1)^m e^{-aR}.
// cubeRadius sums these weights over all radii within many standard deviations of the mode.
func cubeRadius(m, a, level float64) (mean, quantile float64) {
	log := func(r float64) float64 { return m*math.Log(2*r+1) - a*r }
	mode := max(0, m/a-0.5)
	width := 12*math.Sqrt(m+1)/a + 40/a + 2
	from, to := math.Floor(max(0, mode-width)), math.Ceil(mode+width)
	// If there are more than 2^20 radii, each summand represents step consecutive radii.
	step := max(1, math.Ceil((to-from)/(1<<20)))
	greatest := log(mode)
	weights := make([]float64, 0, int((to-from)/step)+1)
	total, sum := 0.0, 0.0
	for r := from; r <= to; r += step {
		w := math.Exp(log(r) - greatest)
		weights = append(weights, w)
		total += w
		sum += w * r
	}
	below := 0.0
	quantile = from
	for _, w := range weights {
		if below += w; below >= level*total {
			break
		}
		quantile += step
	}
	return sum/total + step - 1, quantile + step - 1
}
