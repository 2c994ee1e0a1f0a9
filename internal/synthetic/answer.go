package synthetic

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// An Answer estimates the number of rows of the table that satisfy a question. The estimate is the fraction
// of the model's records that satisfy the question, times the estimated number of rows.
type Answer struct {
	Question string  `json:"question"`
	Share    float64 `json:"share"` // fraction of Rows
	Count    float64 `json:"count"`
	Rows     int64   `json:"rows"` // estimated number of rows, or persons, inside the schema's domain

	// ShareError and CountError are standard errors. Suppose that Basis is Measured. Then, on average over
	// the noise, at most one answer in 12 has an error above two standard errors, and at most one in 10,000
	// above five (docs/explanation/proofs/synth.md, section 8).
	ShareError float64 `json:"share_error"`
	CountError float64 `json:"count_error"`

	// Basis is Measured if the exact count is a sum of counts that were measured. Otherwise it is Modelled.
	Basis string `json:"basis"`
}

// The values of Answer.Basis: how the count of an answer was estimated.
const (
	Measured = "measured"
	Modelled = "from the model: not measured"
)

// Ask estimates how many rows satisfy each of the questions. It consumes no privacy budget. It returns an
// error if a question is invalid or the context ends.
func (m *Model) Ask(ctx context.Context, of []*Question, d Drawing) ([]Answer, error) {
	if err := m.fit(ctx, d); err != nil {
		return nil, err
	}
	u, densities := m.estimator(), m.densities()
	answers := make([]Answer, len(of))
	for i, q := range of {
		fitted, err := q.within(m.Layout.Flat, densities)
		if err != nil {
			return nil, err
		}
		answers[i] = m.answer(q, fitted, densities, u)
	}
	return answers, nil
}

// answer returns the answer to the question q. The weights of q assume that numbers are distributed uniformly within each
// interval. The parameter fitted is the same question with weights that follow from the given densities.
func (m *Model) answer(q, fitted *Question, densities [][]*table.Density, u *estimator) Answer {
	weights, depends, product := m.freeWeights(fitted)
	positions := 0.0
	if q.divides() {
		product, positions = false, m.positions(q, fitted, densities)
	}
	a := m.stated(m.share(fitted), weights, depends, product, positions, u)
	a.Question = q.String()
	return a
}

// stated returns the answer to a question, with its standard errors. The parameter share is the fraction of the
// records that satisfies the question. The parameters weights, depends and product are the results of freeWeights for
// the question, except that product is also false if the question accepts only a part of a category. The parameter
// positions is then the error of the share that is due to the positions of numbers within the category; otherwise it is 0.
func (m *Model) stated(share float64, weights map[int][]float64, depends int, product bool, positions float64, u *estimator) Answer {
	inside := u.total // number of rows inside the schema's domain
	if m.Measured.Relation.Replaces() {
		inside = min(inside, float64(m.Rows))
	}
	a := Answer{Rows: int64(math.Round(inside)), Share: share, Basis: Modelled}
	a.Count = a.Share * inside
	total := max(inside, 1)
	if e, known := u.measured(weights); known && product {
		a.Basis = Measured
		a.CountError = e.error(a.Count, 0, u)
		a.ShareError = e.error(a.Share*u.total, a.Share, u) / max(u.total, 1)
	} else {
		variance := u.bound(weights) + a.Share*(1-a.Share)*total*total/float64(m.Records.n) + positions*positions*total*total
		if depends > 1 {
			variance += beyondCounts*beyondCounts*u.pairNoise*total*a.Share*(1-a.Share) + m.hiddenDependence(weights, u)
		}
		a.CountError = math.Sqrt(variance)
		a.ShareError = a.CountError / total
	}
	a.ShareError = min(a.ShareError, max(a.Share, 1-a.Share))
	a.CountError = min(a.CountError, max(a.Count, total))
	return a
}

