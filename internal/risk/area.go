package risk

import "math"

// The area A under the receiver operating characteristic is U/(PN). P and N are the numbers of positive and negative
// rows. U is the number of pairs of a positive and a negative row in which the positive row has the greater grade; a
// pair with equal grades counts one half.
//
// With noisy counts, the statistic T(A) = U - APN has mean 0 at the true A, because the noise of the counts
// of positive rows is independent of that of negative rows. The variance of T(A) is estimated from the
// counts. The interval contains all A for which |T(A)| is at most strays times the standard deviation of T(A)
// (docs/explanation/proofs/risk.md, section 4).

// area returns an estimate, with its interval, of the area under the receiver operating characteristic. The
// parameter chosen is the logarithm of the number of models from which the model was selected. If sampling is true,
// the interval is for the population from which the rows were sampled.
func (c *Counts) area(sampling bool, chosen float64) Share {
	g := len(c.Scale.Grades)
	variance := variance(c.noiseScale(), float64(c.units()))
	x, y := make([]float64, g), make([]float64, g)
	estimated := [2][]float64{make([]float64, g), make([]float64, g)} // by outcome
	unit := math.Sqrt(variance)                                       // all numbers are divided by unit, so that products do not overflow
	for i := range g {
		positive, negative := c.run(1, i, i+1), c.run(0, i, i+1)
		x[i], y[i] = positive.sum, negative.sum
		estimated[1][i], estimated[0][i] = positive.value, negative.value
		unit = max(unit, math.Abs(x[i]), math.Abs(y[i]))
	}
	if unit == 0 {
		return Share{nil, 0, 1}
	}
	variance /= unit * unit
	one := 1 / unit // one row, or one person
	sx, sy := 0., 0.
	for i := range g {
		x[i], y[i] = x[i]/unit, y[i]/unit
		sx, sy = sx+x[i], sy+y[i]
	}
	// above[i] and below[i] are the numbers of correctly ordered pairs in which one given positive, or negative, row
	// of grade i takes part.
	u := 0.
	above, below := make([]float64, g), make([]float64, g)
	before := 0.
	for i := range g {
		above[i] = before + y[i]/2
		before += y[i]
		u += x[i] * above[i]
	}
	before = 0
	for i := g - 1; i >= 0; i-- {
		below[i] = before + x[i]/2
		before += x[i]
	}
	// The variance of T(A) is v0 + v1 A + v2 A².
	v0, v1, v2 := 0., 0., 0.
	add := func(weight, at, all float64) {
		v0 += weight * at * at
		v1 -= 2 * weight * at * all
		v2 += weight * all * all
	}
	for i := range g {
		px, py := variance, variance
		if sampling {
			px, py = px+one*max(x[i], 0), py+one*max(y[i], 0)
		}
		add(px, above[i], sy)
		add(py, below[i], sx)
	}
	value := auc(estimated[1], estimated[0], unit)
	if v0 == 0 && v1 == 0 && v2 == 0 {
		if value == nil {
			return Share{nil, 0, 1}
		}
		return Share{value, *value, *value}
	}
	k := strays(chosen)
	// Solve (u - A sx sy)² ≤ k² (v0 + v1 A + v2 A²), a quadratic inequality in A.
	p := sx * sy
	qa, qb, qc := p*p-k*k*v2, -2*u*p-k*k*v1, u*u-k*k*v0
	disc := qb*qb - 4*qa*qc
	if value == nil || sx <= 0 || sy <= 0 || qa <= 0 || disc < 0 {
		return Share{value, 0, 1}
	}
	root := math.Sqrt(disc)
	s := Share{value, (-qb-root)/(2*qa) - rounding, (-qb+root)/(2*qa) + rounding}
	s.Least, s.Most = max(min(s.Least, *value), 0), min(max(s.Most, *value), 1)
	return s
}

// auc returns the area under the receiver operating characteristic. The parameters x and y hold the numbers of
// positive and of negative rows by grade (see Grade); they are divided by the parameter unit to avoid overflow. If
// there are no positive or no negative rows, auc returns nil.
func auc(x, y []float64, unit float64) *float64 {
	u, sx, sy := 0., 0., 0.
	for i := range x {
		u += x[i] / unit * (sy + y[i]/unit/2)
		sx, sy = sx+x[i]/unit, sy+y[i]/unit
	}
	if sx <= 0 || sy <= 0 {
		return nil
	}
	a := min(max(u/(sx*sy), 0), 1)
	return &a
}

// variance returns the variance of discrete Laplace noise with the given scale, whose values are multiples of
// 1/units. Measured in multiples of 1/units, the variance is 2q/(1-q)² with q = e^(-1/(scale·units)).
func variance(scale, units float64) float64 {
	if scale == 0 {
		return 0
	}
	half := units * math.Sinh(1/(2*scale*units))
	return 1 / (2 * half * half)
}

// strays returns the number of standard deviations by which the test statistic for an area may differ from 0 before
// the interval excludes this area (docs/explanation/proofs/risk.md). The absolute value of a Laplace variable with
// variance 1 exceeds this number with probability areaMiss·e^(-chosen). The distribution of the statistic is between
// a Laplace and a normal one, whose probability is smaller.
func strays(chosen float64) float64 { return (chosen - math.Log(areaMiss)) / math.Sqrt2 }
