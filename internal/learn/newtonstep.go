package learn

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/matrix"
)

// A noisySums holds the noisy gradient and the noisy negative Hessian of the logistic likelihood,
// with the variances of their noise. They are converted from the integers of a logisticSums to
// units of log-odds and rows. The last coordinate is that of the intercept.
type noisySums struct {
	gradient                         []float64
	hessian                          [][]float64 // the lower triangle
	ofGradient, ofDiagonal, ofOthers float64     // variances of the noise of an entry: gradient, diagonal, off-diagonal
}

// newNoisySums converts noisy sums, in rows or persons (perPerson), to a noisySums. The parameters
// ofGradient and ofHessian are the variances of the noise of an entry.
func newNoisySums(gradient []float64, ofGradient float64, hessian []float64, ofHessian float64) *noisySums {
	const coordinate = shrinkUnits * unitsPerOdds
	const first, second = riskUnits * coordinate, 4 * curveUnits * coordinate * coordinate
	s := &noisySums{ofGradient: ofGradient / first / first, ofDiagonal: ofHessian / second / second, ofOthers: ofHessian / second / second / 4}
	cell := 0
	for j, g := range gradient {
		s.gradient = append(s.gradient, g/first)
		row := make([]float64, j+1)
		for k := range row {
			row[k] = hessian[cell] / second
			if k < j {
				row[k] /= 2
			}
			cell++
		}
		s.hessian = append(s.hessian, row)
	}
	return s
}

// deviations are the candidates for the prior standard deviation of the change of a weight, as
// multiples of the common weight of the starting card. The Newton step averages over the
// candidates.
var deviations = [...]float64{0, .1, .2, .35, .5, .75, 1, 1.5, 2.5}

const (
	interceptDeviation   = .3 // prior standard deviation of the change of the intercept
	diagonalDeviation    = .3 // relative prior standard deviation of diagonal entries
	mostCorrelation      = .98
	interceptCorrelation = .1 // prior variance of the correlation of an attribute with the intercept
	mistrust             = .3 // the error of the Hessian is estimated for changes of weights by this share of the common weight
)

// step returns the Newton step d from the card start: the change of each weight and of the
// constant. In its model, the gradient is H·d plus noise, where H is the Hessian after noise
// reduction by denoise. The changes of the weights have a common prior variance. step computes the
// posterior mean of d for each candidate in deviations, and returns the average, weighted by the
// marginal likelihood of each candidate. Weights that would become negative are set to 0.
func (t *encodedTable) step(start linear, s *noisySums) linear {
	weight, intercept := start.weights[0], float64(t.constant)/unitsPerOdds
	h, noise := t.denoise(s, weight)
	n := len(s.gradient)
	var steps [][]float64
	var logs []float64
	top := math.Inf(-1)
	for _, deviation := range deviations {
		prior := make([]float64, n)
		for j := range prior {
			prior[j] = deviation * weight * deviation * weight
		}
		prior[n-1] = interceptDeviation / intercept * interceptDeviation / intercept
		if d, l, ok := posterior(h, noise, s.gradient, prior); ok {
			steps, logs, top = append(steps, d), append(logs, l), max(top, l)
		}
	}
	sum, weights := make([]float64, n), 0.0
	for i, d := range steps {
		w := math.Exp(logs[i] - top)
		weights += w
		for j := range sum {
			sum[j] += w * d[j]
		}
	}
	l := linear{weights: make([]float64, n-1)}
	for j := range l.weights {
		l.weights[j] = max(finite(sum[j]/weights), -weight)
	}
	l.constant = finite(intercept * sum[n-1] / weights)
	return l
}

// finite returns x limited to the permitted range of a card's weight, or 0 if x is NaN.
func finite(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, -2*mostCardWeight), 2*mostCardWeight)
}

