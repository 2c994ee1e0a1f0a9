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

// WeightedNaiveBayes spends a part of ε on the counts of naive Bayes, and the rest on one sample of the
// exponential mechanism. The sample selects a card: a weight of 0, ½ or 1 for each group of attributes, and a
// constant.
//
// The cost of a card is a sum over the rows. A row adds ½ if it is misclassified, plus half the squared error
// of the risk that its total represents. Because of the second term, the cost depends on how the card ranks
// people too.
//
// Guarantee: pure ε-DP, where ε is the sum of both parts. The cards are a function of the noisy counts, and a
// row changes the cost of each card by at most one (docs/explanation/proofs/weighted.md). The work is a
// function of public numbers and the number of distinct records.
type WeightedNaiveBayes struct {
	counts    *NaiveBayes
	guarantee privacy.Pure
	lambda    *big.Rat
	scale     int
	groups    int
}

const (
	// LeastWeightedScale and MostWeightedScale bound the number of points for one unit of log-odds.
	LeastWeightedScale, MostWeightedScale = 2, 20
	// MostWeightedGroups is the maximum number of groups of attributes.
	MostWeightedGroups = 10

	weightedWork = 3_000_000_000 // maximum number of additions
	weightedLoss = 1000          // cost of a misclassification with risk 0 or 1
	weightedOdds = 3             // maximum absolute log-odds of a category

	weightedBatches   = 16 // number of records in a batch, divided by weightedTotals
	weightedConstants = 9  // number of constants: the log-odds of the label plus -2, -1½, …, 2
)

// WeightedGroups returns the default number of groups of attributes for about the given number of rows. It is
// the greatest number with which the work takes a few seconds, at most MostWeightedGroups and at most the number
// of attributes. Each combination of weights takes one addition for each row, and some for each possible total.
func WeightedGroups(attributes int, rows int64, scale int) int {
	each := weightedEach(attributes, rows, scale)
	groups := 1
	for groups < min(attributes, MostWeightedGroups) && int64(choices(groups+1)) <= weightedWork/each {
		groups++
	}
	return groups
}

// weightedEach returns the number of additions for one combination of weights.
func weightedEach(attributes int, rows int64, scale int) int64 {
	return rows + weightedTotals(attributes, scale)
}

// weightedTotals bounds the number of additions over possible totals for one combination of weights. It does not
// depend on the number of rows.
func weightedTotals(attributes, scale int) int64 {
	return 40 * weightedOdds * int64(scale) * int64(attributes)
}

// WeightedPays reports whether a weighted card is expected to make fewer errors than naive Bayes on the
// given number of rows. The rule is based on measurements and does not affect any guarantee.
func WeightedPays(attributes int, rows int64, epsilon privacy.Decimal, r privacy.Relation) bool {
	e, _ := epsilon.Rat().Float64()
	if !r.Replaces() {
		e *= 2
	}
	return e*float64(rows) >= 500*float64(attributes)
}

