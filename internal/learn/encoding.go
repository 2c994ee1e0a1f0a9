package learn

import (
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"
)

// An encoding maps each category to an estimate of the log-odds of label 1 that it adds. It is a function
// of noisy counts and of public numbers.
type encoding struct {
	prior float64     // log-odds of label 1 over the table
	odds  [][]float64 // by attribute and category; the mean over the rows is about 0
	rows  [][]float64 // estimated number of rows, by attribute and category
	total float64     // estimated number of rows of the table
}

const (
	mostOdds        = 4  // maximum absolute log-odds of a category, before centring
	mostSmoothed    = 64 // maximum number of categories of an attribute that is smoothed along its order
	encodingNewtons = 6  // Gauss-Newton iterations of one attribute
)

// amplitudes are the prior variances of a category's log-odds that the estimate averages over.
var amplitudes = [...]float64{0, .003, .01, .03, .1, .3, 1, 3, 9}

// encode estimates the encoding by empirical Bayes from the noisy counts of both labels, in the cells of
// the marginals. variance is that of the noise of one cell. ordered reports for each attribute whether its
// categories are in a meaningful order; their log-odds may be smooth along it.
//
// The log-odds of an attribute have a Gaussian prior. Its covariance is the mean over a fixed list of
// kernels and amplitudes, weighted by the marginal likelihood of the counts. The estimate is the mode of the
// posterior, by Gauss-Newton iterations. An attribute whose counts are indistinguishable from noise gets
// log-odds of nearly 0.
func (m *marginals) encode(answers []*big.Int, variance float64, ordered []bool) *encoding {
	deviation := math.Sqrt(variance)
	no, yes := m.rows(answers, false)+1+deviation, m.rows(answers, true)+1+deviation
	e := &encoding{prior: math.Log(yes / no), total: max(yes+no-2*(1+deviation), 1)}
	for j, n := range m.sizes {
		c := &cells{share: yes / (no + yes), variance: variance, ordered: ordered[j]}
		for k := range n {
			c.add(clamped(answers[m.cell(j, k, false)]), clamped(answers[m.cell(j, k, true)]))
		}
		odds := c.odds()
		mean, rows := 0.0, 1.0
		for k := range odds {
			odds[k] = min(max(odds[k], -mostOdds), mostOdds)
			mean += odds[k] * c.rows[k]
			rows += c.rows[k]
		}
		for k := range odds {
			odds[k] -= mean / rows
		}
		e.odds, e.rows = append(e.odds, odds), append(e.rows, c.rows)
	}
	return e
}

// cells are the noisy counts of one attribute.
type cells struct {
	share     float64 // of label 1 in the table
	variance  float64 // of the noise of one count
	ordered   bool
	rows      []float64 // estimated number of rows of each category, positive
	deviation []float64 // noisy number of rows with label 1, less the share of the noisy number of rows
}

// add appends a category with noisy counts of label 0 and of label 1.
func (c *cells) add(no, yes float64) {
	c.rows = append(c.rows, nonNegative(no+yes, 2*c.variance))
	c.deviation = append(c.deviation, yes-c.share*(no+yes))
}

// nonNegative returns the mean of a number, given that it is at least 0 and that it was observed with normal
// noise of the given variance, under a flat prior.
func nonNegative(observed, variance float64) float64 {
	if variance == 0 {
		return max(observed, 0)
	}
	sigma := math.Sqrt(variance)
	z := observed / sigma
	if z < -8 {
		return sigma / -z // the tail of the normal density is nearly exponential there
	}
	density, above := math.Exp(-z*z/2)/math.Sqrt(2*math.Pi), math.Erfc(-z/math.Sqrt2)/2
	return observed + sigma*density/above
}

// noise returns the variance of the deviation of category k if a row of it has label 1 with probability p.
func (c *cells) noise(k int, p float64) float64 {
	return c.variance*((1-c.share)*(1-c.share)+c.share*c.share) + c.rows[k]*p*(1-p)
}