// denoise estimates the Hessian h from the noisy Hessian by shrinkage. Diagonal entries are shrunk
// towards the values that the encoding implies. Off-diagonal entries are divided by the roots of
// the diagonal entries, and the resulting correlations are shrunk towards their mean.
//
// denoise also returns a variance for each coordinate of the gradient: that of the difference
// between the noisy gradient and the model h·d, where d is the step. The parameter weight is the
// common weight of the starting card.
func (t *encodedTable) denoise(s *noisySums, weight float64) (h [][]float64, noise []float64) {
	n := len(s.gradient)
	intercept, curve := float64(t.constant)/unitsPerOdds, t.curve(s)
	deviations := make([]float64, n)
	h = make([][]float64, n)
	for j := range n - 1 {
		expected := t.total*curve*t.square(j) + 1e-9
		variance := diagonalDeviation * expected * diagonalDeviation * expected
		own := expected + (s.hessian[j][j]-expected)*variance/(variance+s.ofDiagonal)
		deviations[j] = math.Sqrt(max(own, expected/3))
	}
	deviations[n-1] = math.Sqrt(t.total * curve * intercept * intercept)
	mean, variance := correlations(s, deviations)
	noise = make([]float64, n)
	for j := range h {
		h[j] = make([]float64, n)
		h[j][j] = deviations[j] * deviations[j]
		noise[j] += s.ofGradient + h[j][j] // the second part is the sampling error of the gradient
		for k := range j {
			scale := deviations[j] * deviations[k]
			to, prior := mean, variance
			if j == n-1 {
				to, prior = 0, interceptCorrelation
			}
			of := s.ofOthers / scale / scale
			r := to + (s.hessian[j][k]/scale-to)*prior/(prior+of)
			h[j][k] = scale * min(max(r, -mostCorrelation), mostCorrelation)
			h[k][j] = h[j][k]
			doubt := mistrust * weight * scale * mistrust * weight * scale * prior * of / (prior + of)
			noise[j] += doubt
			noise[k] += doubt
		}
	}
	return h, noise
}

// curve estimates the mean of p(1-p) over the rows, where p is the risk of a row. It uses the diagonal entry of the
// intercept in the noisy Hessian, which is proportional to this mean.
func (t *encodedTable) curve(s *noisySums) float64 {
	intercept, last := float64(t.constant)/unitsPerOdds, len(s.gradient)-1
	return min(max(s.hessian[last][last]/(intercept*intercept*t.total), .02), .25)
}

// square returns the mean over the rows of the squared encoded log-odds of attribute j.
func (t *encodedTable) square(j int) float64 {
	return meanSquare(t.units[j], t.rows[j]) / unitsPerOdds / unitsPerOdds
}

// meanSquare returns the mean over the rows of the squares of some numbers. The parameter of lists
// the distinct numbers, and rows[i] is the number of rows with the number of[i].
func meanSquare[N int | float64](of []N, rows []float64) float64 {
	sum, all := 0.0, 1.0
	for k, n := range of {
		sum += float64(n) * float64(n) * rows[k]
		all += rows[k]
	}
	return sum / all
}

// correlations estimates the mean and the variance, over all pairs of attributes, of the
// correlation between their encoded log-odds. The parameter deviations holds the roots of the
// diagonal entries of the Hessian. A pair is weighted by the squared product of its deviations.
func correlations(s *noisySums, deviations []float64) (mean, variance float64) {
	square, weights := 0.0, 1e-9
	for j := range len(deviations) - 1 {
		for k := range j {
			scale := deviations[j] * deviations[k]
			r := s.hessian[j][k] / scale
			mean += r * scale * scale
			square += r*r*scale*scale - s.ofOthers
			weights += scale * scale
		}
	}
	mean = min(max(mean/weights, 0), .5)
	return mean, max(square/weights-mean*mean, 1e-3)
}

// posterior estimates the vector d in the linear model g = h·d + e, where g is observed. It returns
// the posterior mean of d, and the logarithm of the marginal likelihood of g up to a constant. The
// coordinates of d and of e are independent and normal with mean 0; the parameters prior and noise
// hold their variances. The result ok reports whether the covariance matrix of g is numerically
// positive definite.
func posterior(h [][]float64, noise, g, prior []float64) (d []float64, logLikelihood float64, ok bool) {
	n := len(g)
	covariance := matrix.New(n, n)
	for i := range n {
		for k := range i + 1 {
			sum := 0.0
			for j, v := range prior {
				sum += h[i][j] * v * h[k][j]
			}
			if i == k {
				sum += noise[i]
			}
			covariance.SetBoth(i, k, sum)
		}
	}
	x, logDet, ok := solve(covariance, g)
	if !ok {
		return nil, 0, false
	}
	d = make([]float64, n)
	quadratic := 0.0
	for i := range n {
		quadratic += x[i] * g[i]
		for j := range d {
			d[j] += prior[j] * h[i][j] * x[i]
		}
	}
	return d, -logDet/2 - quadratic/2, true
}
