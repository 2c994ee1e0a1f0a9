package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

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

// encodedTable holds the encoded categories as integers. It is a function of noisy counts.
type encodedTable struct {
	*encoding
	units    [][]int // units of each category, by attribute
	norm     int64   // maximum ℓ1 norm of a record in sums, in units; longer records are shortened
	constant int64   // the value of the intercept's column in sums, in units
	scale    int
}

// normShare is the ratio of the maximum norm of a record to the mean norm.
const normShare = 1

func (m *Newton) round(e *encoding) *encodedTable {
	t := &encodedTable{encoding: e, scale: m.scale}
	mean := 0.0 // of the norms of records
	for j, odds := range e.odds {
		units, norm, rows := make([]int, len(odds)), 0.0, 1.0
		for k, l := range odds {
			units[k] = int(math.Round(unitsPerOdds * l))
			norm += math.Abs(float64(units[k])) * e.rows[j][k]
			rows += e.rows[j][k]
		}
		t.units = append(t.units, units)
		mean += norm / rows
	}
	t.norm = min(max(int64(math.Round(normShare*mean)), 1), mostNorm/2)
	t.constant = max(int64(math.Round(float64(t.norm)/math.Sqrt(float64(len(e.odds))))), 1)
	return t
}

// A linear card multiplies the encoded categories of each attribute by a weight. Total 0 has even odds.
type linear struct {
	weights  []float64
	constant float64 // in log-odds
}

// A family is a list of cards with the same weights.
type family struct {
	weights   []float64
	constants []float64
}

// Candidates of both samples.
var (
	startWeights   = [...]float64{.05, .1, .15, .2, .25, .3, .35, .4, .5, .6, .7, .85, 1, 1.2}
	startConstants = constants(8, .25)
	stepShares     = [...]float64{0, .5, 1}
	stepFactors    = [...]float64{.2, .4, .6, .8, .9, 1, 1.1, 1.25, 1.5}
	stepConstants  = constants(4, .2)
)

// constants returns the multiples of by from -n to n times.
func constants(n int, by float64) []float64 {
	var list []float64
	for k := -n; k <= n; k++ {
		list = append(list, by*float64(k))
	}
	return list
}

// starts returns the cards with one weight for all attributes.
func (t *encodedTable) starts() []family {
	var of []family
	for _, w := range startWeights {
		of = append(of, family{slices.Repeat([]float64{w}, len(t.units)), plus(t.prior, startConstants)})
	}
	return of
}

// along returns the cards between the start and the end of the step, times a factor.
func (t *encodedTable) along(start, step linear) []family {
	var of []family
	for _, share := range stepShares {
		for _, factor := range stepFactors {
			weights := make([]float64, len(t.units))
			for j, w := range start.weights {
				weights[j] = min(max(factor*(w+share*step.weights[j]), -mostCardWeight), mostCardWeight)
			}
			of = append(of, family{weights, plus(start.constant+share*step.constant, stepConstants)})
		}
	}
	return of
}

// plus returns x plus each offset.
func plus(x float64, offsets []float64) []float64 {
	var sums []float64
	for _, o := range offsets {
		sums = append(sums, x+o)
	}
	return sums
}

// card returns the points of a linear card.
func (t *encodedTable) card(l linear) Points {
	p := Points{Prior: t.points(l.constant)}
	for j, units := range t.units {
		points := make([]int, len(units))
		for k, u := range units {
			points[k] = t.points(l.weights[j] * float64(u) / unitsPerOdds)
		}
		p.Points = append(p.Points, points)
	}
	return p
}

// points rounds log-odds.
func (t *encodedTable) points(odds float64) int { return int(math.Round(float64(t.scale) * odds)) }

// sample samples one of the cards at rate lambda for each unit of its cost.
func (t *encodedTable) sample(ctx context.Context, d Records[[]uint16], of []family, lambda *big.Rat, coins noise.Coins) (linear, error) {
	costs, err := t.costs(ctx, d, of)
	if err != nil {
		return linear{}, err
	}
	return sampled(of, costs, lambda, coins), nil
}

// sampled samples a card at rate lambda for each unit of its cost. The costs are those of all families.
func sampled(of []family, costs []int64, lambda *big.Rat, coins noise.Coins) linear {
	at := noise.Gibbs(coins, costs, lambda)
	constants := len(of[0].constants)
	f := of[at/constants]
	return linear{f.weights, f.constants[at%constants]}
}

// costs returns the cost of each card over the records, family after family. A pass over the records serves as
// many families as have at most mostTotals counts.
func (t *encodedTable) costs(ctx context.Context, d Records[[]uint16], of []family) ([]int64, error) {
	var costs []int64
	var some []grades
	totals := 0
	for i, f := range of {
		g := t.grades(f)
		some, totals = append(some, g), totals+len(g.rows)
		if i+1 < len(of) && totals+len(g.rows) <= mostTotals {
			continue
		}
		if err := count(ctx, d, some); err != nil {
			return nil, err
		}
		for _, g := range some {
			costs = append(costs, t.losses(g)...)
		}
		some, totals = nil, 0
	}
	return costs, nil
}

