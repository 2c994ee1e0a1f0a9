package privacy

import "math"

// rangeParts is the number of intervals into which wholeDelta divides the range from 0 to the ε of the mechanism that
// runs before the steps.
const rangeParts = 1 << 10

// mostWidth is the maximum ε of the mechanism that runs before the steps for which wholeDelta computes a bound. For a
// greater ε, it returns the trivial bound 1.
const mostWidth = 500

// wholeDelta returns an upper bound on δ at a finite eps, if every step uses all records (the sampling probability is
// 1). The bound is nearly the privacy curve of continuous Gaussian noise. If the noise is too small to approximate it
// by continuous noise, wholeDelta returns 1 (docs/explanation/proofs/dpsgd.md, section 3.1).
func (s SubsampledGaussian) wholeDelta(eps float64) float64 {
	steps, width := float64(s.steps), 0.0
	if s.width != nil {
		width = floatUp(s.width)
	}
	rounding := (math.Log(steps) + 30) / (2 * math.Pi * math.Pi) // the variance of randomized rounding, relative to Δ²
	continuous := floatDown(s.noise)*(1-slack) - rounding
	if continuous <= 0 || width > mostWidth {
		return 1
	}
	mu := math.Sqrt(steps/continuous) * (1 + slack)
	if s.relation.Replaces() {
		mu *= 2
	}
	// distance exceeds the logarithm of the ratio of discrete noise and rounded continuous noise, and twice distance also
	// covers the rounding errors of the arguments of curve.
	const distance = 2e-12
	curve := func(x float64) float64 { return gaussianDelta(mu, x-2*distance) }
	most := 0.0
	if s.width == nil {
		most = curve(eps)
	} else {
		all := -math.Expm1(-width)
		for i := range rangeParts {
			low, high := width*float64(i)/rangeParts, width*float64(i+1)/rangeParts
			great := -math.Expm1(low-width) / all * curve(eps-high)
			small := -math.Expm1(-high) / all * math.Exp(high-width) * curve(eps-high+width)
			most = max(most, great+small)
		}
	}
	return outward(most * (1 + distance))
}

// gaussianDelta returns an upper bound on the privacy curve of N(μ, 1) and N(0, 1) at x, which may be negative (Balle
// and Wang 2018):
//
//	Φ(μ/2 - x/μ) - e^x·Φ(-μ/2 - x/μ)
//
// The bound may be less than the curve only where both are below tiny.
func gaussianDelta(mu, x float64) float64 {
	low, high := x/mu-mu/2, x/mu+mu/2
	if low > 40 {
		return 0
	}
	tail := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	p, q := tail(low), 0.0
	if high < 37 {
		q = math.Exp(x) * tail(high)
	} else { // where tail could underflow: 1-Φ(z) ≥ φ(z)/(z + 1/z), and e^x·φ(high) = φ(low)
		q = math.Exp(-low*low/2) / math.Sqrt(2*math.Pi) / (high + 1/high)
	}
	size := max(-low, high) // bounds the arguments of tail, so the relative errors of p and q are proportional to size²
	return min(p-q+logSlack*(2+size*size)*(p+q), 1)
}
