package learn

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
)

const mostCorrection = 2 // maximum absolute correction of a category, in log-odds

// corrections are the prior variances of the correction of a category. The estimate averages over them.
var corrections = [...]float64{0, .001, .003, .01, .03, .1, .3, 1}

// residuals returns, for each category of each attribute, the exact sum of residuals over the rows of this category.
// For attributes with more than mostSmoothed categories it returns 0 instead. The residual of a row is y - p in units
// of 1/riskUnits, where y is the label and p the risk of one card of the family: the card with the factor 1, whose
// slope is 1/stepUnits, and with the middle one of the constants. A row adds its residual to one category of each
// attribute.
func (t *encodedTable) residuals(ctx context.Context, d table.Counts, of family) ([]int64, error) {
	constant := (of.cards[0].constant + of.cards[len(stepConstants)-1].constant) / 2
	var corrected []int
	for j, points := range of.points {
		if len(points) <= mostSmoothed {
			corrected = append(corrected, j)
		}
	}
	sums, err := d.Weighted(ctx, corrected, table.Weights{Card: table.Card{Points: of.points}, Of: residualsOf(of.points, constant)})
	if err != nil {
		return nil, err
	}
	var residuals []int64
	for _, points := range of.points {
		if len(points) > mostSmoothed {
			residuals = append(residuals, make([]int64, len(points))...)
		} else {
			residuals, sums = append(residuals, sums[0]...), sums[1:]
		}
	}
	return residuals, nil
}

// residualsOf returns, for each label, the residual of a row as a function of its total of points. constant is the
// constant of the card.
func residualsOf(points [][]int64, constant float64) []table.Steps {
	least, most := span(points)
	of := []table.Steps{{}, {}}
	for total := least; total <= most; total++ {
		p := risk(float64(total)/stepUnits + constant).mean
		for label := range of {
			s, residual := &of[label], riskUnits*int64(label)-p
			switch n := len(s.Values); {
			case n == 0:
				s.Values = []int64{residual}
			case s.Values[n-1] != residual:
				s.From, s.Values = append(s.From, total), append(s.Values, residual)
			}
		}
	}
	return of
}

// residualNoise returns the distribution of the noise of each sum of residuals. For each attribute, a row contributes
// at most riskUnits to the sum of one category. Replacing a row doubles the norm of the change of all sums.
func (m *Newton) residualNoise() noise.Sampler {
	attributes, share := int64(len(m.counts.marginals.sizes)), m.shares.Residuals.Rat()
	if concentrated(m.budget) {
		return gaussian(m.changes(m.changes(big.NewRat(attributes*riskUnits*riskUnits, 1))), share)
	}
	scale := m.changes(big.NewRat(attributes*riskUnits, 1))
	return noise.Laplace{Scale: scale.Quo(scale, share)}
}

// correct returns the correction of each category from noisy sums of residuals. variance is the variance of their
// noise, and curve is the mean of p(1-p) over the rows, where p is the risk of the card. For each attribute by itself,
// the corrections are one Newton step of its log-odds, shrunk by empirical Bayes as in encode. The mean correction over
// the rows of an attribute is about 0. Attributes with more than mostSmoothed categories are not corrected.
func (t *encodedTable) correct(noisy []*big.Int, variance, curve float64, ordered []bool) [][]float64 {
	var all [][]float64
	for j, odds := range t.odds {
		if len(odds) > mostSmoothed {
			all, noisy = append(all, make([]float64, len(odds))), noisy[len(odds):]
			continue
		}
		o := &observations{}
		curves, rows := 0.0, 0.0
		for k, l := range odds {
			p := 1 / (1 + math.Exp(-t.prior-l))
			o.slopes = append(o.slopes, p*(1-p))
			curves, rows = curves+p*(1-p)*t.rows[j][k], rows+t.rows[j][k]
		}
		for k := range odds {
			o.slopes[k] *= curve * rows / curves * max(t.rows[j][k], .5)
			o.values = append(o.values, min(max(float(noisy[0])/riskUnits, -MostRows), MostRows))
			o.variances = append(o.variances, variance/riskUnits/riskUnits+o.slopes[k])
			noisy = noisy[1:]
		}
		all = append(all, o.corrections(smoothed(ordered[j], len(odds)), t.rows[j]))
	}
	return all
}

// corrections returns the posterior mean of the unknown of each category, less the mean of these over the rows. rows
// are the numbers of rows of the categories. smoothed reports whether the unknowns may be correlated along the order
// of the categories.
func (o *observations) corrections(smoothed bool, rows []float64) []float64 {
	of := make([]float64, len(rows))
	if smoothed {
		if mean, ok := o.mean(o.covariance(corrections[:])); ok {
			of = mean
		}
	} else {
		variance := o.variance(corrections[:])
		for k, s := range o.slopes {
			of[k] = variance * s * o.values[k] / (variance*s*s + o.variances[k])
		}
	}
	sum, all := 0.0, 1.0
	for k, l := range of {
		sum, all = sum+l*rows[k], all+rows[k]
	}
	for k := range of {
		of[k] = finite(of[k] - sum/all)
		of[k] = min(max(of[k], -mostCorrection), mostCorrection)
	}
	return of
}
