package synthetic

import (
	"context"
	"math"
)

// An Answer estimates how many rows of the table a question is true of: from the share of the
// model's records that it is true of.
type Answer struct {
	Question string  `json:"question"`
	Share    float64 `json:"share"`
	Count    float64 `json:"count"`
	Rows     int64   `json:"rows"` // or persons, that the share is of, about: those inside the schema's domain

	// ShareError and CountError are standard errors. Where the question was measured, at most
	// one answer in twelve is farther off than two of them, and one in 10,000 than five, on
	// average over the noise (docs/explanation/proofs/synth.md, section 8).
	ShareError float64 `json:"share_error"`
	CountError float64 `json:"count_error"`

	// Basis is Measured where the count is a sum of what was measured, and else Modelled.
	Basis string `json:"basis"`
}

// What an answer rests on.
const (
	Measured = "measured"
	Modelled = "from the model: not measured"
)

// Ask answers questions; it costs no privacy. It fails with the context's error.
func (m *Model) Ask(ctx context.Context, of []*Question, d Drawing) ([]Answer, error) {
	if err := m.fit(ctx, d); err != nil {
		return nil, err
	}
	u := m.estimator()
	answers := make([]Answer, len(of))
	for i, q := range of {
		answers[i] = m.answer(q, u)
	}
	return answers, nil
}

func (m *Model) answer(q *Question, u *estimator) Answer {
	inside := m.Measured.Total() // of the rows, those inside the schema's domain
	if m.Measured.Relation.Replaces() {
		inside = min(inside, float64(m.Rows))
	}
	a := Answer{Question: q.String(), Rows: int64(math.Round(inside)), Share: m.share(q), Basis: Modelled}
	a.Count = a.Share * inside
	total := max(inside, 1)
	weights, asked, product := m.freeWeights(q)
	if e, known := u.measured(weights); known && product {
		a.Basis = Measured
		a.CountError = e.error(a.Count, 0, u)
		a.ShareError = e.error(a.Share*u.total, a.Share, u) / max(u.total, 1)
	} else {
		variance := u.bound(weights) + a.Share*(1-a.Share)*total*total/float64(m.Records.n)
		if asked > 1 {
			variance += beyondCounts * beyondCounts * m.pairNoise() * total * a.Share * (1 - a.Share)
		}
		a.CountError = math.Sqrt(variance)
		a.ShareError = a.CountError / total
	}
	a.ShareError = min(a.ShareError, max(a.Share, 1-a.Share))
	a.CountError = min(a.CountError, max(a.Count, total))
	return a
}

// share is the share of the records that a question is true of.
func (m *Model) share(q *Question) float64 {
	sum := 0.0
	var record []uint16
	for i := range m.Records.n {
		record = m.Layout.complete(m.Records, i, record)
		w := 1.0
		for k, j := range q.columns {
			w *= q.shares[k][record[j]]
		}
		sum += w
	}
	return sum / float64(m.Records.n)
}

// freeWeights returns the weight of each value of the free columns that a question asks about, those
// what is asked about functions of one of them included; how many free columns the answer depends on; and
// whether the product of the weights says all that the question says.
func (m *Model) freeWeights(q *Question) (weights map[int][]float64, asked int, product bool) {
	weights, product = make(map[int][]float64), true
	depends := make(map[int]bool)
	record := make([]uint16, len(m.Layout.Flat.Attributes))
	for k, j := range q.columns {
		roots := m.Layout.constraints.Roots(j)
		for _, root := range roots {
			depends[root] = true
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
	return weights, len(depends), product
}

// beyondCounts times √(σ/n) is what the share of rows that satisfy several conditions is off by, in
// standard deviations of a row, where σ is the noise of the count of a pair and n the number
// of rows: what the counts, of coarse cells and of pairs, do not tell. It was measured on
// census data (docs/how-to/synthetic-data.md).
const beyondCounts = 0.25

// pairNoise is the greatest standard deviation of the noise in the contrasts of a pair, in rows.
func (m *Model) pairNoise() float64 {
	most := 0.0
	for _, p := range m.Measured.Pairs {
		most = max(most, p.Deviation())
	}
	return most
}
