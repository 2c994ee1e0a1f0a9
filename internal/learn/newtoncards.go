package learn

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/noise"
)

// encodedTable holds the encoded categories as integers. It is a function of noisy counts.
type encodedTable struct {
	*encoding
	units     [][]int // units of each category, by attribute
	euclidean bool    // whether norm is an ℓ2 norm
	norm      int64   // maximum ℓ1 or ℓ2 norm of a record in sums, in units; longer records are shortened
	constant  int64   // the value of the intercept's column in sums, in units
	scale     int
}

// round converts the encoding to integers. The norm is about that of a mean record: the mean ℓ1 norm, or the
// root of the mean square of the ℓ2 norm for a budget in ρ.
func (m *Newton) round(e *encoding) *encodedTable {
	t := &encodedTable{encoding: e, euclidean: concentrated(m.budget), scale: m.scale}
	mean := 0.0 // of the norms of records, or of their squares
	for j, odds := range e.odds {
		units, norm, rows := make([]int, len(odds)), 0.0, 1.0
		for k, l := range odds {
			units[k] = int(math.Round(unitsPerOdds * l))
			u := math.Abs(float64(units[k]))
			if t.euclidean {
				u *= u
			}
			norm += u * e.rows[j][k]
			rows += e.rows[j][k]
		}
		t.units = append(t.units, units)
		mean += norm / rows
	}
	if t.euclidean {
		mean = math.Sqrt(mean)
	}
	t.norm = min(max(int64(math.Round(mean)), 1), mostNorm/2)
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
	var constants []int
	for _, c := range g.constants {
		constants = append(constants, t.points(c))
	}
	least := slices.Min(constants)
	each := cardLosses(t.scale, g.least+least, g.most+slices.Max(constants))
	var costs []int64
	for _, c := range constants {
		cost := int64(0)
		for k, loss := range each[2*(c-least):][:len(g.rows)] {
			cost += g.rows[k] * loss
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
