package learn

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/matrix"
)

const (
	mostCorrection = 2   // maximum absolute correction of a category, in log-odds
	correctionStep = .5  // share of the estimated corrections by which one round changes a card
	residualSlope  = 1.4 // approximate ratio of the means of p(1-p)/max(p, 1-p) and of p(1-p) over the rows
	needDeviation  = .1  // prior standard deviation of a correction, in addition to the error of the encoding

	partsPerAttribute = 4 // a round divides its share of the budget into this number of parts for each corrected attribute
)

// amends are the candidates for the prior variance of the correction of a category, in addition to
// the variance of the error of the encoding. The method correct averages over these candidates.
var amends = [...]float64{0, .001, .003, .01, .03, .1, .3, 1}

// A corrector estimates corrections of the log-odds of categories from noisy sums of residuals
// (part 4 in the comment of Newton). It is computed only from results of earlier parts of Newton.
// Each slice has one element for each attribute.
type corrector struct {
	*encodedTable
	ordered   []bool
	slopes    [][]float64     // by group: decrease of the sum of residuals for a correction of 1
	errors    []*matrix.Dense // covariances of the errors of the card that follow from the noise of the counts
	shapes    [][]float64     // by group: the encoding, less its mean, with norm 1 in the metric of slopes
	relations [][]float64     // correlations between the encoded attributes
}

// corrector returns the corrector for the family of cards at the end of the Newton step. The
// parameter sums holds the noisy gradient and Hessian at the card start, from which the step began.
func (t *encodedTable) corrector(start linear, sums *noisySums, end family, ordered []bool) *corrector {
	c := &corrector{encodedTable: t, ordered: ordered}
	curve := residualSlope * t.curve(sums)
	for j := range t.odds {
		slopes := t.slopes(j, curve)
		weight := end.cards[0].weights[j] / (end.cards[0].slope * stepUnits)
		errors := t.errors[j].Clone()
		errors.Scale(weight * weight)
		c.slopes, c.shapes, c.errors = append(c.slopes, slopes), append(c.shapes, shape(t.units[j], slopes)), append(c.errors, errors)
	}
	h, _ := t.denoise(sums, start.weights[0])
	for j := range t.odds {
		relations := make([]float64, len(t.odds))
		for k := range relations {
			relations[k] = h[j][k] / math.Sqrt(h[j][j]*h[k][k])
		}
		c.relations = append(c.relations, relations)
	}
	return c
}

// slopes returns, for each group of attribute j, by how much the sum of the residuals of the
// group's rows decreases if the log-odds of the group increase by one. The parameter curve is the
// mean decrease of the residual of one row, over the whole table.
func (t *encodedTable) slopes(j int, curve float64) []float64 {
	slopes := make([]float64, len(t.odds[j]))
	curves, rows := 0.0, 0.0
	for k, l := range t.odds[j] {
		p := 1 / (1 + math.Exp(-t.prior-l))
		slopes[k] = p * (1 - p)
		curves, rows = curves+slopes[k]*t.rows[j][k], rows+t.rows[j][k]
	}
	for k := range slopes {
		slopes[k] *= curve * rows / curves * max(t.rows[j][k], .5)
	}
	return slopes
}

// shape returns the encoded log-odds of an attribute, shifted to mean 0 and scaled to norm 1. The
// mean and the norm are weighted by slopes: the norm is the root of the sum of slope times square.
func shape(units []int, slopes []float64) []float64 {
	of := make([]float64, len(units))
	mean, weights, square := 0.0, 0.0, 1e-9
	for k, u := range units {
		of[k] = float64(u) / unitsPerOdds
		mean, weights = mean+of[k]*slopes[k], weights+slopes[k]
	}
	for k := range of {
		of[k] -= mean / weights
		square += of[k] * of[k] * slopes[k]
	}
	for k := range of {
		of[k] /= math.Sqrt(square)
	}
	return of
}

// none returns corrections of 0: a list of zeros for each attribute, with one element for each
// group of categories.
func (c *corrector) none() [][]float64 {
	all := make([][]float64, len(c.odds))
	for j, odds := range c.odds {
		all[j] = make([]float64, len(odds))
	}
	return all
}

// parts returns the number of equal parts into which the budget of one round of corrections is
// divided.
func (c *corrector) parts() int64 { return partsPerAttribute * int64(len(c.slopes)) }

// divide divides the budget of one round of corrections among the attributes. It returns the number
// of equal parts that each attribute receives. The numbers add up to c.parts().
//
// Each attribute first receives the same minimum, the parameter least, which is 1 to
// partsPerAttribute. Each further part goes to the attribute for which it reduces the expected
// error of the card most. The function variance returns the variance of the noise on a sum of
// residuals, if the attribute receives the given number of parts.
func (c *corrector) divide(least int64, variance func(parts int64) float64) []int64 {
	parts, gains := make([]int64, len(c.slopes)), make([]float64, len(c.slopes))
	add := func(j int, by int64) {
		parts[j] += by
		gains[j] = c.expected(j, variance(parts[j])) - c.expected(j, variance(parts[j]+1))
	}
	for j := range parts {
		add(j, least)
	}
	for range c.parts() - least*int64(len(parts)) {
		best := 0
		for j, gain := range gains {
			if gain > gains[best] {
				best = j
			}
		}
		add(best, 1)
	}
	return parts
}