// NewWeightedNaiveBayes returns the learner over attributes with the given numbers of categories, sizes. counts
// is the part of epsilon for the noisy counts; it must be positive and less than epsilon. The scale is the number
// of points for one unit of log-odds, from LeastWeightedScale to MostWeightedScale. groups is usually the result
// of WeightedGroups. It may be any number from 1 to the lesser of MostWeightedGroups and the number of
// attributes.
func NewWeightedNaiveBayes(sizes []int, epsilon, counts privacy.Decimal, r privacy.Relation, scale, groups int) (*WeightedNaiveBayes, error) {
	switch {
	case scale < LeastWeightedScale || scale > MostWeightedScale:
		return nil, fmt.Errorf("learn: a scale of %d points for each unit of log-odds is outside %d..%d", scale, LeastWeightedScale, MostWeightedScale)
	case groups < 1 || groups > min(MostWeightedGroups, len(sizes)):
		return nil, fmt.Errorf("learn: the number of groups is %d; with %d attributes it must be 1 to %d", groups, len(sizes), min(MostWeightedGroups, len(sizes)))
	case counts.Cmp(epsilon) >= 0:
		return nil, fmt.Errorf("learn: the counts spend an ε of %s, which must be less than the total of %s", counts, epsilon)
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
	most := int64(weightedLoss) // maximum change of a difference of costs by one row
	if r.Replaces() {
		most *= 2
	}
	lambda := new(big.Rat).Sub(epsilon.Rat(), counts.Rat())
	lambda.Quo(lambda, big.NewRat(most, 1))
	return &WeightedNaiveBayes{bayes, g, lambda, scale, groups}, nil
}

// Guarantee returns the guarantee, which holds for every release.
func (m *WeightedNaiveBayes) Guarantee() privacy.Guarantee { return m.guarantee }

// CountRate returns 1/b, a public parameter, for noise of scale b on the counts.
func (m *WeightedNaiveBayes) CountRate() *big.Rat { return m.counts.Rate() }

// Rate returns λ of the sample, for a cost of one thousandth of a misclassification. It is a public parameter.
func (m *WeightedNaiveBayes) Rate() *big.Rat { return new(big.Rat).Set(m.lambda) }

// Cards returns the number of cards from which the sample selects.
func (m *WeightedNaiveBayes) Cards() int { return weightedConstants * choices(m.groups) }

// Work estimates the maximum number of additions of a release for the given number of distinct records.
func (m *WeightedNaiveBayes) Work(records int64) int64 {
	return int64(choices(m.groups)) * weightedEach(len(m.counts.marginals.sizes), records, m.scale)
}

// Bytes estimates the maximum memory of a release, in bytes, for the given number of distinct records. It
// includes the costs of the cards, the merged records, and one batch of merged records.
func (m *WeightedNaiveBayes) Bytes(records int64) int64 {
	const costs, alike, label, group = 8, 20, 12, 8
	batch := min(records, weightedBatches*weightedTotals(len(m.counts.marginals.sizes), m.scale))
	return costs*int64(m.Cards()) + alike*records + (label+group*int64(m.groups))*batch
}

// CountWidth returns AnswerWidth for the noisy counts, which consume a part of ε.
func (m *WeightedNaiveBayes) CountWidth() (float64, error) {
	return AnswerWidth(m.counts.budget, m.counts.marginals.cells, len(m.counts.marginals.sizes))
}

// Release adds noise to the counts and samples a card. Each record of d has one code for each attribute. Release
// fails with the context's error, or with ErrRows before it uses any randomness.
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

// multiples are the cards from which the sample selects. They are a function of noisy counts. The points of a
// card are multiples, 0, 1 or 2 times, of halves.
type multiples struct {
	halves    [][]int // half of the points of each category, by attribute
	group     []int   // group of each attribute
	groups    int
	constants []int
	scale     int
	batch     int // number of records in a batch
}

// cards returns the cards that follow from the evidence. The attributes with the greatest mean squared points
// have groups of their own, and all others share the last group.
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

// choices returns the number of ways to choose a weight for each of the given number of groups.
func choices(groups int) int {
	n := 1
	for range groups {
		n *= 3
	}
	return n
}

// card returns the card with the given index. The index of the constant varies fastest, then the weight of
// the first group, and so on.
func (c *multiples) card(index int) Points {
	p := Points{Prior: c.constants[index%len(c.constants)]}
	counts := make([]int, c.groups) // weights, in halves
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

// costs returns the cost of each card over the records. It processes merged records in batches. A batch is so
// large that the additions over possible totals are few compared with the additions over records.
func (c *multiples) costs(ctx context.Context, d Records[[]uint16]) ([]int64, error) {
	least, most := c.span()
	var tables [][]int64 // for each constant, the cost of a row as a function of its place
	for _, constant := range c.constants {
		tables = append(tables, cardLosses(c.scale, least+constant, most+constant))
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

// span returns the minimum and the maximum total without the constant.
func (c *multiples) span() (least, most int) {
	for _, halves := range c.halves {
		least += min(2*slices.Min(halves), 0)
		most += max(2*slices.Max(halves), 0)
	}
	return least, most
}

// cardLosses returns the cost of a row, 0 to weightedLoss, for each total in least..most and each label, for
// cards with the given scale. Costs for label 0 are at even indices.
func cardLosses(scale, least, most int) []int64 {
	var table []int64
	for total := least; total <= most; total++ {
		risk := 1 / (1 + math.Exp(-(float64(total)-0.5)/float64(scale)))
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

// collapse merges records that have the same total on every card. A merged record has one number for each group:
// the sum of c.halves over the attributes of the group, less the minimum of this sum. The number is stored as two
// codes of 16 bits. least are the minima by group.
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

// halfSpans returns, for each group, the minimum and the maximum of the sum of c.halves over the attributes of
// the group.
func (c *multiples) halfSpans() (least, most []int) {
	least, most = make([]int, c.groups), make([]int, c.groups)
	for j, halves := range c.halves {
		least[c.group[j]] += slices.Min(halves)
		most[c.group[j]] += slices.Max(halves)
	}
	return least, most
}

// A weightedBatch is a batch of merged records. A place is an index of the array of numbers of rows by total and
// label: 2·(total - minimum total) + label, so one more half of weight for a group moves a record's place by twice
// the number of the group.
type weightedBatch struct {
	parts, own [][]int32 // by group and record: the change of the place for one half of weight; scratch space
	counts     []int64
	places     []int32 // the place of each record at a total of 0
}

func newWeightedBatch(groups, records int) *weightedBatch {
	b := &weightedBatch{counts: make([]int64, records), places: make([]int32, records)}
	for range groups {
		b.parts, b.own = append(b.parts, make([]int32, records)), append(b.own, make([]int32, records))
	}
	return b
}

// read fills the batch with merged records, starting with record number from. It returns the place of each record
// at a total of 0. leastHalves are the minima that collapse subtracted, and least is the minimum total.
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
