package learn

import (
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Total returns a budget as a single number, of which noisy counts can receive parts: ε if the
// budget is privacy.Pure, ρ if it is privacy.ZCDP, and μ²/2 if it is privacy.GDP.
func Total(budget privacy.Guarantee) (*big.Rat, error) {
	switch g := budget.(type) {
	case privacy.Pure:
		return g.Epsilon().Rat(), nil
	case privacy.GaussianBudget:
		return g.Total(), nil
	}
	return nil, fmt.Errorf("learn: the budget has the type %T, but must be privacy.Pure (an ε), privacy.ZCDP (a ρ) or privacy.GDP (a μ)", budget)
}

// MostCells is the maximum number of counts that one query may contain.
const MostCells = 1 << 24

// WithNoise returns the counts plus independent noise of the given distribution.
func WithNoise(counts []int64, law noise.Sampler, coins noise.Coins) []*big.Int {
	noisy := make([]*big.Int, len(counts))
	for i, n := range counts {
		k := coins.Draw(law)
		noisy[i] = k.Add(k, big.NewInt(n))
	}
	return noisy
}

// perPerson divides noisy sums by Units(r), the total weight of a person's rows. If neighbouring
// tables differ in a person, this converts sums of weights to numbers of persons. If they differ in
// a row, Units is 1, and the sums do not change.
func perPerson(noisy []*big.Int, r privacy.Relation) []float64 {
	units := float64(Units(r))
	sums := make([]float64, len(noisy))
	for i, n := range noisy {
		sums[i] = float(n) / units
	}
	return sums
}

// perPersonVariance returns approximately the variance of the noise after perPerson has divided the
// noisy sums by Units(r).
func perPersonVariance(law noise.Sampler, r privacy.Relation) float64 {
	d := deviation(law) / float64(Units(r))
	return d * d
}

// AnswerNoise returns the distribution of the noise to add to each count of a query. The parameter
// price is the part of the budget that the query consumes. The parameter most is the maximum number
// of counts that change, by one each, if a row is added.
//
// If neighbouring tables differ by replacing a row, up to twice as many counts change. Let c be the
// maximum number of counts that change between neighbours. Both the ℓ1 norm of the change and the
// square of its ℓ2 norm are at most c. So Laplace noise has the scale c/price, and Gaussian noise
// has the squared ℓ2 sensitivity c.
func AnswerNoise(budget privacy.Guarantee, most int, price *big.Rat) noise.Sampler {
	c := new(big.Rat).SetInt64(int64(most))
	if budget.Relation().Replaces() {
		c.Add(c, c)
	}
	// Under a relation of persons, a person changes counts by Units instead of 1. This multiplies the
	// ℓ1 norm by Units, and the square of the ℓ2 norm by Units².
	units := new(big.Rat).SetInt64(Units(budget.Relation()))
	c.Mul(c, units)
	if b, ok := budget.(privacy.GaussianBudget); ok {
		return noise.Gaussian{Sigma2: b.NoiseWithin(c.Mul(c, units), price)}
	}
	return noise.Laplace{Scale: c.Quo(c, price)}
}

// AnswerWidth returns a bound w on the noise of a query with the given number of counts, the
// parameter cells. With probability at least Confidence, the noise of every count is in -w..w.
// Plans and reports state this bound; no release depends on it.
func AnswerWidth(law noise.Sampler, cells int) (w float64) {
	// The noise of one cell is outside -w..w with probability at most 2·e^{-w/scale} or 2·e^{-w²/(2σ²)}.
	log := math.Log(2 * float64(cells) / (1 - Confidence))
	switch law := law.(type) {
	case noise.Gaussian:
		sigma2, _ := law.Sigma2.Float64()
		w = math.Sqrt(2 * sigma2 * log)
	case noise.Laplace:
		scale, _ := law.Scale.Float64()
		w = scale * log
	}
	return math.Ceil(w)
}
