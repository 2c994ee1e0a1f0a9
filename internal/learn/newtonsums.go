package learn

import (
	"context"
	"math"
)

// logisticSums are sums over the rows at one card: the gradient of the logistic likelihood, and its negative
// Hessian as a lower triangle with its off-diagonal entries doubled. The last coordinate is the intercept.
// Units: an encoded category has unitsPerOdds, a risk riskUnits, and 4p(1-p) curveUnits.
type logisticSums struct{ gradient, hessian []int64 }

// sums returns the exact sums at a card.
//
// sumNoise states how much a row contributes at most: its residual is at most riskUnits, its curvature at most
// curveUnits, and its encoded record has at most the norm of the table.
func (t *encodedTable) sums(ctx context.Context, d Records[[]uint16], at linear) (*logisticSums, error) {
	n := len(t.units) + 1
	s := &logisticSums{make([]int64, n), make([]int64, n*(n+1)/2)}
	risks, least := t.risks(at)
	room, x := make([]uint16, len(t.units)), make([]int64, n)
	for i := range d.Len() {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		total := t.encode(d.Record(i, room), x)
		risk, count := risks[total-least], d.Count(i)
		residual := count * (riskUnits*int64(d.Outcome(i)) - risk.mean)
		curve, cell := count*risk.curve, 0
		for j, v := range x {
			s.gradient[j] += residual * v
			w := curve * v
			for _, u := range x[:j] {
				s.hessian[cell] += 2 * w * u
				cell++
			}
			s.hessian[cell] += w * v
			cell++
		}
	}
	return s, nil
}

// encode stores the encoded record, shortened to the norm, and the constant, into x. It returns the sum of
// the encoded categories before they are shortened.
func (t *encodedTable) encode(record []uint16, x []int64) (total int) {
	norm := int64(0)
	for j, c := range record {
		u := t.units[j][c]
		total += u
		x[j] = int64(u)
		if t.euclidean {
			norm += int64(u) * int64(u)
		} else {
			norm += int64(max(u, -u))
		}
	}
	if t.euclidean {
		norm = rootUp(norm)
	}
	if norm > t.norm {
		for j := range record {
			x[j] = x[j] * t.norm / norm // towards 0, so the norm is at most t.norm
		}
	}
	x[len(record)] = t.constant
	return total
}

// rootUp returns the least integer that is at least √n, for 0 ≤ n < 2⁵⁰. It is exact: math.Sqrt is correctly
// rounded, and a root that is not an integer differs from one by far more than the rounding error.
func rootUp(n int64) int64 { return int64(math.Ceil(math.Sqrt(float64(n)))) }

// A logisticRisk is the risk p of a total, in riskUnits, and 4p(1-p), in curveUnits.
type logisticRisk struct{ mean, curve int64 }

// risks returns the risk that a card with one weight states for each sum of encoded categories from least.
func (t *encodedTable) risks(at linear) (risks []logisticRisk, least int) {
	least, most := span(t.units)
	for total := least; total <= most; total++ {
		p := 1 / (1 + math.Exp(-at.weights[0]*float64(total)/unitsPerOdds-at.constant))
		risks = append(risks, logisticRisk{
			min(max(int64(math.Round(riskUnits*p)), 0), riskUnits),
			min(max(int64(math.Round(curveUnits*4*p*(1-p))), 0), curveUnits),
		})
	}
	return risks, least
}
