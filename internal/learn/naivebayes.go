package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// NaiveBayes learns the naive Bayes rule over categories from one statistical
// query, the counts of both labels in every category, and releases it as
// integer points: all that follows the noisy counts is post-processing.
//
// Guarantee: that of the budget, pure ε or ρ. It chooses from no class, so it
// has no excess to bound; AnswerWidth bounds the error of the counts.
type NaiveBayes struct {
	marginals *marginals
	budget    privacy.Guarantee
	scale     int
	smoothing float64
}

// NewNaiveBayes returns the learner over attributes of so many categories. The
// budget must be a privacy.Pure or privacy.ZCDP. Scale, 1 to 1000, is the number
// of points that stand for odds of e.
func NewNaiveBayes(sizes []int, budget privacy.Guarantee, scale int) (*NaiveBayes, error) {
	if scale < 1 || scale > 1000 {
		return nil, fmt.Errorf("learn: %d points for odds of e, outside 1..1000", scale)
	}
	of, err := newMarginals(sizes)
	if err != nil {
		return nil, err
	}
	all, err := Total(budget)
	if err != nil {
		return nil, err
	}
	return &NaiveBayes{of, budget, scale, float64(Units(budget.Relation())) + deviation(AnswerNoise(budget, len(sizes), all))}, nil
}

// deviation returns the standard deviation of the noise, about.
func deviation(law noise.Sampler) float64 {
	switch law := law.(type) {
	case noise.Gaussian:
		sigma2, _ := law.Sigma2.Float64()
		return math.Sqrt(sigma2)
	case noise.Laplace:
		scale, _ := law.Scale.Float64()
		return math.Sqrt2 * scale
	}
	return 0
}

// Guarantee returns the budget.
func (m *NaiveBayes) Guarantee() privacy.Guarantee { return m.budget }

// Rate returns what the absolute value of the noise is multiplied by in its law,
// a public parameter; nil for a budget of ρ.
func (m *NaiveBayes) Rate() *big.Rat {
	if law, ok := AnswerNoise(m.budget, len(m.marginals.sizes), price(m.budget)).(noise.Laplace); ok {
		return new(big.Rat).Inv(law.Scale)
	}
	return nil
}

// Asks is what a release asks of data: each attribute with the outcome.
func (m *NaiveBayes) Asks() table.Asks {
	var of table.Asks
	for j := range m.marginals.sizes {
		of.Columns = append(of.Columns, []int{j, len(m.marginals.sizes)})
	}
	return of
}

// Release asks and computes the points. It fails as the data does, or with ErrRows before any
// draw. The data is over the learner's sizes.
func (m *NaiveBayes) Release(ctx context.Context, d table.Counts, coins noise.Coins) (Points, error) {
	counts, err := m.marginals.counts(ctx, d)
	if err != nil {
		return Points{}, err
	}
	of := m.evidence(counts, coins)
	p := Points{Prior: m.round(of.prior)}
	factor := m.factor()
	for _, odds := range of.categories {
		points := make([]int, len(odds))
		for c := range points {
			points[c] = m.round(factor * odds[c])
		}
		p.Points = append(p.Points, points)
	}
	return p, nil
}

// An evidence is what noisy counts say: the log-odds of the label, those that each category of
// each attribute adds to them, and about how many rows a category has.
type evidence struct {
	prior            float64
	categories, rows [][]float64
}

// evidence is what the exact counts of the statistic say with noise. A category is smoothed by
// as many rows as the noise deviates, which have the shares of the labels in the table: one that
// the noise wipes out adds nothing.
func (m *NaiveBayes) evidence(counts []int64, coins noise.Coins) evidence {
	of := m.marginals
	answers := WithNoise(counts, AnswerNoise(m.budget, len(of.sizes), price(m.budget)), coins)
	no, yes := of.rows(answers, false)+m.smoothing, of.rows(answers, true)+m.smoothing
	share := yes / (no + yes)
	e := evidence{prior: math.Log(yes / no)}
	for j, n := range of.sizes {
		odds, rows := make([]float64, n), make([]float64, n)
		for c := range n {
			without, with := of.noisy(answers, j, c, false), of.noisy(answers, j, c, true)
			odds[c] = math.Log((with+m.smoothing*share)/(without+m.smoothing*(1-share))) - e.prior
			rows[c] = with + without
		}
		e.categories, e.rows = append(e.categories, odds), append(e.rows, rows)
	}
	return e
}

// factor is what the log-odds of a category count: 1 for up to five attributes, half for ten
// or more. Attributes that tell the same are counted twice, and the more there are the
// likelier that is.
func (m *NaiveBayes) factor() float64 {
	return min(max(5/float64(len(m.marginals.sizes)), 0.5), 1)
}

func (m *NaiveBayes) round(logOdds float64) int { return int(math.Round(logOdds * float64(m.scale))) }

// Points are a scorecard whose points are no public choice: it predicts 1 iff
// Prior and the points of a record's categories add up to more than 0.
type Points struct {
	Prior  int
	Points [][]int // of each category of each attribute
}

// Total returns Prior and the points of x.
func (p Points) Total(x []uint16) int {
	total := p.Prior
	for j, c := range x {
		total += p.Points[j][c]
	}
	return total
}

// Predict tells whether the total is positive.
func (p Points) Predict(x []uint16) bool { return p.Total(x) > 0 }
