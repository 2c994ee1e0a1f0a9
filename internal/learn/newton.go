package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Newton learns a scorecard by one Newton step of logistic regression on encoded attributes. Its parts are:
//
//  1. noisy counts of both labels in each category, which encode each category as log-odds;
//  2. a sample of one weight for all attributes, and of a constant;
//  3. at this point, noisy sums of the gradient and of the Hessian of the logistic loss, from which follows
//     a weight for each attribute; unreliable sums change the common weight little;
//  4. a sample of the share of that step, of a factor of all weights, and of the constant.
//
// Both samples are from the exponential mechanism. The cost of a card is the cost of WeightedNaiveBayes.
// Without a share for parts 3 and 4, the sample of part 2 is the result.
//
// Guarantee: that of the budget, pure ε or ρ. Each part is private given the results of the parts before it
// (docs/explanation/proofs/newton.md). The work is a function of public numbers and of the number of distinct
// records.
type Newton struct {
	counts  *NaiveBayes
	ordered []bool
	budget  privacy.Guarantee
	shares  NewtonShares
	scale   int
}

// NewtonPays reports whether the step is expected to be worth its share of the budget, a privacy.Pure or
// privacy.ZCDP. Below that number of rows, one weight for all attributes has fewer errors. The rule is based on
// measurements and does not affect any guarantee.
func NewtonPays(attributes int, rows int64, budget privacy.Guarantee) bool {
	all, err := Total(budget)
	if err != nil || attributes > mostStepped {
		return false
	}
	// The noise of a sum grows with attributes/ε, or with √(attributes/2ρ), and doubles if rows are replaced.
	precision, _ := all.Float64()
	least := 700 * float64(attributes)
	if concentrated(budget) {
		precision, least = math.Sqrt(2*precision), 300*math.Sqrt(float64(attributes))
	}
	if budget.Relation().Replaces() {
		precision /= 2
	}
	return precision*float64(rows) >= least
}

const (
	mostStepped = 128 // maximum number of attributes of a step

	unitsPerOdds = 32      // units of encoded categories for one unit of log-odds
	mostNorm     = 1 << 13 // maximum ℓ1 norm of an encoded record with its constant, in units
	riskUnits    = 1 << 10 // units of a risk in the gradient
	curveUnits   = 1 << 6  // units of 4p(1-p) in the Hessian

	mostCardWeight = 3 // maximum absolute weight of an attribute
)

// NewNewton returns the learner over attributes with the given numbers of categories; ordered reports for each
// attribute whether its categories have an order. The budget is a privacy.Pure or privacy.ZCDP, of which the
// shares consume at most all. The scale is the number of points for one unit of log-odds, from
// LeastWeightedScale to MostNewtonScale.
func NewNewton(sizes []int, ordered []bool, budget privacy.Guarantee, shares NewtonShares, scale int) (*Newton, error) {
	all, err := Total(budget)
	if err != nil {
		return nil, err
	}
	switch consumed := shares.Consumes(budget); {
	case scale < LeastWeightedScale || scale > MostNewtonScale:
		return nil, fmt.Errorf("learn: a scale of %d points for each unit of log-odds is outside %d..%d", scale, LeastWeightedScale, MostNewtonScale)
	case shares.Counts.IsZero() || shares.Start.IsZero():
		return nil, fmt.Errorf("learn: the shares for counts and for the first sample must be positive")
	case shares.Gradient.IsZero() != shares.Hessian.IsZero() || shares.Gradient.IsZero() != shares.Final.IsZero():
		return nil, fmt.Errorf("learn: the shares for the gradient, the Hessian and the last sample must be all zero or all positive")
	case !shares.Gradient.IsZero() && len(sizes) > mostStepped:
		return nil, fmt.Errorf("learn: a Newton step has at most %d attributes, not %d", mostStepped, len(sizes))
	case consumed.Cmp(all) > 0:
		return nil, fmt.Errorf("learn: the shares consume %s, more than the budget of %s", consumed.FloatString(12), all.FloatString(12))
	case len(ordered) != len(sizes):
		return nil, fmt.Errorf("learn: %d attributes, but the order of %d", len(sizes), len(ordered))
	}
	if err := OfRows(budget.Relation(), "a Newton step"); err != nil {
		return nil, err
	}
	counts, err := part(budget, shares.Counts)
	if err != nil {
		return nil, err
	}
	bayes, err := NewNaiveBayes(sizes, counts, 1)
	if err != nil {
		return nil, err
	}
	return &Newton{bayes, ordered, budget, shares, scale}, nil
}

