package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// WeightedNaiveBayes spends a part of ε on the counts of naive Bayes and the rest on one draw by
// the exponential mechanism, which chooses a weight for each attribute (0, ½ or 1) and a
// constant. The cost of a card is, for each row, half a misclassification and half the squared
// error of the risk that its total stands for, so that the ranking of people counts too.
//
// Guarantee: pure ε-DP, the sum of both parts, since the cards drawn from are a function of
// the noisy counts, and a row moves the cost of each by at most one (docs/explanation/proofs/weighted.md).
// The work is a function of public numbers and of the number of distinct records.
type WeightedNaiveBayes struct {
	counts    *NaiveBayes
	guarantee privacy.Pure
	lambda    *big.Rat
	scale     int
	groups    int
}

const (
	// LeastWeightedScale and MostWeightedScale bound the points that stand for odds of e.
	LeastWeightedScale, MostWeightedScale = 2, 20
	// MostWeightedGroups is the greatest number of groups of attributes.
	MostWeightedGroups = 10

	weightedWork = 3_000_000_000 // additions
	weightedLoss = 1000          // steps of cost for an error of a risk of 1
	weightedOdds = 3             // the greatest log-odds that a category has

	weightedBatches   = 16 // times as many records are taken at a time as totals take additions
	weightedConstants = 9  // from 2 below the log-odds of the label to 2 above, by ½
)

// WeightedGroups returns how many groups of so many attributes are drawn for over about so
// many rows: as many as keep the work to some seconds, and at most MostWeightedGroups. Each
// choice of what groups count takes an addition for each row, and some for each total.
func WeightedGroups(attributes int, rows int64, scale int) int {
	each := weightedEach(attributes, rows, scale)
	groups := 1
	for groups < min(attributes, MostWeightedGroups) && int64(choices(groups+1)) <= weightedWork/each {
		groups++
	}
	return groups
}

// weightedEach is how many additions a choice of what groups count takes over so many rows.
func weightedEach(attributes int, rows int64, scale int) int64 {
	return rows + weightedTotals(attributes, scale)
}

// weightedTotals is how many of them are for totals, whatever the rows, at most.
func weightedTotals(attributes, scale int) int64 {
	return 40 * weightedOdds * int64(scale) * int64(attributes)
}

// WeightedPays tells whether a weighted card is expected to err less than naive Bayes on so
// many rows. It rests on measurements, and has no part in any release.
func WeightedPays(attributes int, rows int64, epsilon privacy.Decimal, r privacy.Relation) bool {
	e, _ := epsilon.Rat().Float64()
	if !r.Replaces() {
		e *= 2
	}
	return e*float64(rows) >= 500*float64(attributes)
}

// NewWeightedNaiveBayes returns the learner over attributes with the given numbers of categories.
// It spends counts, which is positive and less than ε, on the counts. Scale is the number of points
// that stand for odds of e, from LeastWeightedScale to MostWeightedScale. Groups is what
// WeightedGroups returns, or another number from 1 to the lesser of MostWeightedGroups and the
// number of attributes.
func NewWeightedNaiveBayes(sizes []int, epsilon, counts privacy.Decimal, r privacy.Relation, scale, groups int) (*WeightedNaiveBayes, error) {
	switch {
	case scale < LeastWeightedScale || scale > MostWeightedScale:
		return nil, fmt.Errorf("learn: %d points for odds of e, outside %d..%d", scale, LeastWeightedScale, MostWeightedScale)
	case groups < 1 || groups > min(MostWeightedGroups, len(sizes)):
		return nil, fmt.Errorf("learn: %d groups of %d attributes, outside 1..%d", groups, len(sizes), min(MostWeightedGroups, len(sizes)))
	case counts.Cmp(epsilon) >= 0:
		return nil, fmt.Errorf("learn: the counts take an ε of %s, which leaves nothing of %s", counts, epsilon)
	}
	if err := OfRows(r, "a weighted card"); err != nil {
		return nil, err
	}
	g, err := privacy.NewPure(r, epsilon)
	if err != nil {
		return nil, err
	}
	budget, err := privacy.NewPure(r, counts)
	if err != nil {
		return nil, err
	}
	bayes, err := NewNaiveBayes(sizes, budget, 1)
	if err != nil {
		return nil, err
	}
	most := int64(weightedLoss) // that a row moves a difference of costs
	if r.Replaces() {
		most *= 2
	}
	lambda := new(big.Rat).Sub(epsilon.Rat(), counts.Rat())
	lambda.Quo(lambda, big.NewRat(most, 1))
	return &WeightedNaiveBayes{bayes, g, lambda, scale, groups}, nil
}

// Guarantee returns the guarantee, which holds for every release.
func (m *WeightedNaiveBayes) Guarantee() privacy.Guarantee { return m.guarantee }

