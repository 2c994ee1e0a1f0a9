package learn

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/matrix"
)

// observations are noisy observations of one unknown number for each category of an attribute, for
// example its log-odds. The observation values[k] of category k is normally distributed: its mean
// is slopes[k] times the unknown number of this category, and its variance is variances[k].
type observations struct{ slopes, values, variances []float64 }

// variance estimates the common prior variance of the unknown numbers of all categories, assuming
// that they are independent. It returns the mean of the candidates in amplitudes, weighted by the
// marginal likelihood of the observations under each candidate.
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

// average returns the mean of n values, weighted by their likelihoods. The function of returns the
// value with index i and the logarithm of its likelihood.
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

// A kernel is a candidate for the prior correlations between the unknown numbers of the categories
// of an attribute. The number of a category is the sum of two independent terms. The first term has
// the fraction own of the variance, and is independent between categories. The second term has the
// rest of the variance. For two categories, its correlation is share(distance), where distance is
// the difference of their codes divided by the number of categories.
type kernel struct {
	own   float64
	share func(distance float64) float64
}

// kernels are the candidates for the prior correlations of an attribute whose categories have an
// order. For any other attribute, the only candidate is the first one, without correlations.
var kernels = []kernel{
	{1, func(float64) float64 { return 0 }},
	{0, func(d float64) float64 { return math.Exp(-d / .7) }},
	{.5, func(d float64) float64 { return math.Exp(-d / .7) }},
	{.1, func(d float64) float64 { return math.Exp(-d * d / .245) }},
	{.5, func(d float64) float64 { return math.Exp(-d * d / .245) }},
}

// candidates returns the candidate kernels for an attribute. The parameter smoothed reports whether
// the unknown numbers of its categories may be correlated along their order.
func candidates(smoothed bool) []kernel {
	if smoothed {
		return kernels
	}
	return kernels[:1]
}

// covariance estimates the prior covariance of the unknown numbers of the categories. It returns
// the mean of several candidates, weighted by the marginal likelihood of the observations under
// each of them. There is one candidate for each pair of a kernel and a variance in amplitudes: the
// matrix base plus the covariance with this kernel and this variance.
func (o *observations) covariance(kernels []kernel, amplitudes []float64, base *matrix.Dense) *matrix.Dense {
	n := len(o.values)
	var logs []float64
	var covariances []*matrix.Dense
	top := math.Inf(-1)
	for _, kernel := range kernels {
		for _, a := range amplitudes {
			candidate := matrix.New(n, n)
			for i := range n {
				for k := range i + 1 {
					r := (1 - kernel.own) * kernel.share(float64(i-k)/float64(n))
					if i == k {
						r += kernel.own
					}
					candidate.SetBoth(i, k, base.At(i, k)+a*r)
				}
			}
			l := o.logLikelihood(candidate)
			logs, covariances, top = append(logs, l), append(covariances, candidate), max(top, l)
		}
	}
	prior, weights := matrix.New(n, n), 0.0
	for i, l := range logs {
		w := math.Exp(l - top)
		weights += w
		covariances[i].Scale(w)
		prior.Add(covariances[i])
	}
	prior.Scale(1 / weights)
	return prior
}

// weighted returns the covariance of the observed values, given the covariance of the unknown
// numbers of the categories.
func (o *observations) weighted(covariance *matrix.Dense) *matrix.Dense {
	n := len(o.values)
	of := matrix.New(n, n)
	for i := range n {
		for k := range i + 1 {
			of.SetBoth(i, k, o.slopes[i]*covariance.At(i, k)*o.slopes[k])
		}
		of.SetBoth(i, i, of.At(i, i)+o.variances[i])
	}
	return of
}

// logLikelihood returns the logarithm of the marginal likelihood of the observations, up to a
// constant. The parameter prior is the prior covariance of the unknown numbers of the categories.
func (o *observations) logLikelihood(prior *matrix.Dense) float64 {
	solution, logDet, ok := solve(o.weighted(prior), o.values)
	if !ok {
		return math.Inf(-1)
	}
	quadratic := 0.0
	for i, d := range o.values {
		quadratic += d * solution[i]
	}
	return -logDet/2 - quadratic/2
}

// mean returns the posterior mean of the unknown numbers of the categories, given their prior
// covariance. The result ok reports whether the covariance of the observed values is finite and
// numerically positive definite.
func (o *observations) mean(prior *matrix.Dense) (mean []float64, ok bool) {
	solution, _, ok := solve(o.weighted(prior), o.values)
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

// posterior returns the posterior covariance of the unknown numbers of the categories, given their
// prior covariance. It does not depend on the observed values.
func (o *observations) posterior(prior *matrix.Dense) *matrix.Dense {
	n := len(o.slopes)
	of := prior.Clone()
	with := make([]float64, n) // covariances with the unknown number of category k
	for k, s := range o.slopes {
		for i := range with {
			with[i] = of.At(i, k)
		}
		gain := s * s / (s*s*with[k] + o.variances[k])
		for i := range n {
			for j := range i + 1 {
				of.SetBoth(i, j, of.At(i, j)-gain*with[i]*with[j])
			}
		}
	}
	return of
}

// diagonal returns the covariance matrix of n independent numbers that all have the given variance.
func diagonal(n int, variance float64) *matrix.Dense {
	of := matrix.New(n, n)
	for k := range n {
		of.SetBoth(k, k, variance)
	}
	return of
}

// solve returns the solution x of a·x = b, and the logarithm of the determinant of a. The result ok
// reports whether a is finite and numerically positive definite. The diagonal entries of a may
// differ by many orders of magnitude, because solve first scales a to a diagonal of 1. It
// overwrites a.
func solve(a *matrix.Dense, b []float64) (x []float64, logDet float64, ok bool) {
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
		a.SetBoth(i, i, 1)
		for k := range i {
			a.SetBoth(i, k, a.At(i, k)/scales[i]/scales[k])
		}
	}
	factor, ok := matrix.Cholesky(a)
	if !ok {
		return nil, 0, false
	}
	for i := range n {
		pivot := factor.Pivot(i)
		if !(pivot > leastPivot) {
			return nil, 0, false
		}
		logDet += 2 * math.Log(pivot)
	}
	x = factor.Solve(scaled)
	for i := range x {
		x[i] /= scales[i]
	}
	return x, logDet, true
}

// leastPivot determines which matrices count as positive definite, given rounding errors: after a
// matrix is scaled to a diagonal of 1, every diagonal entry of its Cholesky factor must be greater
// than leastPivot.
const leastPivot = 1e-8
