package learn

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// logisticSums are sums over the rows at one card: the gradient of the logistic likelihood, and its negative
// Hessian as a lower triangle with its off-diagonal entries doubled. The last coordinate is the intercept.
// Units: a coordinate has shrinkUnits·unitsPerOdds, a risk riskUnits, and 4p(1-p) curveUnits.
type logisticSums struct{ gradient, hessian []int64 }

// sums returns the exact sums at a card with one weight.
//
// sumNoise states how much a row contributes at most: its residual is at most riskUnits, its curvature at most
// curveUnits, and its shortened record has at most the norm of the table, times shrinkUnits.
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

// moments returns the query for the sums at a card with one weight. The intercept's coordinate is 1 in it.
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
		Points: t.points64(), Squares: t.euclidean, Factor: t.shortening(),
		First: []table.Steps{
			steps(func(r logisticRisk) int64 { return -r.mean }),
			steps(func(r logisticRisk) int64 { return riskUnits - r.mean }),
		},
		Second: steps(func(r logisticRisk) int64 { return r.curve }),
	}
}

// points64 returns the units of all categories.
func (t *encodedTable) points64() [][]int64 {
	points := make([][]int64, len(t.units))
	for j, units := range t.units {
		for _, u := range units {
			points[j] = append(points[j], int64(u))
		}
	}
	return points
}

// shortening returns the factor of a record, a function of its ℓ1 norm, or of the square of its ℓ2 norm: the
// greatest f in 0..shrinkUnits for which f times the norm is at most shrinkUnits·t.norm.
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

// A logisticRisk is a risk p, in riskUnits, and 4p(1-p), in curveUnits.
type logisticRisk struct{ mean, curve int64 }

// risks returns the risk that a card with one weight states for each sum of encoded categories from least.
func (t *encodedTable) risks(at linear) (risks []logisticRisk, least int) {
	least, most := span(t.units)
	for total := least; total <= most; total++ {
		risks = append(risks, risk(at.weights[0]*float64(total)/unitsPerOdds+at.constant))
	}
	return risks, least
}

// risk returns the risk of log-odds.
func risk(odds float64) logisticRisk {
	p := 1 / (1 + math.Exp(-odds))
	return logisticRisk{
		min(max(int64(math.Round(riskUnits*p)), 0), riskUnits),
		min(max(int64(math.Round(curveUnits*4*p*(1-p))), 0), curveUnits),
	}
}
