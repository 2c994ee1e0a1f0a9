package learn

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
)

// An encodedTable holds the encoded log-odds of the categories, rounded to integers. It is a
// function of noisy counts.
type encodedTable struct {
	*encoding
	units     [][]int // units of each group, by attribute
	euclidean bool    // whether norm is an ℓ2 norm
	norm      int64   // maximum ℓ1 or ℓ2 norm of a record in sums, in units; longer records are shortened
	constant  int64   // the value of the intercept's column in sums, in units
	scale     int
}

// round converts the encoding to integers. It also sets the maximum norm of a record, and the value
// of the intercept's column. The maximum is about the norm of a typical record: the mean ℓ1 norm
// over the rows for a pure ε budget, and the root mean square of the ℓ2 norm for a budget in zCDP
// or GDP.
func (m *Newton) round(e *encoding) *encodedTable {
	t := &encodedTable{encoding: e, euclidean: concentrated(m.budget), scale: m.scale}
	mean := 0.0 // mean over the rows of the norm, or of its square
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
	t.constant = min(max(int64(math.Round(float64(t.norm)/math.Sqrt(float64(len(e.odds))))), 1), mostConstant)
	return t
}

// A linear is a card before its points are rounded to integers. It predicts the log-odds of a
// record: constant, plus one term for each attribute j, which is weights[j] times the encoded
// log-odds of the record's category, plus factor times the correction of this category.
type linear struct {
	weights     []float64
	constant    float64     // the constant, in log-odds
	corrections [][]float64 // in log-odds, by attribute and group; nil for none
	factor      float64
}

// A family is a list of cards whose log-odds are linear functions of the same integer, the total.
// The total of a record is the sum of the points of its categories, which the family defines. So
// the numbers of rows by total and label determine the costs of all cards of the family.
type family struct {
	points [][]int64 // by attribute and group
	cards  []graded
}

// A graded card is a member of a family. Its log-odds are slope·total + constant (see family).
type graded struct {
	linear
	slope float64
}

// The variables define the cards from which Newton samples. Those that begin with start are for the
// sample before the Newton step (part 2 in the comment of Newton), and those that begin with step
// for the sample after it (part 5).
var (
	startWeights   = [...]float64{.05, .1, .15, .2, .25, .3, .35, .4, .5, .6, .7, .85, 1, 1.2}
	startConstants = constants(8, .25)
	stepShares     = [...]float64{0, .5, 1}
	stepFactors    = [...]float64{.2, .4, .6, .8, .9, 1, 1.1, 1.25, 1.5}
	stepConstants  = constants(4, .2)
)

// constants returns the multiples of the parameter by, from -n·by to n·by.
func constants(n int, by float64) []float64 {
	var list []float64
	for k := -n; k <= n; k++ {
		list = append(list, by*float64(k))
	}
	return list
}

// starts returns the cards with one common weight for all attributes. Part 2 of Newton samples one of them, from
// which the Newton step starts.
func (t *encodedTable) starts() family {
	f := family{points: t.points64(), cards: make([]graded, 0, len(startWeights)*len(startConstants))}
	for _, w := range startWeights {
		weights := slices.Repeat([]float64{w}, len(t.units))
		for _, c := range startConstants {
			f.cards = append(f.cards, graded{linear{weights: weights, constant: t.prior + c}, w / unitsPerOdds})
		}
	}
	return f
}

// along returns the cards between the card start and the end of the Newton step, start plus step.
// There is one family for each share of the step in stepShares, beginning with share 0. A family
// has one card for each pair of a factor in stepFactors, by which all weights are multiplied, and a
// constant in stepConstants. The points of the first family are those of the family that starts
// returns.
func (t *encodedTable) along(start, step linear) []family {
	var of []family
	for _, share := range stepShares {
		f, slope := family{points: t.points64()}, start.weights[0]/unitsPerOdds
		direction := slices.Clone(start.weights)
		if share > 0 {
			slope = 1. / stepUnits
			for j, units := range t.units {
				direction[j] = min(max(direction[j]+share*step.weights[j], -mostDirection), mostDirection)
				for k, u := range units {
					f.points[j][k] = int64(math.Round(stepUnits * direction[j] * float64(u) / unitsPerOdds))
				}
			}
		}
		for _, factor := range stepFactors {
			weights := make([]float64, len(direction))
			for j, w := range direction {
				weights[j] = factor * w
			}
			for _, c := range stepConstants {
				f.cards = append(f.cards, graded{linear{weights: weights, constant: start.constant + share*step.constant + c}, factor * slope})
			}
		}
		of = append(of, f)
	}
	return of
}