// MostNewtonScale is the maximum number of points for one unit of log-odds.
const MostNewtonScale = 100

// Guarantee returns the budget.
func (m *Newton) Guarantee() privacy.Guarantee { return m.budget }

// CountRate returns NaiveBayes.Rate of the counts.
func (m *Newton) CountRate() *big.Rat { return m.counts.Rate() }

// CountWidth returns AnswerWidth of the counts.
func (m *Newton) CountWidth() (float64, error) {
	return AnswerWidth(m.counts.budget, m.counts.marginals.cells, len(m.counts.marginals.sizes))
}

// steps reports whether the learner computes a step.
func (m *Newton) steps() bool { return !m.shares.Final.IsZero() }

// Work estimates the number of additions of a release for the given number of distinct records.
func (m *Newton) Work(records int64) int64 {
	attributes := int64(len(m.counts.marginals.sizes))
	work := records * attributes * int64(len(startWeights))
	if m.steps() {
		work += records * attributes * (attributes/2 + int64(len(stepShares)*len(stepFactors)))
	}
	return work
}

// Totals bounds the number of counts by total that a release holds at a time.
func (m *Newton) Totals() int64 {
	families := int64(max(len(startWeights), len(stepShares)*len(stepFactors)))
	one := 2 * int64(len(m.counts.marginals.sizes)) * int64(m.scale) * 4 * mostOdds * mostCardWeight
	return max(min(families*one, mostTotals), one)
}

// Release samples a card. It fails with the context's error, or with ErrRows before it uses any randomness.
// Records have one code for each attribute.
func (m *Newton) Release(ctx context.Context, d Records[[]uint16], coins noise.Coins) (Points, error) {
	if err := countable(d); err != nil {
		return Points{}, err
	}
	encoded := m.encoded(d, coins)
	costs, err := encoded.costs(ctx, d, encoded.starts())
	if err != nil {
		return Points{}, err
	}
	return m.released(ctx, d, encoded, costs, coins)
}

// encoded returns the encoding from noisy counts.
func (m *Newton) encoded(d Records[[]uint16], coins noise.Coins) *encodedTable {
	of := m.counts.marginals
	law := AnswerNoise(m.counts.budget, len(of.sizes), price(m.counts.budget))
	return m.round(of.encode(WithNoise(of.tally(d), law, coins), variance(law), m.ordered))
}

// released samples the start, given the costs of its cards, and if there is a step its end.
func (m *Newton) released(ctx context.Context, d Records[[]uint16], encoded *encodedTable, costs []int64, coins noise.Coins) (Points, error) {
	start := sampled(encoded.starts(), costs, m.perCost(m.shares.Start), coins)
	if !m.steps() {
		return encoded.card(start), nil
	}
	sums, err := encoded.sums(ctx, d, start)
	if err != nil {
		return Points{}, err
	}
	step := encoded.step(start, m.noisy(encoded, sums, coins))
	final, err := encoded.sample(ctx, d, encoded.along(start, step), m.perCost(m.shares.Final), coins)
	if err != nil {
		return Points{}, err
	}
	return encoded.card(final), nil
}

// variance returns the approximate variance of the noise.
func variance(law noise.Sampler) float64 {
	d := deviation(law)
	return d * d
}

// noisy adds noise to the sums.
func (m *Newton) noisy(t *encodedTable, s *logisticSums, coins noise.Coins) *noisySums {
	gradient, hessian := m.sumNoise(t)
	return newNoisySums(WithNoise(s.gradient, gradient, coins), variance(gradient), WithNoise(s.hessian, hessian, coins), variance(hessian))
}