// expected returns the expected squared error of the log-odds of attribute j after a correction,
// weighted by slopes. The parameter variance is the variance of the noise on a sum of residuals.
func (c *corrector) expected(j int, variance float64) float64 {
	o := c.observed(j, variance)
	prior := diagonal(len(o.slopes), needDeviation*needDeviation)
	prior.Add(c.errors[j])
	after, sum := o.posterior(prior), 0.0
	for k, s := range o.slopes {
		sum += s * after.At(k, k)
	}
	return sum
}

// observed returns observations for the groups of attribute j, whose values the caller must set.
// The parameter variance is the variance of the noise on a sum of residuals.
func (c *corrector) observed(j int, variance float64) *observations {
	o := &observations{slopes: c.slopes[j]}
	for _, s := range o.slopes {
		o.variances = append(o.variances, variance/riskUnits/riskUnits+s)
	}
	return o
}

// correct updates the corrections of all groups after a round. The parameter all holds these
// corrections, by attribute and group. The parameter noisy holds the noisy sums of residuals, in
// rows or persons (perPerson), and variances the variance of their noise for each attribute.
//
// The change for an attribute is one Newton step of its log-odds, shrunk by empirical Bayes as in
// encode, and multiplied by correctionStep. The mean change over the rows of an attribute is about
// 0. The effects of correlated attributes overlap, so the changes along their encodings are
// computed jointly (see excesses).
func (c *corrector) correct(all [][]float64, noisy [][]float64, variances []float64) {
	changes, along := c.none(), c.none()
	effects, shares := make([]float64, len(all)), make([]float64, len(all))
	values := c.none()
	for j, sums := range noisy {
		for k, sum := range sums {
			values[j][k] = min(max(sum/riskUnits, -MostRows), MostRows)
		}
	}
	_, after := equalTotals(values, variances)
	for j, sums := range noisy {
		o := c.observed(j, after[j])
		o.values = values[j]
		prior := o.covariance(candidates(smoothed(c.ordered[j], len(sums))), amends[:], c.errors[j])
		if mean, ok := o.mean(prior); ok {
			changes[j] = mean
		}
		for k, s := range o.slopes {
			o.values[k] = s * c.shapes[j][k]
		}
		if mean, ok := o.mean(prior); ok {
			along[j] = mean
		}
		for k, v := range o.values {
			effects[j] += v * changes[j][k]
			shares[j] += v * along[j][k]
		}
	}
	for j, excess := range c.excesses(effects, shares) {
		mean, rows := 0.0, 1.0
		for k, l := range along[j] {
			changes[j][k] -= excess * l
			mean, rows = mean+changes[j][k]*c.rows[j][k], rows+c.rows[j][k]
		}
		for k, l := range changes[j] {
			all[j][k] = min(max(all[j][k]+correctionStep*finite(l-mean/rows), -mostCorrection), mostCorrection)
		}
	}
}

// excesses computes how the corrections of correlated attributes overlap. The excess of an
// attribute is the change along its encoding that the corrections of all other attributes already
// cause.
//
// The effect of a correction is its component along the shape of the attribute: the scalar product,
// weighted by slopes. effects[j] is the effect of the correction that is computed for attribute j
// alone. shares[j] is the effect of the correction for residuals of one unit of the shape. Let r_jk
// be the correlation of attributes j and k. The effects a_j of the joint corrections solve the
// equations
//
//	a_j = effects[j] - shares[j]·Σ r_jk·a_k,
//
// where the sum over all k ≠ j is the excess of attribute j. If the matrix of the equations is not
// positive definite, all excesses are 0.
func (c *corrector) excesses(effects, shares []float64) []float64 {
	n := len(effects)
	roots, values := make([]float64, n), make([]float64, n)
	equations := matrix.New(n, n)
	for j := range n {
		roots[j] = math.Sqrt(min(max(shares[j], 1e-12), 1))
		values[j] = effects[j] / roots[j]
		for k := range j {
			equations.SetBoth(j, k, roots[j]*c.relations[j][k]*roots[k])
		}
		equations.SetBoth(j, j, 1)
	}
	excesses := make([]float64, n)
	joint, _, ok := solve(equations, values)
	if !ok {
		return excesses
	}
	for j := range n {
		for k := range n {
			if k != j {
				excesses[j] += c.relations[j][k] * roots[k] * joint[k]
			}
		}
	}
	return excesses
}