// corrected returns the cards at the end of the Newton step, with corrections of categories added.
// There is one family for each share in stepShares, by which the corrections are multiplied. Each
// family contains all cards of end, the last family that along returned. The factor of a card
// multiplies its corrections too.
func (t *encodedTable) corrected(end family, corrections [][]float64) []family {
	var of []family
	for _, share := range stepShares {
		f := family{}
		scaled := make([][]float64, len(corrections))
		for j, points := range end.points {
			f.points = append(f.points, slices.Clone(points))
			for k, l := range corrections[j] {
				f.points[j][k] += int64(math.Round(stepUnits * share * l))
				scaled[j] = append(scaled[j], share*l)
			}
		}
		for _, c := range end.cards {
			c.corrections, c.factor = scaled, c.slope*stepUnits
			f.cards = append(f.cards, c)
		}
		of = append(of, f)
	}
	return of
}

// card rounds l, a card with real weights, to a scorecard with integer points.
func (t *encodedTable) card(l linear) Points {
	p := Points{Prior: t.points(l.constant)}
	for j, units := range t.units {
		points := make([]int, len(units))
		for k, u := range units {
			odds := l.weights[j] * float64(u) / unitsPerOdds
			if l.corrections != nil {
				odds += l.factor * l.corrections[j][k]
			}
			points[k] = t.points(odds)
		}
		p.Points = append(p.Points, points)
	}
	p.Points = expand(t.groups, p.Points)
	return p
}

// points converts log-odds to an integer number of points, at the scale of the table t.
func (t *encodedTable) points(odds float64) int { return int(math.Round(float64(t.scale) * odds)) }

// sampled samples one of the given cards by the exponential mechanism with the rate lambda. The
// parameter costs holds their costs.
func sampled(of []graded, costs []int64, lambda *big.Rat, coins noise.Coins) linear {
	return of[noise.Gibbs(coins, costs, lambda)].linear
}

// A rowTotals maps each total of points to the numbers of rows with this total: first those with
// label 0, then those with label 1.
type rowTotals map[int64][]int64

// totals queries d for the number of rows with each total and label. The total of a row is the sum of the points
// that the family gives to the row's categories.
func (t *encodedTable) totals(ctx context.Context, d table.Counts, of family) (rowTotals, error) {
	return d.Totals(ctx, table.Card{Points: expand(t.groups, of.points)})
}

// costs returns the cost of each card of the family f, computed from the numbers of rows by total
// and label. It rounds only the sum of a record's points, while the released card has rounded
// points for each category. So its cost may differ slightly.
func (t *encodedTable) costs(f family, rows rowTotals) []int64 {
	at := func(c graded, total int64) int { return t.points(c.slope*float64(total) + c.constant) }
	lowest, highest := span(f.points)
	least, most := at(f.cards[0], lowest), at(f.cards[0], highest)
	for _, c := range f.cards {
		least, most = min(least, at(c, lowest)), max(most, at(c, highest))
	}
	each := cardLosses(t.scale, least, most)
	costs := make([]int64, len(f.cards))
	for total, of := range rows {
		for i, c := range f.cards {
			loss := each[2*(at(c, total)-least):]
			costs[i] += of[0]*loss[0] + of[1]*loss[1]
		}
	}
	return costs
}

// span returns the least and the greatest sum of one number from each list.
func span[N int | int64](points [][]N) (least, most N) {
	for _, p := range points {
		least, most = least+slices.Min(p), most+slices.Max(p)
	}
	return least, most
}