// CountRate returns what the absolute value of the counts' noise is multiplied by in its law, a
// public parameter.
func (m *WeightedNaiveBayes) CountRate() *big.Rat { return m.counts.Rate() }

// Rate returns λ of the draw, for a thousandth of an error: a public parameter.
func (m *WeightedNaiveBayes) Rate() *big.Rat { return new(big.Rat).Set(m.lambda) }

// Cards returns how many cards are drawn from.
func (m *WeightedNaiveBayes) Cards() int { return weightedConstants * choices(m.groups) }

// Work is about how many additions a release takes over so many distinct records, at most.
func (m *WeightedNaiveBayes) Work(records int64) int64 {
	return int64(choices(m.groups)) * weightedEach(len(m.counts.marginals.sizes), records, m.scale)
}

// Bytes is about how much memory a release takes over so many distinct records, at most: costs
// of cards, records as cards tell them apart, and some of these in a batch.
func (m *WeightedNaiveBayes) Bytes(records int64) int64 {
	const costs, alike, label, group = 8, 20, 12, 8
	batch := min(records, weightedBatches*weightedTotals(len(m.counts.marginals.sizes), m.scale))
	return costs*int64(m.Cards()) + alike*records + (label+group*int64(m.groups))*batch
}

// CountWidth is the AnswerWidth of the counts.
func (m *WeightedNaiveBayes) CountWidth() (float64, error) {
	return AnswerWidth(m.counts.budget, m.counts.marginals.cells, len(m.counts.marginals.sizes))
}

// Release counts and draws. It fails with the context's error, or with ErrRows before any
// draw. Records have one code for each attribute.
func (m *WeightedNaiveBayes) Release(ctx context.Context, d Records[[]uint16], coins noise.Coins) (Points, error) {
	if err := countable(d); err != nil {
		return Points{}, err
	}
	cards := m.cards(m.counts.evidence(m.counts.marginals.tally(d), coins))
	costs, err := cards.costs(ctx, d)
	if err != nil {
		return Points{}, err
	}
	return cards.card(noise.Gibbs(coins, costs, m.lambda)), nil
}

// multiples are the cards to draw from, a function of noisy counts.
type multiples struct {
	halves    [][]int // of each category of each attribute, half of its points
	group     []int   // of each attribute
	groups    int
	constants []int
	scale     int
	batch     int // records whose costs are found at a time
}

// cards returns the cards. The attributes that tell most have groups of their own, and all
// others share one.
func (m *WeightedNaiveBayes) cards(of evidence) *multiples {
	c := &multiples{group: make([]int, len(of.categories)), groups: m.groups, scale: m.scale}
	c.batch = int(weightedBatches * weightedTotals(len(c.group), c.scale))
	tells := make([]float64, len(of.categories))
	var order []int
	for j, odds := range of.categories {
		halves := make([]int, len(odds))
		square, rows := 0.0, 1.0
		for k, v := range odds {
			halves[k] = int(math.Round(float64(m.scale) * min(max(v, -weightedOdds), weightedOdds) / 2))
			square += of.rows[j][k] * float64(halves[k]*halves[k])
			rows += of.rows[j][k]
		}
		c.halves, tells[j], order = append(c.halves, halves), square/rows, append(order, j)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tells[b], tells[a]) })
	for i, j := range order {
		c.group[j] = min(i, c.groups-1)
	}
	for i := range weightedConstants {
		odds := of.prior + float64(i-weightedConstants/2)/2
		c.constants = append(c.constants, int(math.Round(float64(m.scale)*odds)))
	}
	return c
}

// choices returns how many ways there are to choose what so many groups count.
func choices(groups int) int {
	n := 1
	for range groups {
		n *= 3
	}
	return n
}

// card returns the card of that index: the constants change fastest, and then group by group
// what it counts.
func (c *multiples) card(index int) Points {
	p := Points{Prior: c.constants[index%len(c.constants)]}
	counts := make([]int, c.groups) // in halves
	for g, v := 0, index/len(c.constants); g < c.groups; g, v = g+1, v/3 {
		counts[g] = v % 3
	}
	for j, halves := range c.halves {
		points := make([]int, len(halves))
		for k, h := range halves {
			points[k] = counts[c.group[j]] * h
		}
		p.Points = append(p.Points, points)
	}
	return p
}

