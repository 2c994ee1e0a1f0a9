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

// Newton learns a scorecard (a card) by one Newton step of logistic regression on encoded attributes. A release has
// five parts:
//
//  1. It queries noisy counts of both labels in each category. From these it encodes each category as log-odds.
//  2. It samples a card, the start. The start has one common weight for all attributes, and a constant.
//  3. It queries the noisy gradient and Hessian of the logistic loss at the start. From these it computes a Newton
//     step: a change of the weight of each attribute. If the sums are unreliable, the weights stay close to the
//     common weight.
//  4. Optionally, it corrects the log-odds of each category in two rounds. A round queries, for each category, the
//     noisy sum of the residuals of a card, and computes the correction from these sums. The first round uses the
//     card at the end of the step, and the second round the corrected card.
//  5. It samples the result from several cards. They differ in the constant, in a factor of all log-odds, and in
//     the share of the step that they take. If there is a part 4, all cards take the whole step, and differ in the
//     share of the corrections instead.
//
// Both samples are from the exponential mechanism. The cost of a card is that of WeightedNaiveBayes. If the budget
// has no shares for parts 3 to 5, the sample of part 2 is the result.
//
// Part 1 merges categories with similar log-odds if an attribute has more than mostGroups of them. So a released
// card has at most mostGroups different numbers of points for an attribute.
//
// Guarantee: that of the budget, pure ε, ρ or μ. Each part is private given the results of the parts before it
// (docs/explanation/proofs/newton.md). A release queries only counts, totals and moments, so a database that holds
// the data can compute them.
type Newton struct {
	marginals *marginals
	ordered   []bool
	budget    privacy.Guarantee
	shares    NewtonShares
	scale     int
}

// NewtonHelps reports whether the Newton step (parts 3 and 5 of Newton) is expected to reduce the number of
// misclassifications, for the given numbers of attributes and rows. If not, the step's share of the budget should
// be used for the common weight of all attributes instead. The budget is a privacy.Pure, privacy.ZCDP or privacy.GDP.
// The rule is based on measurements and does not affect any guarantee.
func NewtonHelps(attributes int, rows int64, budget privacy.Guarantee) bool {
	return precise(attributes, rows, budget, 700, 300)
}

// NewtonBeatsWeights reports whether a card of Newton is expected to misclassify fewer rows than a card of
// WeightedNaiveBayes, which supports pure guarantees only. It returns true only if NewtonHelps does.
func NewtonBeatsWeights(attributes int, rows int64, budget privacy.Guarantee) bool {
	return precise(attributes, rows, budget, 2000, 300)
}

// CorrectionsHelp reports whether part 4 of Newton, the corrections from residuals, is expected to
// reduce misclassifications further. It returns true only if NewtonHelps does.
func CorrectionsHelp(attributes int, rows int64, budget privacy.Guarantee) bool {
	return precise(attributes, rows, budget, 4000, 500)
}

// FineCutsHelp reports whether finer cut points for numeric columns that are mostly 0 are expected
// to reduce misclassifications. It returns true only if CorrectionsHelp does.
func FineCutsHelp(attributes int, rows int64, budget privacy.Guarantee) bool {
	return precise(attributes, rows, budget, 8000, 1000)
}

// precise reports whether noisy sums are precise enough for a Newton step, given the budget. It
// returns false for more than mostStepped attributes. The standard deviation of the noise of a sum
// is proportional to attributes/ε for pure ε-DP, to √(attributes/2ρ) for ρ-zCDP, and to
// √attributes/μ for μ-GDP. So the conditions are:
//
//   - for ε-DP, ε·rows must be at least pure·attributes,
//   - for zCDP or GDP, √(2ρ)·rows or μ·rows must be at least gaussian·√attributes.
//
// If neighbours replace a row, the noise doubles, so the numbers of rows must be twice as large.
func precise(attributes int, rows int64, budget privacy.Guarantee, pure int64, gaussian float64) bool {
	all, err := Total(budget)
	if err != nil || attributes > mostStepped {
		return false
	}
	if !concentrated(budget) {
		return EnoughRows(rows, all, budget.Relation(), 2*pure*int64(attributes))
	}
	precision, _ := all.Float64()
	precision = math.Sqrt(2 * precision)
	if budget.Relation().Replaces() {
		precision /= 2
	}
	return precision*float64(rows) >= gaussian*math.Sqrt(float64(attributes))
}