// hiddenDependence returns a variance for the count of a conjunction: that of errors due to dependence between two of
// its columns which the fit may not show. It is the largest variance of all pairs of columns. For one pair, let e be the
// number of rows by which the dependence may change the number of rows that satisfy both conditions, namely
// assumedCorrelation times the standard deviations of the two conditions:
//
//   - If the pair was not measured, the variance is e².
//   - Otherwise let v be the variance of the noise in the measured number of rows, and d the difference between this
//     number and that of the model. If d is greater than two standard deviations of the noise, the variance is d² - v,
//     an estimate of the squared error of the model. Otherwise the fit may have treated some dependence as
//     noise. The variance is then e², but at most v/4.
//
// If a measured cell lies only partly inside the conditions, they are extended to the whole cell.
func (m *Model) hiddenDependence(weights map[int][]float64, u *estimator) float64 {
	largest := 0.0
	for a, first := range weights {
		for b, second := range weights {
			if a >= b {
				continue
			}
			hidden := assumedCorrelation * assumedCorrelation * u.spread(a, first) * u.spread(b, second) * u.total * u.total
			for _, p := range u.pairs[[2]int{a, b}] {
				e := u.pair(p, first, second)
				away := p.modelled(m.Records, first, second)*u.total - e.rest - e.times*u.total
				v := e.varianceLess(0, u)
				if hidden = min(hidden, v/4); away*away > 4*v {
					hidden = away*away - v
				}
			}
			largest = max(largest, hidden)
		}
	}
	return largest
}

// assumedCorrelation is the largest correlation that is assumed for two conditions without a measurement. Cohen (1988)
// calls such correlations medium.
const assumedCorrelation = 0.3

// positions returns a standard error of the share of the records that satisfy a question which accepts only a part of a
// category. It is the error due to the distribution of values within the category, which is not measured. The errors
// of all records are added up, because those of the records of one category are equal.
//
// The error of a record has two parts. The first is the difference between its weights in q and in fitted. The second is
// the standard deviation of the share of some random values that satisfy the question, each with the probability that
// is the weight in fitted. The number of these values is commonNumbers, or 1 if the category is not an interval. Both
// parts are empirical (docs/how-to/synthetic-data.md).
func (m *Model) positions(q, fitted *Question, densities [][]*table.Density) float64 {
	values := float64(commonNumbers)
	for k, j := range q.columns {
		if densities[j] == nil && divides(q.shares[k]) {
			values = 1
		}
	}
	sum := 0.0
	var record []uint16
	for i := range m.Records.n {
		record = m.Layout.complete(m.Records, i, record)
		w := fitted.weight(record)
		away := w - q.weight(record)
		sum += math.Sqrt(away*away + w*(1-w)/values)
	}
	return sum / float64(m.Records.n)
}

// commonNumbers is the number of different numbers that most rows of an interval are assumed to have.
const commonNumbers = 100

// share returns the fraction of the records that satisfy a question. If the question divides a category, a
// record of this category counts by the share of its values that satisfy the question.
func (m *Model) share(q *Question) float64 {
	sum := 0.0
	var record []uint16
	for i := range m.Records.n {
		record = m.Layout.complete(m.Records, i, record)
		sum += q.weight(record)
	}
	return sum / float64(m.Records.n)
}

// freeWeights expresses a question as conditions on the free columns, which are those that no rule computes from
// others.
//
//   - weights has an entry for each free column that a condition restricts, directly or through a function of this
//     column alone. The entry has a weight for each category of the column: the share of the category that satisfies
//     the conditions.
//   - depends is the number of free columns on which the answer depends.
//   - product reports whether the share of a record that satisfies the question is the product of its weights. It is
//     false if a condition is on a function of several columns.
func (m *Model) freeWeights(q *Question) (weights map[int][]float64, depends int, product bool) {
	weights, product = make(map[int][]float64), true
	on := make(map[int]bool)
	record := make([]uint16, len(m.Layout.Flat.Attributes))
	for k, j := range q.columns {
		roots := m.Layout.constraints.Roots(j)
		for _, root := range roots {
			on[root] = true
		}
		if len(roots) != 1 {
			product = false
			continue
		}
		free := m.Layout.Column(m.Layout.Flat.Attributes[roots[0]].Name)
		if weights[free] == nil {
			weights[free] = make([]float64, m.Layout.Domain.Columns[free].Size)
			for v := range weights[free] {
				weights[free][v] = 1
			}
		}
		for v := range weights[free] {
			record[roots[0]] = uint16(v)
			m.Layout.constraints.Complete(record)
			weights[free][v] *= q.shares[k][record[j]]
		}
	}
	return weights, len(on), product
}

// beyondCounts is a factor in the estimated error of an answer about several conditions. This error comes from
// dependence that counts of pairs and of coarse cells do not show. The factor was measured on census data
// (docs/how-to/synthetic-data.md).
//
// The error is that of the fraction of rows that satisfy all conditions: beyondCounts·√(σ/n)·s. Here n is the number
// of rows, and σ is the standard deviation of the noise on the contrasts of a pair. The variable that is 1 if a row
// satisfies the conditions, and 0 otherwise, has the standard deviation s.
const beyondCounts = 0.25