// mostTotals bounds the number of counts of a pass, unless one family has more.
const mostTotals = 1 << 23

// count adds the records to the counts of all families.
func count(ctx context.Context, d Records[[]uint16], all []grades) error {
	room := make([]uint16, len(all[0].points))
	for i := range d.Len() {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record, outcome, count := d.Record(i, room), d.Outcome(i), d.Count(i)
		for _, g := range all {
			total := -g.least
			for j, c := range record {
				total += g.points[j][c]
			}
			g.rows[2*total+outcome] += count
		}
	}
	return nil
}

// losses returns the cost of each card of a family.
func (t *encodedTable) losses(g grades) []int64 {
	var costs []int64
	for _, c := range g.constants {
		constant, cost := t.points(c), int64(0)
		for k, each := range cardLosses(t.scale, g.least+constant, g.most+constant) {
			cost += g.rows[k] * each
		}
		costs = append(costs, cost)
	}
	return costs
}

// grades returns the empty counts of a family.
func (t *encodedTable) grades(f family) grades {
	points := t.card(linear{weights: f.weights}).Points
	least, most := span(points)
	return grades{f.constants, points, least, most, make([]int64, 2*(most-least+1))}
}

// grades count the rows by their total of a card without its constant, and by label.
type grades struct {
	constants   []float64
	points      [][]int
	least, most int     // totals
	rows        []int64 // at twice the total above least, plus the label
}

// span returns the minimum and the maximum sum of one number of each list.
func span(points [][]int) (least, most int) {
	for _, p := range points {
		least, most = least+slices.Min(p), most+slices.Max(p)
	}
	return least, most
}

// logisticSums are sums over the rows at one card: the gradient of the logistic likelihood, and its negative
// Hessian as a lower triangle with its off-diagonal entries doubled. The last coordinate is the intercept.
// Units: an encoded category has unitsPerOdds, a risk riskUnits, and 4p(1-p) curveUnits.
type logisticSums struct{ gradient, hessian []int64 }

// sums returns the exact sums at a card.
//
// A row contributes to the gradient at most riskUnits·(norm+constant) in the ℓ1 norm, as its encoded record
// has at most this norm and its residual is at most one. It contributes to the Hessian at most
// curveUnits·(norm+constant)²: the products of its coordinates, with those off the diagonal twice, sum to the
// square of the norm.
func (t *encodedTable) sums(ctx context.Context, d Records[[]uint16], at linear) (*logisticSums, error) {
	n := len(t.units) + 1
	s := &logisticSums{make([]int64, n), make([]int64, n*(n+1)/2)}
	risks, least := t.risks(at)
	room, x := make([]uint16, len(t.units)), make([]int64, n)
	for i := range d.Len() {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		total := t.encode(d.Record(i, room), x)
		risk, count := risks[total-least], d.Count(i)
		residual := count * (riskUnits*int64(d.Outcome(i)) - risk.mean)
		curve, cell := count*risk.curve, 0
		for j, v := range x {
			s.gradient[j] += residual * v
			w := curve * v
			for _, u := range x[:j] {
				s.hessian[cell] += 2 * w * u
				cell++
			}
			s.hessian[cell] += w * v
			cell++
		}
	}
	return s, nil
}

// encode stores the encoded record, shortened to the norm, and the constant, into x. It returns the sum of
// the encoded categories before they are shortened.
func (t *encodedTable) encode(record []uint16, x []int64) (total int) {
	norm := int64(0)
	for j, c := range record {
		u := t.units[j][c]
		total += u
		x[j] = int64(u)
		norm += int64(max(u, -u))
	}
	if norm > t.norm {
		for j := range record {
			x[j] = x[j] * t.norm / norm // towards 0, so the norm is at most t.norm
		}
	}
	x[len(record)] = t.constant
	return total
}

// A logisticRisk is the risk p of a total, in riskUnits, and 4p(1-p), in curveUnits.
type logisticRisk struct{ mean, curve int64 }

// risks returns the risk that a card with one weight states for each sum of encoded categories from least.
func (t *encodedTable) risks(at linear) (risks []logisticRisk, least int) {
	least, most := span(t.units)
	for total := least; total <= most; total++ {
		p := 1 / (1 + math.Exp(-at.weights[0]*float64(total)/unitsPerOdds-at.constant))
		risks = append(risks, logisticRisk{
			min(max(int64(math.Round(riskUnits*p)), 0), riskUnits),
			min(max(int64(math.Round(curveUnits*4*p*(1-p))), 0), curveUnits),
		})
	}
	return risks, least
}

// noisy adds noise to the sums.
func (m *Newton) noisy(t *encodedTable, s *logisticSums, coins noise.Coins) *noisySums {
	norm := t.norm + t.constant
	gradient := noise.Laplace{Scale: new(big.Rat).Quo(m.changes(riskUnits*norm), m.shares.Gradient.Rat())}
	hessian := noise.Laplace{Scale: new(big.Rat).Quo(m.changes(curveUnits*norm*norm), m.shares.Hessian.Rat())}
	return newNoisySums(WithNoise(s.gradient, gradient, coins), variance(gradient), WithNoise(s.hessian, hessian, coins), variance(hessian))
}