const (
	mostStepped = 128 // maximum number of attributes of a step

	// Real numbers in queries are rounded to integers. Each of these constants is the integer that
	// represents 1.
	unitsPerOdds = 32      // of the encoded log-odds of a category
	mostNorm     = 1 << 13 // maximum ℓ1 norm of an encoded record with its constant, in the units of unitsPerOdds
	mostConstant = 1 << 8  // maximum value of the intercept's coordinate, in the units of unitsPerOdds
	shrinkUnits  = 1 << 4  // units of the factor by which a record is shortened
	stepUnits    = 64      // units of the log-odds of a card along the step
	riskUnits    = 1 << 10 // units of a risk in the gradient
	curveUnits   = 1 << 6  // units of 4p(1-p) in the Hessian

	mostDirection  = 2 // maximum absolute weight of an attribute along the step, before the factor of a card
	mostCardWeight = 3 // maximum absolute weight of an attribute in a card: mostDirection times the greatest factor
)

// NewNewton returns the learner Newton. The parameter sizes lists the number of categories of each
// attribute, and the parameter ordered reports for each attribute whether its categories have an
// order. The budget is a privacy.Pure, privacy.ZCDP or privacy.GDP. All shares together must not
// consume more than the budget. The scale is the number of points for one unit of log-odds, from
// LeastWeightedScale to MostNewtonScale.
func NewNewton(sizes []int, ordered []bool, budget privacy.Guarantee, shares NewtonShares, scale int) (*Newton, error) {
	all, err := Total(budget)
	if err != nil {
		return nil, err
	}
	switch consumed := shares.Consumes(budget); {
	case scale < LeastWeightedScale || scale > MostNewtonScale:
		return nil, fmt.Errorf("learn: the scale, in points for each unit of log-odds, is %d, but must be %d to %d", scale, LeastWeightedScale, MostNewtonScale)
	case shares.Counts.IsZero() || shares.Start.IsZero():
		return nil, fmt.Errorf("learn: the shares of the budget for the counts and for the first sample must be positive")
	case shares.Gradient.IsZero() != shares.Hessian.IsZero() || shares.Gradient.IsZero() != shares.Final.IsZero():
		return nil, fmt.Errorf("learn: the shares of the budget for the gradient, the Hessian and the last sample must be all zero or all positive")
	case shares.Gradient.IsZero() && !shares.Residuals.IsZero():
		return nil, fmt.Errorf("learn: the share of the budget for the residuals must be zero if the share for the gradient is zero")
	case !shares.Gradient.IsZero() && len(sizes) > mostStepped:
		return nil, fmt.Errorf("learn: there are %d attributes, but a Newton step supports at most %d", len(sizes), mostStepped)
	case consumed.Cmp(all) > 0:
		return nil, fmt.Errorf("learn: the shares of the parts of the mechanism consume %s, more than the budget of %s", consumed.FloatString(12), all.FloatString(12))
	case shares.Proportional && !concentrated(budget):
		return nil, fmt.Errorf("learn: the field Proportional requires a budget of ρ or μ, but the budget is an ε")
	case len(ordered) != len(sizes):
		return nil, fmt.Errorf("learn: there are %d attributes, but %d numbers of ordered categories; give one number for each attribute", len(sizes), len(ordered))
	}
	of, err := newMarginals(sizes)
	if err != nil {
		return nil, err
	}
	return &Newton{of, ordered, budget, shares, scale}, nil
}

// MostNewtonScale is the maximum number of points for one unit of log-odds.
const MostNewtonScale = 100

// Guarantee returns the guarantee of a release, which is the budget.
func (m *Newton) Guarantee() privacy.Guarantee { return m.budget }

// CountRate returns 1/b, where b is the scale of the Laplace noise on the counts. For a budget in
// zCDP or GDP, the noise is Gaussian, and CountRate returns nil.
func (m *Newton) CountRate() *big.Rat { return countRate(m.countNoise()[0]) }

// CountWidth returns a bound on the noise of the counts of all attributes (see AnswerWidth), in
// rows or persons. It assumes that all counts have the noise of the attribute with the most noise.
func (m *Newton) CountWidth() float64 {
	parts, all := m.countParts()
	least := slices.Min(parts)
	return m.marginals.width(AnswerNoise(m.budget, int((all+least-1)/least), m.shares.Counts.Rat()), m.budget.Relation())
}

// steps reports whether the budget has shares for the Newton step: parts 3 and 5 in the comment of
// Newton.
func (m *Newton) steps() bool { return !m.shares.Final.IsZero() }

// corrects reports whether the budget has a share for the corrections of categories: part 4 in the
// comment of Newton.
func (m *Newton) corrects() bool { return !m.shares.Residuals.IsZero() }

// Work estimates the number of additions that a release takes for the given number of distinct
// records.
func (m *Newton) Work(records int64) int64 {
	attributes := int64(len(m.marginals.sizes))
	work := 2 * records * attributes
	if m.steps() {
		work += records * attributes * (attributes/2 + 2*int64(len(stepShares)))
	}
	if m.corrects() {
		work += 2 * correctionRounds * records * attributes
	}
	return work
}

