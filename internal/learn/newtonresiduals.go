package learn

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// correctionRounds is the number of rounds of corrections of a card. Each round queries the
// residuals of the card that the previous rounds have corrected.
const correctionRounds = 2

// corrections returns a correction of the log-odds of each category, which it computes from noisy
// sums of residuals in several rounds (part 4 in the comment of Newton). The parameter start is the
// card from which the Newton step began, and end is the family of cards at the end of the step. The
// share of the budget for residuals is divided evenly among the rounds. The corrector divides the
// share of a round among attributes.
func (m *Newton) corrections(ctx context.Context, d table.Counts, t *encodedTable, start linear, sums *noisySums, end family, coins noise.Coins) ([][]float64, error) {
	c := t.corrector(start, sums, end, m.ordered)
	of, least := c.parts(), int64(1)
	if !concentrated(m.budget) {
		least = partsPerAttribute // an even division: the variance of Laplace noise grows with the square of 1/parts
	}
	parts := c.divide(least, func(n int64) float64 { return m.variance(m.residualNoise(n, of)) })
	all := c.none()
	for range correctionRounds {
		families := t.corrected(end, all)
		exact, err := t.residuals(ctx, d, families[len(families)-1])
		if err != nil {
			return nil, err
		}
		noisy, variances := make([][]float64, len(exact)), make([]float64, len(exact))
		for j, sums := range exact {
			law := m.residualNoise(parts[j], of)
			noisy[j], variances[j] = perPerson(WithNoise(sums, law, coins), m.budget.Relation()), m.variance(law)
		}
		c.correct(all, noisy, variances)
	}
	return all, nil
}

// residuals returns, for each group of each attribute, the exact sum of residuals over the rows of
// this group. The residuals are those of one card of the family: the one with factor 1, whose
// log-odds are total/stepUnits plus the middle constant of the family. A row adds its residual to
// one group of each attribute.
func (t *encodedTable) residuals(ctx context.Context, d table.Counts, of family) ([][]int64, error) {
	constant := (of.cards[0].constant + of.cards[len(stepConstants)-1].constant) / 2
	weights := table.Weights{Card: table.Card{Points: expand(t.groups, of.points)}, Of: residualsOf(of.points, constant)}
	sums, err := d.Weighted(ctx, indices(len(of.points)), weights)
	if err != nil {
		return nil, err
	}
	residuals := make([][]int64, len(of.points))
	for j, points := range of.points {
		residuals[j] = make([]int64, len(points))
		for k, g := range t.groups[j] {
			residuals[j][g] += sums[j][k]
		}
	}
	return residuals, nil
}

// residualsOf returns, for each label, a step function that maps the total points of a row to its
// residual. The parameter constant is the constant of the card.
func residualsOf(points [][]int64, constant float64) []table.Steps {
	least, most := span(points)
	of := []table.Steps{{}, {}}
	for total := least; total <= most; total++ {
		p := risk(float64(total)/stepUnits + constant).mean
		for label := range of {
			s, residual := &of[label], residual(int64(label), p)
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

// residual returns the residual of a row with the given label and predicted risk p, in units of
// 1/riskUnits. It is (label - p)/max(p, 1-p), so its mean is 0 if the risks are right. The divisor
// does not change the maximum, riskUnits, but makes other residuals larger, by a factor of up to
// two at the risk ½. So sums of residuals are larger, with the same noise.
func residual(label, p int64) int64 {
	return int64(math.Round(riskUnits * float64(riskUnits*label-p) / float64(max(p, riskUnits-p))))
}

// residualNoise returns the distribution of the noise that one round adds to each sum of residuals
// of an attribute. The attribute receives the fraction parts/of of the budget of the round. A row
// contributes at most riskUnits in absolute value, to the sum of one category of the attribute.
func (m *Newton) residualNoise(parts, of int64) noise.Sampler {
	share := big.NewRat(parts, correctionRounds*of)
	share.Mul(share, m.shares.Residuals.Rat())
	if b, ok := m.budget.(privacy.GaussianBudget); ok {
		return noise.Gaussian{Sigma2: b.NoiseWithin(m.changes(m.changes(big.NewRat(riskUnits*riskUnits, 1))), share)}
	}
	return noise.Laplace{Scale: share.Quo(m.changes(big.NewRat(riskUnits, 1)), share)}
}