// odds returns the posterior mode of the log-odds of each category, relative to those of the table.
func (c *cells) odds() []float64 {
	if c.ordered && len(c.rows) >= 3 && len(c.rows) <= mostSmoothed {
		return c.smooth()
	}
	return c.separate()
}

// separate estimates independent log-odds with a common prior variance.
func (c *cells) separate() []float64 {
	n := len(c.rows)
	variance := average(len(amplitudes), func(i int) (float64, float64) {
		logLikelihood := 0.0
		for k, d := range c.deviation {
			g := c.rows[k] * c.share * (1 - c.share)
			v := amplitudes[i]*g*g + c.noise(k, c.share)
			logLikelihood -= math.Log(v)/2 + d*d/v/2
		}
		return amplitudes[i], logLikelihood
	})
	odds := make([]float64, n)
	for k := range odds {
		for range encodingNewtons {
			slope, residual, v := c.linear(k, odds[k])
			odds[k] = clampOdds(variance * slope * residual / (variance*slope*slope + v))
		}
	}
	return odds
}

// linear linearizes the deviation of category k at the log-odds l: it returns the slope, the residual of
// the line at log-odds 0, and the variance of the noise.
func (c *cells) linear(k int, l float64) (slope, residual, variance float64) {
	p := 1 / (1 + math.Exp(-math.Log(c.share/(1-c.share))-l))
	slope = c.rows[k] * p * (1 - p)
	return slope, slope*l + c.deviation[k] - c.rows[k]*(p-c.share), c.noise(k, p)
}

func clampOdds(l float64) float64 { return min(max(l, -1.5*mostOdds), 1.5*mostOdds) }

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

// kernels are correlations of the log-odds of two categories of an ordered attribute at a distance, as a
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

// smooth estimates log-odds that may be correlated along the order of the categories.
func (c *cells) smooth() []float64 {
	n := len(c.rows)
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
			l := c.logLikelihood(shape, a)
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
	return c.mode(prior)
}

// logLikelihood returns the logarithm of the marginal likelihood of the deviations, up to a constant, for
// log-odds with the covariance amplitude·shape.
func (c *cells) logLikelihood(shape *mat.SymDense, amplitude float64) float64 {
	n := len(c.rows)
	covariance := mat.NewSymDense(n, nil)
	for i := range n {
		g := c.rows[i] * c.share * (1 - c.share)
		for k := range i + 1 {
			covariance.SetSym(i, k, amplitude*shape.At(i, k)*g*c.rows[k]*c.share*(1-c.share))
		}
		covariance.SetSym(i, i, covariance.At(i, i)+c.noise(i, c.share))
	}
	solution, logDet, ok := solve(covariance, c.deviation)
	if !ok {
		return math.Inf(-1)
	}
	quadratic := 0.0
	for i, d := range c.deviation {
		quadratic += d * solution[i]
	}
	return -logDet/2 - quadratic/2
}

// mode returns the posterior mode of the log-odds under the prior covariance.
func (c *cells) mode(prior *mat.SymDense) []float64 {
	n := len(c.rows)
	odds, slopes, residuals := make([]float64, n), make([]float64, n), make([]float64, n)
	for range encodingNewtons {
		covariance := mat.NewSymDense(n, nil)
		for i := range n {
			var v float64
			slopes[i], residuals[i], v = c.linear(i, odds[i])
			for k := range i + 1 {
				covariance.SetSym(i, k, slopes[i]*prior.At(i, k)*slopes[k])
			}
			covariance.SetSym(i, i, covariance.At(i, i)+v)
		}
		solution, _, ok := solve(covariance, residuals)
		if !ok {
			break
		}
		for i := range odds {
			odds[i] = 0
			for k := range odds {
				odds[i] += prior.At(i, k) * slopes[k] * solution[k]
			}
			odds[i] = clampOdds(odds[i])
		}
	}
	return odds
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
