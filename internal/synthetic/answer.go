package synthetic

import (
	"context"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/synth/density"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// An Answer estimates the number of rows of the original table that satisfy a question: the fraction of the model's
// records that satisfy it, times the estimated number of rows.
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

// These constants are the values of Answer.Basis, which says how the count of an answer was estimated.
const (
	Measured = "measured"
	Modelled = "from the model: not measured"
)

// Ask estimates, for each question, how many rows of the original table satisfy it. It consumes no privacy budget. It
// returns an error if a question is invalid or the context ends.
func (m *Model) Ask(ctx context.Context, of []*Question, d Drawing) ([]Answer, error) {
	if err := m.fit(ctx, d); err != nil {
		return nil, err
	}
	u, densities := m.estimator(), m.densities()
	var p *places
	if slices.ContainsFunc(of, (*Question).divides) {
		var err error
		if p, err = m.places(ctx, d.Threads, densities); err != nil {
			return nil, err
		}
	}
	answers := make([]Answer, len(of))
	for i, q := range of {
		fitted, err := q.within(m.Layout.Flat, densities)
		if err != nil {
			return nil, err
		}
		answers[i] = m.answer(q, fitted, densities, p, u)
	}
	return answers, nil
}

// answer returns the answer to the question q, whose shares of categories assume that numbers are uniformly
// distributed within each interval. The parameter fitted is the same question, but with shares that follow from the
// given densities.
func (m *Model) answer(q, fitted *Question, densities [][]*table.Density, p *places, u *estimator) Answer {
	weights, depends, product := m.freeWeights(fitted)
	positions := 0.0
	if q.divides() {
		within := make([][]float64, len(q.columns))
		for k := range within {
			within[k] = m.within(k, q, fitted, densities)
		}
		weights, _, _ = m.freeWeights(fitted.orAtLeast(within))
		product, positions = false, m.positions(fitted, within)
	}
	a := m.stated(m.share(fitted, p), weights, depends, product, positions, u)
	a.Question = q.String()
	return a
}

// stated returns the answer to a question, with its standard errors. The parameter share is the fraction of the
// records that satisfies the question. The parameters weights, depends and product are the results of freeWeights.
//
// If the question accepts only a part of a category, product must be false, and positions is the standard error of
// the share that comes from the unknown positions of numbers within the category. Otherwise positions is 0.
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

// hiddenDependence returns the variance of the error in the estimated count of a conjunction that comes from
// dependence between columns which the fitted model may lack. It is the maximum, over all pairs of the conjunction's
// columns, of the following variance.
//
// Let e be the number of rows by which a dependence of medium strength would change the number of rows that satisfy
// both conditions: assumedCorrelation times the standard deviations of the two conditions.
//
//   - If the pair was not measured, the variance is e².
//   - Otherwise, let v be the variance of the noise in the measured number of rows, and d the difference between this
//     number and that of the model. If |d| > 2√v, the variance is d² - v, an estimate of the squared error of the
//     model. If not, the fit may have treated some dependence as noise, and the variance is the minimum of e² and
//     v/4.
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

// assumedCorrelation is the largest correlation that hiddenDependence assumes for two conditions without a
// measurement. Cohen (1988) calls a correlation of this size medium.
const assumedCorrelation = 0.3

// orAtLeast returns a copy of the question in which each share of a category is raised to the corresponding number of
// least, if it is smaller.
func (q *Question) orAtLeast(least [][]float64) *Question {
	out := *q
	out.shares = make([][]float64, len(q.shares))
	for k, shares := range q.shares {
		for c, w := range shares {
			out.shares[k] = append(out.shares[k], max(w, min(1, least[k][c])))
		}
	}
	return &out
}

// positions returns a standard error of the share of the records that satisfy a question which accepts only a part of
// a category: the error due to the unknown distribution of values within categories. The slices within hold the
// standard errors of the shares of categories, by condition. All records of a category have the same error, so
// positions adds up the errors of the records.
func (m *Model) positions(fitted *Question, within [][]float64) float64 {
	sum := 0.0
	var record []uint16
	for i := range m.Records.n {
		record = m.Layout.complete(m.Records, i, record)
		square := 0.0
		for k, j := range fitted.columns {
			e := within[k][record[j]]
			for l, other := range fitted.columns {
				if l != k {
					e *= max(fitted.shares[l][record[other]], within[l][record[other]])
				}
			}
			square += e * e
		}
		sum += math.Sqrt(square)
	}
	return sum / float64(m.Records.n)
}

// within returns, for each category of the column with the index k in the question, a standard error of the share of
// the category's values that satisfy the question. The error is 0 if all of its values or none satisfy it. Otherwise
// it has up to three independent parts:
//
//   - If bins were measured, the share is a sum of noisy shares of bins.
//   - The distribution within each bin (without bins: within the category) is unknown. This part is the difference
//     between the share according to fitted, which uses estimated densities, and the share according to q, which
//     assumes a uniform distribution.
//   - Only some of the possible values occur in the table. This part is the standard deviation of the share that the
//     question accepts among commonNumbers random values or, if the category is not an interval, among one value.
//
// The last two parts are empirical (docs/how-to/synthetic-data.md).
func (m *Model) within(k int, q, fitted *Question, densities [][]*table.Density) []float64 {
	j := q.columns[k]
	values := float64(commonNumbers)
	if densities[j] == nil && divides(q.shares[k]) {
		values = 1
	}
	inside := func(even, w float64) float64 { return (w-even)*(w-even) + w*(1-w)/values }
	of := make([]float64, len(q.shares[k]))
	for c, even := range q.shares[k] {
		if even > 0 && even < 1 {
			of[c] = math.Sqrt(inside(even, fitted.shares[k][c]))
		}
	}
	free := slices.Index(m.Layout.free, j)
	if free < 0 {
		return of
	}
	if bins := m.bins(free); bins != nil {
		m.ofBins(of, free, q, densities[j], bins, inside)
	}
	return of
}

// ofBins adds the noise of bins to the standard errors in the slice of (see within), for a free column whose bins
// were measured. The slice densities has the densities of the column's categories. The function inside(even, w)
// returns the sum of the last two parts of the squared error that within describes. If the question compares the
// column with names of intervals, ofBins changes nothing.
func (m *Model) ofBins(of []float64, free int, q *Question, densities []*table.Density, bins *density.Bins, inside func(even, w float64) float64) {
	j := m.Layout.free[free]
	tests := slices.DeleteFunc(slices.Clone(q.tests), func(t rule.Test) bool { return t.Attribute != j })
	attributes := slices.Clone(m.Layout.Flat.Attributes)
	copy(attributes, m.Layout.Binned.Attributes)
	values := m.Layout.Domain.Bins[free]
	parts, within := make([]float64, len(values)), make([][]*table.Density, len(attributes))
	within[j] = make([]*table.Density, len(values))
	_, intervals, _ := m.Layout.Flat.Attributes[j].Written()
	for b, r := range bins.Ranges {
		v := values[b]
		if d := densities[v]; d != nil {
			parts[b], within[j][b] = d.Between(r[0], r[1]), d.Part(r[0], r[1], nil)
		} else {
			parts[b] = (float64(r[1]-r[0]) + 1) / (float64(intervals[v][1]-intervals[v][0]) + 1)
		}
	}
	_, even, err := rule.Shares(attributes, tests, nil)
	if err != nil {
		return
	}
	_, fitted, err := rule.Shares(attributes, tests, within)
	if err != nil {
		return
	}
	rows, each := make([]float64, len(of)), m.Measured.Total()/float64(m.Records.n) // rows is by category
	for _, v := range m.Records.columns[free] {
		rows[v] += each
	}
	for c := range of {
		accepted, rejected, square := 0.0, 0.0, 0.0
		for b, v := range values {
			if int(v) != c {
				continue
			}
			if even[0][b] > 0 {
				accepted++
			}
			if even[0][b] < 1 {
				rejected++
			}
			square += parts[b] * parts[b] * inside(even[0][b], fitted[0][b])
		}
		if of[c] > 0 {
			most := max(1, rows[c])
			of[c] = math.Sqrt(min(1, square+bins.Variance*min(accepted, rejected)/(most*most)))
		}
	}
}

// commonNumbers is the assumed number of different values that cover most rows of an interval.
const commonNumbers = 100

// share returns the fraction of the records that satisfy a question. If the question accepts only a part of a
// category, a record of this category counts as the share of the category's values that satisfy the question.
func (m *Model) share(q *Question, p *places) float64 {
	sum := 0.0
	var record []uint16
	for i := range m.Records.n {
		record = m.Layout.complete(m.Records, i, record)
		sum += q.weight(i, record, p)
	}
	return sum / float64(m.Records.n)
}

// freeWeights expresses a question as conditions on the free columns, which are those that no rule computes from
// others. It returns
//
//   - weights: for each free column that a condition restricts, directly or through a function of this column alone, the
//     share of each category that satisfies the conditions;
//   - depends: the number of free columns on which the answer depends;
//   - product: whether the share of a record that satisfies the question is the product of its weights. It is
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

// beyondCounts is a factor in the estimated error of the answer about a conjunction, for the part of the error that
// comes from dependence which the measured counts of pairs do not show. The factor was measured on census data
// (docs/how-to/synthetic-data.md).
//
// The error of the fraction of rows that satisfy the conjunction is beyondCounts·√(σ/n)·s, where n is the number of
// rows, σ is the standard deviation of the noise of the contrasts of a pair, and s is the standard deviation of the
// variable that is 1 for the rows that satisfy the conjunction and 0 for the others.
const beyondCounts = 0.25