// costs returns the cost of every card over the records. It takes distinct ones so many at a
// time that the additions for totals are few beside those for records.
func (c *multiples) costs(ctx context.Context, d Records[[]uint16]) ([]int64, error) {
	least, most := c.span()
	var tables [][]int64 // of each constant, the cost of a row by its place
	for _, constant := range c.constants {
		tables = append(tables, c.losses(least+constant, most+constant))
	}
	alike, leastHalves, err := c.collapse(d)
	if err != nil {
		return nil, err
	}
	some := newWeightedBatch(c.groups, min(c.batch, alike.Len()))
	rows := make([]int64, 2*(most-least+1))
	costs := make([]int64, choices(c.groups)*len(c.constants))
	var choose func(g, choice, weight int, places []int32)
	choose = func(g, choice, weight int, places []int32) {
		if g < c.groups {
			for count := range 3 {
				to := some.own[g][:len(places)]
				for i, p := range some.parts[g][:len(places)] {
					to[i] = places[i] + int32(count)*p
				}
				choose(g+1, choice+count*weight, 3*weight, to)
			}
			return
		}
		if ctx.Err() != nil {
			return
		}
		clear(rows)
		for i, place := range places {
			rows[place] += some.counts[i]
		}
		for k, table := range tables {
			sum := int64(0)
			for place, n := range rows {
				sum += n * table[place]
			}
			costs[choice*len(tables)+k] += sum
		}
	}
	for from := 0; from < alike.Len(); from += len(some.places) {
		choose(0, 0, 1, some.read(alike, from, leastHalves, least))
	}
	return costs, ctx.Err()
}

// span returns the least and the greatest total that points may come to without the constant.
func (c *multiples) span() (least, most int) {
	for _, halves := range c.halves {
		least += min(2*slices.Min(halves), 0)
		most += max(2*slices.Max(halves), 0)
	}
	return least, most
}

// losses returns the cost of a row of either label for each total in least..most, those of
// label 0 at even places: 0 to weightedLoss.
func (c *multiples) losses(least, most int) []int64 {
	var table []int64
	for total := least; total <= most; total++ {
		risk := 1 / (1 + math.Exp(-(float64(total)-0.5)/float64(c.scale)))
		for label := range 2 {
			off := risk - float64(label)
			cost := off * off / 2
			if (total > 0) != (label == 1) {
				cost += 0.5
			}
			table = append(table, min(max(int64(math.Round(weightedLoss*cost)), 0), weightedLoss))
		}
	}
	return table
}

// collapse returns the distinct records, as far as cards tell them apart: for each group half
// the points of its attributes, above the least that they come to, in two codes of 16 bits.
func (c *multiples) collapse(d Records[[]uint16]) (alike *table.Table, least []int, err error) {
	least, most := c.halfSpans()
	var sizes []int
	for g := range least {
		span := most[g] - least[g]
		sizes = append(sizes, min(span, math.MaxUint16)+1, span>>16+1)
	}
	b := table.NewBuilderOf(sizes, 2)
	room, codes, halves := make([]uint16, len(c.group)), make([]uint16, 0, len(sizes)), make([]int, c.groups)
	for i := range d.Len() {
		clear(halves)
		for j, code := range d.Record(i, room) {
			halves[c.group[j]] += c.halves[j][code]
		}
		codes = codes[:0]
		for g, h := range halves {
			codes = append(codes, uint16(h-least[g]), uint16((h-least[g])>>16))
		}
		if err := b.AddOutcome(codes, d.Outcome(i), d.Count(i)); err != nil {
			return nil, nil, err
		}
	}
	return b.Table(), least, nil
}

// halfSpans returns for each group the least and the greatest that half the points of its
// attributes come to.
func (c *multiples) halfSpans() (least, most []int) {
	least, most = make([]int, c.groups), make([]int, c.groups)
	for j, halves := range c.halves {
		least[c.group[j]] += slices.Min(halves)
		most[c.group[j]] += slices.Max(halves)
	}
	return least, most
}

// A weightedBatch is some of the distinct records.
type weightedBatch struct {
	parts, own [][]int32 // of each group: twice half its points, and places that count it
	counts     []int64
	places     []int32 // of the labels at a total of 0
}

func newWeightedBatch(groups, records int) *weightedBatch {
	b := &weightedBatch{counts: make([]int64, records), places: make([]int32, records)}
	for range groups {
		b.parts, b.own = append(b.parts, make([]int32, records)), append(b.own, make([]int32, records))
	}
	return b
}

// read sets the batch to records from one on, whose codes are above the least of each group and whose
// totals are above least, and returns the places of their labels.
func (b *weightedBatch) read(alike *table.Table, from int, leastHalves []int, least int) []int32 {
	n, codes := min(len(b.places), alike.Len()-from), make([]uint16, 0, 2*len(leastHalves))
	for i := range n {
		codes = alike.Record(from+i, codes)
		for g, h := range leastHalves {
			b.parts[g][i] = 2 * int32(h+int(codes[2*g])+int(codes[2*g+1])<<16)
		}
		b.counts[i], b.places[i] = alike.Count(from+i), int32(alike.Outcome(from+i)-2*least)
	}
	return b.places[:n]
}
