package learn

import (
	"context"
	"fmt"
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
// Guarantee: pure ε-DP, where ε is the sum of the shares: each part is private given the results of the
// parts before it (docs/explanation/proofs/newton.md). The work is a function of public numbers and of the
// number of distinct records.
type Newton struct {
	counts    *NaiveBayes
	ordered   []bool
	guarantee privacy.Pure
	shares    NewtonShares
	scale     int
}

// NewtonShares divide ε among the parts of Newton. Gradient, Hessian and Final are all zero, or all positive.
type NewtonShares struct {
	Counts, Start, Gradient, Hessian, Final privacy.Decimal
}

// NewtonPays reports whether the step is expected to be worth its share of ε. Below that number of rows, one
// weight for all attributes has fewer errors. The rule is based on measurements and does not affect any
// guarantee.
func NewtonPays(attributes int, rows int64, epsilon privacy.Decimal, r privacy.Relation) bool {
	e, _ := epsilon.Rat().Float64()
	if r.Replaces() {
		e /= 2
	}
	return attributes <= mostStepped && e*float64(rows) >= 700*float64(attributes)
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
// attribute whether its categories have an order. The shares sum to at most ε. The scale is the number of
// points for one unit of log-odds, from LeastWeightedScale to MostNewtonScale.
func NewNewton(sizes []int, ordered []bool, epsilon privacy.Decimal, shares NewtonShares, r privacy.Relation, scale int) (*Newton, error) {
	switch {
	case scale < LeastWeightedScale || scale > MostNewtonScale:
		return nil, fmt.Errorf("learn: a scale of %d points for each unit of log-odds is outside %d..%d", scale, LeastWeightedScale, MostNewtonScale)
	case shares.Counts.IsZero() || shares.Start.IsZero():
		return nil, fmt.Errorf("learn: the shares of ε for counts and for the first sample must be positive")
	case shares.Gradient.IsZero() != shares.Hessian.IsZero() || shares.Gradient.IsZero() != shares.Final.IsZero():
		return nil, fmt.Errorf("learn: the shares of ε for the gradient, the Hessian and the last sample must be all zero or all positive")
	case !shares.Gradient.IsZero() && len(sizes) > mostStepped:
		return nil, fmt.Errorf("learn: a Newton step has at most %d attributes, not %d", mostStepped, len(sizes))
	case shares.sum().Cmp(epsilon.Rat()) > 0:
		return nil, fmt.Errorf("learn: the shares of ε add up to %s, which is more than %s", shares.sum().FloatString(12), epsilon)
	case len(ordered) != len(sizes):
		return nil, fmt.Errorf("learn: %d attributes, but the order of %d", len(sizes), len(ordered))
	}
	if err := OfRows(r, "a Newton step"); err != nil {
		return nil, err
	}
	budget, err := privacy.NewPure(r, shares.Counts)
	if err != nil {
		return nil, err
	}
	bayes, err := NewNaiveBayes(sizes, budget, 1)
	if err != nil {
		return nil, err
	}
	g, err := privacy.NewPure(r, epsilon)
	if err != nil {
		return nil, err
	}
	return &Newton{bayes, ordered, g, shares, scale}, nil
}

// MostNewtonScale is the maximum number of points for one unit of log-odds.
const MostNewtonScale = 100

// sum returns the sum of the shares.
func (s NewtonShares) sum() *big.Rat {
	sum := new(big.Rat)
	for _, share := range []privacy.Decimal{s.Counts, s.Start, s.Gradient, s.Hessian, s.Final} {
		sum.Add(sum, share.Rat())
	}
	return sum
}

// Guarantee returns the guarantee, which holds for every release.
func (m *Newton) Guarantee() privacy.Guarantee { return m.guarantee }

// CountRate returns the reciprocal of the scale of the counts' noise, a public parameter.
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

// changes returns c, or 2c if a neighbour replaces a row: the maximum change of a sum to which a row
// contributes at most c in absolute value.
func (m *Newton) changes(c int64) *big.Rat {
	if m.guarantee.Relation().Replaces() {
		c *= 2
	}
	return big.NewRat(c, 1)
}

// perCost returns λ of a sample that spends the share of ε, for a thousandth of a misclassification.
func (m *Newton) perCost(share privacy.Decimal) *big.Rat {
	return new(big.Rat).Quo(share.Rat(), m.changes(weightedLoss))
}

// noisy adds noise to the sums.
func (m *Newton) noisy(t *encodedTable, s *logisticSums, coins noise.Coins) *noisySums {
	norm := t.norm + t.constant
	gradient := noise.Laplace{Scale: new(big.Rat).Quo(m.changes(riskUnits*norm), m.shares.Gradient.Rat())}
	hessian := noise.Laplace{Scale: new(big.Rat).Quo(m.changes(curveUnits*norm*norm), m.shares.Hessian.Rat())}
	return newNoisySums(WithNoise(s.gradient, gradient, coins), variance(gradient), WithNoise(s.hessian, hessian, coins), variance(hessian))
}
