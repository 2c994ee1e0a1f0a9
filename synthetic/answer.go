package synthetic

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/table"
)

// An Answer says how many rows of the table a question is true of, by the model.
type Answer struct {
	Question string  `json:"question"`
	Share    float64 `json:"share"`
	Count    float64 `json:"count"`
	Rows     int64   `json:"rows"` // or persons, that the share is of, about: those inside the schema's domain

	// ShareError and CountError are standard errors: of the noise in what was measured, of
	// drawing, and, where several attributes are asked about, for what the counts do not tell
	// (docs/synthetic.md). About two thirds of errors are smaller.
	ShareError float64 `json:"share_error"`
	CountError float64 `json:"count_error"`
}

// A question is answered from rows drawn of the model, at least leastDrawn and at most
// mostDrawn of them.
const (
	leastDrawn = 50_000
	mostDrawn  = 200_000
)

// Ask answers questions from the same rows; it costs no privacy. It fails with the context's
// error.
func (m *Model) Ask(ctx context.Context, of []*Question, d Drawing) ([]Answer, error) {
	rows, err := m.Draw(ctx, int(min(max(m.Rows, leastDrawn), mostDrawn)), d)
	if err != nil {
		return nil, err
	}
	var all []Answer
	for _, q := range of {
		all = append(all, m.answer(q, rows))
	}
	return all, nil
}

func (m *Model) answer(q *Question, rows Rows) Answer {
	inside := m.Fitted.Total // of the rows, those inside the schema's domain
	if m.Measured.Relation.Replaces() {
		inside = min(inside, float64(m.Rows))
	}
	total := max(inside, 1)
	a := Answer{Question: q.String(), Rows: int64(math.Round(inside))}
	sum, squares := 0.0, 0.0
	for i := range rows.n {
		w := 1.0
		for k, j := range q.columns {
			w *= q.shares[k][rows.columns[j][i]]
		}
		sum += w
		squares += w * w
	}
	n := float64(max(rows.n, 1))
	a.Share = sum / n
	variance := max(0, squares/n-a.Share*a.Share) / n
	noise := m.noise(q) / total
	a.ShareError = math.Sqrt(variance + noise*noise)
	if len(q.columns) > 1 {
		beyond := beyondCounts * math.Sqrt(m.pairNoise()/total*a.Share*(1-a.Share))
		a.ShareError = math.Sqrt(a.ShareError*a.ShareError + beyond*beyond)
	}
	a.ShareError = min(a.ShareError, max(a.Share, 1-a.Share))
	a.Count, a.CountError = a.Share*inside, a.ShareError*inside
	return a
}

// beyondCounts times √(σ/n) is what the share of rows that satisfy several conditions is off by, in
// standard deviations of a row, where σ is the noise of the count of a pair and n the number
// of rows: what the counts, of coarse cells and of pairs, do not tell. It was measured on
// census data (docs/synthetic.md).
const beyondCounts = 0.25

// pairNoise is the greatest standard deviation of the noise in the contrasts of a pair, in rows.
func (m *Model) pairNoise() float64 {
	most := 0.0
	for _, p := range m.Measured.Pairs {
		most = max(most, p.Deviation())
	}
	return most
}

// noise is the standard deviation of the noise in the smallest sum of measured counts that
// bounds the count of the question's rows.
func (m *Model) noise(q *Question) float64 {
	weights := make(map[int][]float64) // of free columns that are asked about
	for k, j := range q.columns {
		if free := m.Layout.Column(m.Layout.Flat.Attributes[j].Name); free >= 0 {
			weights[free] = q.shares[k]
		}
	}
	least := math.Inf(1) // variance
	for j, w := range weights {
		least = min(least, m.summed(j, w))
	}
	for _, p := range m.Measured.Pairs {
		a, b := p.Axes[0].Column, p.Axes[1].Column
		if weights[a] == nil || weights[b] == nil {
			continue
		}
		// The sum of cells is that of contrasts and, of each column, the share that the other
		// would have of evenly spread rows.
		first, second := onCells(weights[a], p.Axes[0]), onCells(weights[b], p.Axes[1])
		evenA, restA := meanAndRest(first)
		evenB, restB := meanAndRest(second)
		deviation := p.Deviation()
		least = min(least, deviation*deviation*restA*restB+evenB*evenB*m.summed(a, weights[a])+evenA*evenA*m.summed(b, weights[b]))
	}
	if math.IsInf(least, 1) { // only functions of columns are asked about
		least = m.summed(0, []float64{1})
	}
	return math.Sqrt(least)
}

// summed is the variance of a sum of counts of a column with those weights.
func (m *Model) summed(column int, weights []float64) float64 {
	variance, _ := m.Measured.Columns[column].Sigma2.Float64()
	in, out := 0.0, 0.0
	for _, x := range weights {
		in += x * x
		out += (1 - x) * (1 - x)
	}
	return variance * min(in, out) // the share is as well known by what is not asked about
}

// meanAndRest returns the mean, and the sum of squares of what differs from it.
func meanAndRest(of []float64) (mean, rest float64) {
	for _, x := range of {
		mean += x / float64(len(of))
	}
	for _, x := range of {
		rest += (x - mean) * (x - mean)
	}
	return mean, rest
}

// onCells returns the greatest weight of the values in each cell of an axis.
func onCells(weights []float64, a table.Axis) []float64 {
	if a.Cells == nil {
		return weights
	}
	out := make([]float64, a.Size)
	for v, c := range a.Cells {
		out[c] = max(out[c], weights[v])
	}
	return out
}
