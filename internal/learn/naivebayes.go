package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// NaiveBayes computes a naive Bayes classifier with integer points. For each category of each
// attribute it counts the records with label 0 and those with label 1, and adds noise to both
// counts. All later computation is post-processing.
//
// Guarantee: that of the budget, pure ε-DP, ρ-zCDP or μ-GDP. NaiveBayes does not select from a class, so
// there is no bound on the excess cost of its result. AnswerWidth bounds the noise of the counts.
type NaiveBayes struct {
	marginals *marginals
	budget    privacy.Guarantee
	law       noise.Sampler // the distribution of the noise on each count
	scale     int
	smoothing float64
}

// NewNaiveBayes returns the learner over attributes with the given numbers of categories. The budget must
// be a privacy.Pure, privacy.ZCDP or privacy.GDP. The scale, 1 to 1000, is the number of points for one
// unit of log-odds.
func NewNaiveBayes(sizes []int, budget privacy.Guarantee, scale int) (*NaiveBayes, error) {
	if scale < 1 || scale > 1000 {
		return nil, fmt.Errorf("learn: the scale, in points for each unit of log-odds, is %d, but must be 1 to 1000", scale)
	}
	of, err := newMarginals(sizes)
	if err != nil {
		return nil, err
	}
	all, err := Total(budget)
	if err != nil {
		return nil, err
	}
	law := AnswerNoise(budget, len(sizes), all)
	return &NaiveBayes{of, budget, law, scale, 1 + math.Sqrt(perPersonVariance(law, budget.Relation()))}, nil
}

// deviation returns approximately the standard deviation of noise with the given distribution.
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

// Guarantee returns the guarantee of a release, which is the budget.
func (m *NaiveBayes) Guarantee() privacy.Guarantee { return m.budget }

// Rate returns 1/b, where b is the scale of the Laplace noise on the counts. It is a public
// parameter. For a budget in zCDP or GDP, the noise is Gaussian, and Rate returns nil.
func (m *NaiveBayes) Rate() *big.Rat {
	return countRate(m.law)
}

// countRate returns 1/b for Laplace noise with the scale b, and nil for Gaussian noise.
func countRate(law noise.Sampler) *big.Rat {
	if law, ok := law.(noise.Laplace); ok {
		return new(big.Rat).Inv(law.Scale)
	}
	return nil
}

// CountWidth returns a bound on the noise of all counts (see AnswerWidth), in rows or persons.
func (m *NaiveBayes) CountWidth() float64 { return m.marginals.width(m.law, m.budget.Relation()) }

// Queries returns the queries that a release makes: the 2-way marginal of each attribute with the
// label.
func (m *NaiveBayes) Queries() table.Queries {
	var of table.Queries
	for j := range m.marginals.sizes {
		of.Columns = append(of.Columns, []int{j, len(m.marginals.sizes)})
	}
	return of
}

// Release queries the counts, adds noise and computes the points of the classifier. The attributes
// of the data must have the numbers of categories that NewNaiveBayes was given. Release fails with
// an error of the data, or with ErrRows before it uses any randomness.
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

// encoding adds noise to the exact counts, and estimates the log-odds of categories from the noisy
// counts. Unlike the method evidence, it smooths log-odds along the order of the categories, for
// the attributes that ordered marks, and merges categories into groups.
func (m *NaiveBayes) encoding(counts []int64, ordered []bool, coins noise.Coins) *encoding {
	variances := slices.Repeat([]float64{perPersonVariance(m.law, m.budget.Relation())}, len(m.marginals.sizes))
	return m.marginals.encode(perPerson(WithNoise(counts, m.law, coins), m.budget.Relation()), variances, ordered)
}

// An evidence holds estimates from noisy counts: the log-odds of the label, the log-odds that each
// category of each attribute adds, and the approximate number of rows, or persons, in each category.
type evidence struct {
	prior            float64
	categories, rows [][]float64
}

// evidence adds noise to the exact counts and estimates log-odds from the noisy counts. It adds
// m.smoothing pseudo-rows to each category (one plus the standard deviation of the noise), with the
// same share of positive labels as the whole table. So a category with few rows relative to the
// noise has log-odds of nearly 0.
func (m *NaiveBayes) evidence(counts []int64, coins noise.Coins) evidence {
	of := m.marginals
	answers := perPerson(WithNoise(counts, m.law, coins), m.budget.Relation())
	same := slices.Repeat([]float64{1}, len(of.sizes))
	without, no, _ := of.consistent(answers, same, false)
	with, yes, _ := of.consistent(answers, same, true)
	no, yes = no+m.smoothing, yes+m.smoothing
	share := yes / (no + yes)
	e := evidence{prior: math.Log(yes / no)}
	for j, n := range of.sizes {
		odds, rows := make([]float64, n), make([]float64, n)
		for c := range n {
			zeros, ones := max(without[j][c], 0), max(with[j][c], 0)
			odds[c] = math.Log((ones+m.smoothing*share)/(zeros+m.smoothing*(1-share))) - e.prior
			rows[c] = zeros + ones
		}
		e.categories, e.rows = append(e.categories, odds), append(e.rows, rows)
	}
	return e
}

// factor returns the factor by which the log-odds of all categories are multiplied, because naive
// Bayes counts the evidence of correlated attributes twice. Correlations are more likely among many
// attributes, so the factor is 1 for up to five attributes, 5/n for n = 5 to 10, and ½ for more.
func (m *NaiveBayes) factor() float64 {
	return min(max(5/float64(len(m.marginals.sizes)), 0.5), 1)
}

func (m *NaiveBayes) round(logOdds float64) int { return int(math.Round(logOdds * float64(m.scale))) }

// Points is a scorecard. It predicts 1 if and only if the sum of Prior and of the points of the
// record's categories is greater than 0.
type Points struct {
	Prior  int
	Points [][]int // by attribute and category
}

// Total returns the sum of Prior and the points for the categories of x.
func (p Points) Total(x []uint16) int {
	total := p.Prior
	for j, c := range x {
		total += p.Points[j][c]
	}
	return total
}

// Predict reports whether the total of the record x is positive.
func (p Points) Predict(x []uint16) bool { return p.Total(x) > 0 }