// Totals returns an upper bound on the number of counts (rows by total points and label, rowTotals)
// that a release holds in memory at a time.
func (m *Newton) Totals() int64 {
	return 2 * int64(len(stepShares)) * int64(len(m.marginals.sizes)) * stepUnits * (4*mostOdds*mostDirection + 2*mostCorrection)
}

// Queries returns the queries that a release makes. They are declared as one marginal of all
// columns, because a release also queries totals and moments, which are functions of all columns
// together.
func (m *Newton) Queries() table.Queries {
	all := make([]int, len(m.marginals.sizes)+1)
	for j := range all {
		all[j] = j
	}
	return table.Queries{Columns: [][]int{all}, Sums: m.steps()}
}

// Release learns a card (see Newton). It fails with an error of the data, or with ErrRows before it
// uses any randomness.
func (m *Newton) Release(ctx context.Context, d table.Counts, coins noise.Coins) (Points, error) {
	start, err := m.begin(ctx, d, coins)
	if err != nil {
		return Points{}, err
	}
	return m.released(ctx, d, start, coins)
}

// A newtonStart holds the results of part 1 of Newton: the encoding from noisy counts, and the
// exact costs of the cards from which part 2 samples.
type newtonStart struct {
	*encodedTable
	family
	rows  rowTotals // by total of the points of the family
	costs []int64
}

// begin computes part 1 of Newton, and the exact costs of the cards from which part 2 samples.
func (m *Newton) begin(ctx context.Context, d table.Counts, coins noise.Coins) (*newtonStart, error) {
	counts, err := m.marginals.counts(ctx, d)
	if err != nil {
		return nil, err
	}
	encoded := m.encoded(counts, coins)
	starts := encoded.starts()
	rows, err := encoded.totals(ctx, d, starts)
	if err != nil {
		return nil, err
	}
	return &newtonStart{encoded, starts, rows, encoded.costs(starts, rows)}, nil
}

// encoded adds noise to the exact counts, and computes the encoded log-odds of the categories from the noisy counts.
func (m *Newton) encoded(counts []int64, coins noise.Coins) *encodedTable {
	of := m.marginals
	var noisy []*big.Int
	var variances []float64
	for j, law := range m.countNoise() {
		cells := counts[of.cell(j, 0, false):][:2*of.sizes[j]]
		noisy, variances = append(noisy, WithNoise(cells, law, coins)...), append(variances, m.variance(law))
	}
	return m.round(of.encode(perPerson(noisy, m.budget.Relation()), variances, m.ordered))
}

// released returns the card that a release outputs. It performs parts 2 to 5 of Newton, or only
// part 2 if the budget has no shares for the others.
func (m *Newton) released(ctx context.Context, d table.Counts, of *newtonStart, coins noise.Coins) (Points, error) {
	start := sampled(of.cards, of.costs, m.perCost(m.shares.Start), coins)
	if !m.steps() {
		return of.card(start), nil
	}
	sums, err := of.sums(ctx, d, start)
	if err != nil {
		return Points{}, err
	}
	noisy := m.noisy(of.encodedTable, sums, coins)
	families := of.along(start, of.step(start, noisy))
	if m.corrects() {
		end := families[len(families)-1]
		corrections, err := m.corrections(ctx, d, of.encodedTable, start, noisy, end, coins)
		if err != nil {
			return Points{}, err
		}
		families = of.corrected(end, corrections)
	}
	var cards []graded
	var costs []int64
	for i, f := range families {
		rows := of.rows
		if i > 0 || m.corrects() {
			if rows, err = of.totals(ctx, d, f); err != nil {
				return Points{}, err
			}
		}
		cards, costs = append(cards, f.cards...), append(costs, of.encodedTable.costs(f, rows)...)
	}
	return of.card(sampled(cards, costs, m.perCost(m.shares.Final), coins)), nil
}

// variance returns approximately the variance of noise, in squared rows or persons, after perPerson
// has converted the noisy sums.
func (m *Newton) variance(law noise.Sampler) float64 {
	return perPersonVariance(law, m.budget.Relation())
}

// noisy adds noise to the gradient and the Hessian of the logistic likelihood in s.
func (m *Newton) noisy(t *encodedTable, s *logisticSums, coins noise.Coins) *noisySums {
	gradient, hessian := m.sumNoise(t)
	r := m.budget.Relation()
	first, second := perPerson(WithNoise(s.gradient, gradient, coins), r), perPerson(WithNoise(s.hessian, hessian, coins), r)
	return newNoisySums(first, m.variance(gradient), second, m.variance(hessian))
}
