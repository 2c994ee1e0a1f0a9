package learn

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A logisticSums holds two sums over the rows for one card: the gradient of the logistic
// likelihood, and its negative Hessian. The Hessian is stored as a lower triangle, row by row, and
// its off-diagonal entries are doubled. The last coordinate is that of the intercept.
//
// All numbers are integers. The unit of a coordinate of a record is 1/(shrinkUnits·unitsPerOdds) of
// log-odds. The unit of a risk p is 1/riskUnits, and the unit of 4p(1-p) is 1/curveUnits.
type logisticSums struct{ gradient, hessian []int64 }

// sums returns the exact gradient and Hessian of the logistic likelihood at a card, which must have one common weight
// for all attributes.
//
// The noise is calibrated to the contribution of a row (see sumNoise). Three facts bound this contribution: the
// residual of a row is at most riskUnits, its curvature 4p(1-p) is at most curveUnits, and the norm of its
// shortened record (see shortening) is at most shrinkUnits·t.norm.
func (t *encodedTable) sums(ctx context.Context, d table.Counts, at linear) (*logisticSums, error) {
	gradient, products, err := d.Moments(ctx, t.moments(at))
	if err != nil {
		return nil, err
	}
	n := len(t.units) + 1
	gradient[n-1] *= shrinkUnits * t.constant
	cell := 0
	for j := range n {
		for k := range j + 1 {
			if k < j {
				products[cell] *= 2
			}
			if j == n-1 {
				products[cell] *= shrinkUnits * t.constant
			}
			cell++
		}
	}
	products[cell-1] *= shrinkUnits * t.constant
	return &logisticSums{gradient, products}, nil
}

// moments returns the query for the gradient and the Hessian at a card with one common weight. In
// the query, the intercept's coordinate is 1, so the caller must multiply the results by the actual
// value of this coordinate.
func (t *encodedTable) moments(at linear) table.Moments {
	risks, least := t.risks(at)
	steps := func(of func(logisticRisk) int64) table.Steps {
		s := table.Steps{Values: []int64{of(risks[0])}}
		for i, r := range risks {
			if v := of(r); v != s.Values[len(s.Values)-1] {
				s.From, s.Values = append(s.From, int64(least+i)), append(s.Values, v)
			}
		}
		return s
	}
	return table.Moments{
		Points: expand(t.groups, t.points64()), Squares: t.euclidean, Factor: t.shortening(),
		First: []table.Steps{
			steps(func(r logisticRisk) int64 { return -r.mean }),
			steps(func(r logisticRisk) int64 { return riskUnits - r.mean }),
		},
		Second: steps(func(r logisticRisk) int64 { return r.curve }),
	}
}

// points64 returns a copy of t.units, the integer log-odds of the categories, as 64-bit integers.
func (t *encodedTable) points64() [][]int64 {
	points := make([][]int64, len(t.units))
	for j, units := range t.units {
		for _, u := range units {
			points[j] = append(points[j], int64(u))
		}
	}
	return points
}

// shortening returns the factor by which a record is multiplied to bound its norm: the greatest
// integer f in 0..shrinkUnits for which f times the norm is at most shrinkUnits·t.norm. The unit of
// the factor is 1/shrinkUnits. The result is a step function of the ℓ1 norm of the record, or of
// the square of its ℓ2 norm.
func (t *encodedTable) shortening() (s table.Steps) {
	for f := int64(shrinkUnits); f > 0; f-- {
		most := shrinkUnits * t.norm / f
		if t.euclidean {
			most = shrinkUnits * t.norm * shrinkUnits * t.norm / (f * f)
		}
		s.From, s.Values = append(s.From, most+1), append(s.Values, f)
	}
	s.Values = append(s.Values, 0)
	return s
}

// A logisticRisk describes a predicted risk p by two integers: mean is p in units of 1/riskUnits,
// and curve is 4p(1-p) in units of 1/curveUnits.
type logisticRisk struct{ mean, curve int64 }

// risks returns the risks that a card with one common weight predicts. The risk of a record depends
// only on the sum of the integer log-odds of its categories. The result has one risk for each
// possible sum, from the minimum, least, upwards.
func (t *encodedTable) risks(at linear) (risks []logisticRisk, least int) {
	least, most := span(t.units)
	for total := least; total <= most; total++ {
		risks = append(risks, risk(at.weights[0]*float64(total)/unitsPerOdds+at.constant))
	}
	return risks, least
}

// risk converts log-odds to the predicted risk p and 4p(1-p), both rounded to integers within their
// ranges.
func risk(odds float64) logisticRisk {
	p := 1 / (1 + math.Exp(-odds))
	return logisticRisk{
		min(max(int64(math.Round(riskUnits*p)), 0), riskUnits),
		min(max(int64(math.Round(curveUnits*4*p*(1-p))), 0), curveUnits),
	}
}
