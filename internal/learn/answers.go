package learn

import (
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Total returns the total of a budget for noisy counts: ε if the budget is privacy.Pure, and ρ if
// it is privacy.ZCDP.
func Total(budget privacy.Guarantee) (*big.Rat, error) {
	switch g := budget.(type) {
	case privacy.Pure:
		return g.Epsilon().Rat(), nil
	case privacy.ZCDP:
		return g.Rho(), nil
	}
	return nil, fmt.Errorf("learn: the budget has the type %T, but must be privacy.Pure (an ε) or privacy.ZCDP (a ρ)", budget)
}

// MostCells is the maximum number of counts of one query.
const MostCells = 1 << 24

// WithNoise returns the counts, to each of which independent noise of the given distribution is
// added.
func WithNoise(counts []int64, law noise.Sampler, coins noise.Coins) []*big.Int {
	noisy := make([]*big.Int, len(counts))
	for i, n := range counts {
		k := coins.Draw(law)
		noisy[i] = k.Add(k, big.NewInt(n))
	}
	return noisy
}

// AnswerNoise returns the distribution of the noise on each count of a query. The query consumes
// price, a part of the budget. Adding a row changes at most m counts by one each, where m is the
// parameter most. Replacing a row changes at most 2m counts. Let c be the maximum number of changed
// counts, m or 2m. Both the ℓ1 norm of the change and the square of its ℓ2 norm are at most c. So
// Laplace noise has the scale c/price, and Gaussian noise has the parameter σ² = c/(2·price).
func AnswerNoise(budget privacy.Guarantee, most int, price *big.Rat) noise.Sampler {
	c := new(big.Rat).SetInt64(int64(most))
	if budget.Relation().Replaces() {
		c.Add(c, c)
	}
	// Under a relation of persons, a person changes counts by Units instead of 1. This multiplies the
	// ℓ1 norm by Units, and the square of the ℓ2 norm by Units².
	units := new(big.Rat).SetInt64(Units(budget.Relation()))
	c.Mul(c, units)
	c.Quo(c, price)
	if _, ok := budget.(privacy.ZCDP); ok {
		return noise.Gaussian{Sigma2: c.Mul(c, units.Mul(units, big.NewRat(1, 2)))}
	}
	return noise.Laplace{Scale: c}
}

// AnswerWidth returns a bound w on the noise of a query that consumes the whole budget: with
// probability at least Confidence, the noise of every cell is in -w..w. The parameter cells is the
// number of cells. Adding a row to the table changes at most the number of cells in the parameter
// most. AnswerWidth does not affect any release.
func AnswerWidth(budget privacy.Guarantee, cells, most int) (w float64, err error) {
	price, err := Total(budget)
	if err != nil {
		return 0, err
	}
	// The noise of one cell is outside -w..w with probability at most 2·e^{-w/scale} or 2·e^{-w²/(2σ²)}.
	log := math.Log(2 * float64(cells) / (1 - Confidence))
	switch law := AnswerNoise(budget, most, price).(type) {
	case noise.Gaussian:
		sigma2, _ := law.Sigma2.Float64()
		w = math.Sqrt(2 * sigma2 * log)
	case noise.Laplace:
		scale, _ := law.Scale.Float64()
		w = scale * log
	}
	return math.Ceil(w), nil
}
