package learn

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// observations are noisy observations of unknown numbers, one for each category of an attribute. The value of a
// category is normal: its mean is the slope times the unknown number.
type observations struct{ slopes, values, variances []float64 }

// variance returns the prior variance of independent unknown numbers: the mean of the amplitudes, weighted by the
// marginal likelihood of the observations.
func (o *observations) variance(amplitudes []float64) float64 {
	return average(len(amplitudes), func(i int) (float64, float64) {
		logLikelihood := 0.0
		for k, d := range o.values {
			v := amplitudes[i]*o.slopes[k]*o.slopes[k] + o.variances[k]
			logLikelihood -= math.Log(v)/2 + d*d/v/2
		}
		return amplitudes[i], logLikelihood
	})
}

// average returns the mean of the n values, weighted by their likelihoods.
func average(n int, of func(i int) (value, logLikelihood float64)) float64 {
	values, logs, top := make([]float64, n), make([]float64, n), math.Inf(-1)
	for i := range n {
		values[i], logs[i] = of(i)
		top = max(top, logs[i])
	}
	sum, weights := 0.0, 0.0
	for i, l := range logs {
		w := math.Exp(l - top)
		sum += w * values[i]
		weights += w
	}
	return sum / weights
}

// kernels are correlations of the unknown numbers of two categories of an ordered attribute at a distance, as a
// share of the number of categories. The part own is not shared with other categories.
var kernels = []struct {
	own   float64
	share func(distance float64) float64
}{
	{1, func(float64) float64 { return 0 }},
	{0, func(d float64) float64 { return math.Exp(-d / .7) }},
	{.5, func(d float64) float64 { return math.Exp(-d / .7) }},
	{.1, func(d float64) float64 { return math.Exp(-d * d / .245) }},
	{.5, func(d float64) float64 { return math.Exp(-d * d / .245) }},
}

// covariance returns the prior covariance of unknown numbers that may be correlated along the order of the
// categories: the mean over all kernels and amplitudes, weighted by the marginal likelihood of the observations.
func (o *observations) covariance(amplitudes []float64) *mat.SymDense {
	n := len(o.values)
	prior := mat.NewSymDense(n, nil)
	var logs, scales []float64
	var shapes []*mat.SymDense
	top := math.Inf(-1)
	for _, kernel := range kernels {
		shape := mat.NewSymDense(n, nil)
		for i := range n {
			for k := range i + 1 {
				r := (1 - kernel.own) * kernel.share(float64(i-k)/float64(n))
				if i == k {
					r += kernel.own
				}
				shape.SetSym(i, k, r)
			}
		}
		for _, a := range amplitudes {
			l := o.logLikelihood(shape, a)
			logs, scales, shapes = append(logs, l), append(scales, a), append(shapes, shape)
			top = max(top, l)
		}
	}
	weights := 0.0
	for i, l := range logs {
		w := math.Exp(l - top)
		weights += w
		var part mat.SymDense
		part.ScaleSym(w*scales[i], shapes[i])
		prior.AddSym(prior, &part)
	}
	prior.ScaleSym(1/weights, prior)
	return prior
}

// weighted returns the covariance of the values for unknown numbers with the given covariance.
func (o *observations) weighted(covariance func(i, k int) float64) *mat.SymDense {
	n := len(o.values)
	of := mat.NewSymDense(n, nil)
	for i := range n {
		for k := range i + 1 {
			of.SetSym(i, k, o.slopes[i]*covariance(i, k)*o.slopes[k])
		}
		of.SetSym(i, i, of.At(i, i)+o.variances[i])
	}
	return of
}

// logLikelihood returns the logarithm of the marginal likelihood of the observations, up to a constant, for
// unknown numbers with the covariance amplitude·shape.
func (o *observations) logLikelihood(shape *mat.SymDense, amplitude float64) float64 {
	solution, logDet, ok := solve(o.weighted(func(i, k int) float64 { return amplitude * shape.At(i, k) }), o.values)
	if !ok {
		return math.Inf(-1)
	}
	quadratic := 0.0
	for i, d := range o.values {
		quadratic += d * solution[i]
	}
	return -logDet/2 - quadratic/2
}

// mean returns the posterior mean of the unknown numbers under the prior covariance. It reports whether the
// covariance of the values is finite and numerically positive definite.
func (o *observations) mean(prior *mat.SymDense) (mean []float64, ok bool) {
	solution, _, ok := solve(o.weighted(prior.At), o.values)
	if !ok {
		return nil, false
	}
	mean = make([]float64, len(solution))
	for i := range mean {
		for k := range mean {
			mean[i] += prior.At(i, k) * o.slopes[k] * solution[k]
		}
	}
	return mean, true
}

// solve returns the solution of a·x = b and the logarithm of the determinant of a. It reports whether a is
// finite and numerically positive definite. It scales a to a diagonal of 1, so variances may differ by many
// orders of magnitude. It overwrites a.
func solve(a *mat.SymDense, b []float64) (x []float64, logDet float64, ok bool) {
	n := len(b)
	scales := make([]float64, n)
	for i := range n {
		if v := a.At(i, i); !(v > 0) || math.IsInf(v, 1) {
			return nil, 0, false
		}
		scales[i] = math.Sqrt(a.At(i, i))
		logDet += 2 * math.Log(scales[i])
	}
	scaled := make([]float64, n)
	for i := range n {
		scaled[i] = b[i] / scales[i]
		a.SetSym(i, i, 1)
		for k := range i {
			a.SetSym(i, k, a.At(i, k)/scales[i]/scales[k])
		}
	}
	var factors mat.Cholesky
	if !factors.Factorize(a) {
		return nil, 0, false
	}
	x = make([]float64, n)
	if err := factors.SolveVecTo(mat.NewVecDense(n, x), mat.NewVecDense(n, scaled)); err != nil {
		return nil, 0, false
	}
	for i := range x {
		x[i] /= scales[i]
	}
	return x, logDet + factors.LogDet(), true
}
