package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// WeightedNaiveBayes learns a scorecard (a card): it uses a part of ε for the noisy counts of naive
// Bayes, and the rest for one sample of the exponential mechanism. The sample selects a weight for
// each attribute, by which the log-odds of its categories are multiplied, and a constant.
//
// The candidates for the weights are a fixed public list of vectors, which are spread evenly around
// equal weights. The cost of a card is a sum over the rows. A row adds ½ if it is misclassified,
// plus half the squared error of the predicted risk. Because of the second term, the cost also
// depends on how the card ranks people.
//
// Guarantee: pure ε-DP, where ε is the sum of both parts. The cards are a function of the noisy
// counts, and a row changes the cost of each card by at most one
// (docs/explanation/proofs/weighted.md). The work is a function of public numbers and the number of
// distinct records.
type WeightedNaiveBayes struct {
	counts    *NaiveBayes
	ordered   []bool
	guarantee privacy.Pure
	lambda    *big.Rat
	scale     int
	vectors   int
}

const (
	// LeastWeightedScale and MostWeightedScale bound the number of points for one unit of log-odds.
	LeastWeightedScale, MostWeightedScale = 2, 20
	// MostWeightVectors is the maximum number of vectors of weights.
	MostWeightVectors = 1 << 12

	weightedWork  = 2_000_000_000 // maximum number of additions
	weightedLoss  = 1000          // cost of a misclassification with risk 0 or 1
	weightedBatch = 1 << 14       // maximum number of records that are decoded at a time

	weightSpread = .6 // standard deviation of the logarithm of a weight, relative to the common factor of its vector
	commonSpread = .4 // standard deviation of the logarithm of a common factor
	mostWeight   = 2
)

// weightedConstants are the candidates for the constant of a card, relative to the log-odds of
// label 1 in the table.
var weightedConstants = constants(7, .25)

// WeightVectors returns the default number of candidate weight vectors for a table with about the
// given number of rows: the greatest number in 1..MostWeightVectors for which a release takes a few
// seconds, or 1 if there is none.
func WeightVectors(attributes int, rows int64, scale int) int {
	return int(min(max(weightedWork/weightedEach(attributes, rows, scale), 1), MostWeightVectors))
}

// weightedEach returns the number of additions that computing the costs of the cards with one
// vector of weights takes. Each record takes one addition for each attribute. Each batch of records
// takes one addition for each pair of a constant and a total of points.
func weightedEach(attributes int, records int64, scale int) int64 {
	totals := 2 * 2 * mostWeight * mostOdds * int64(scale) * int64(attributes)
	batches := (records + weightedBatch - 1) / weightedBatch
	return 1 + int64(attributes)*records + batches*int64(len(weightedConstants))*totals
}

// WeightsBeatNaiveBayes reports whether a weighted card is expected to misclassify fewer records than naive Bayes,
// given the number of rows. The rule is based on measurements and does not affect any guarantee.
func WeightsBeatNaiveBayes(attributes int, rows int64, epsilon privacy.Decimal, r privacy.Relation) bool {
	return EnoughRows(rows, epsilon.Rat(), r, 500*int64(attributes))
}

// EnoughRows reports whether rows times epsilon is at least the parameter least, or half of it
// under add-remove. The comparison is exact.
func EnoughRows(rows int64, epsilon *big.Rat, r privacy.Relation, least int64) bool {
	product := new(big.Rat).SetInt64(rows)
	product.Mul(product, epsilon)
	if !r.Replaces() {
		product.Add(product, product)
	}
	return product.Cmp(new(big.Rat).SetInt64(least)) >= 0
}

// NewWeightedNaiveBayes returns the learner of weighted cards. The parameter sizes lists the number
// of categories of each attribute, and the parameter ordered reports for each attribute whether its
// categories have an order. The parameter counts is the part of epsilon for the noisy counts. It
// must be positive and less than epsilon. The scale is the number of points for one unit of
// log-odds, from LeastWeightedScale to MostWeightedScale. The parameter vectors is the number of
// candidate weight vectors, from 1 to MostWeightVectors. Usually it is the result of WeightVectors.
func NewWeightedNaiveBayes(sizes []int, ordered []bool, epsilon, counts privacy.Decimal, r privacy.Relation, scale, vectors int) (*WeightedNaiveBayes, error) {
	switch {
	case scale < LeastWeightedScale || scale > MostWeightedScale:
		return nil, fmt.Errorf("learn: the scale, in points for each unit of log-odds, is %d, but must be %d to %d", scale, LeastWeightedScale, MostWeightedScale)
	case vectors < 1 || vectors > MostWeightVectors:
		return nil, fmt.Errorf("learn: the number of weight vectors is %d; it must be 1 to %d", vectors, MostWeightVectors)
	case counts.Cmp(epsilon) >= 0:
		return nil, fmt.Errorf("learn: the counts consume an ε of %s, which must be less than the total of %s", counts, epsilon)
	case len(ordered) != len(sizes):
		return nil, fmt.Errorf("learn: there are %d attributes, but %d numbers of ordered categories; give one number for each attribute", len(sizes), len(ordered))
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
	return &WeightedNaiveBayes{bayes, ordered, g, lambda, scale, vectors}, nil
}

// Guarantee returns the privacy guarantee, which holds for every release.
func (m *WeightedNaiveBayes) Guarantee() privacy.Guarantee { return m.guarantee }

// CountRate returns 1/b, where b is the scale of the Laplace noise on the counts. It is a public
// parameter.
func (m *WeightedNaiveBayes) CountRate() *big.Rat { return m.counts.Rate() }

// Rate returns the rate λ of the sample of a card, for costs in thousandths of a misclassification
// of a row or person. It is a public parameter.
func (m *WeightedNaiveBayes) Rate() *big.Rat { return new(big.Rat).Set(m.lambda) }

// perUnit returns the rate λ for costs that are weighted by Example.Count.
func (m *WeightedNaiveBayes) perUnit() *big.Rat { return perUnit(m.lambda, m.guarantee.Relation()) }

// Cards returns the number of candidate scorecards. The exponential mechanism samples one of them.
func (m *WeightedNaiveBayes) Cards() int { return len(weightedConstants) * m.vectors }

// Work estimates the maximum number of additions of a release for the given number of distinct records.
func (m *WeightedNaiveBayes) Work(records int64) int64 {
	return int64(m.vectors) * weightedEach(len(m.counts.marginals.sizes), records, m.scale)
}

// Bytes estimates the maximum memory of a release, in bytes, for the given number of distinct
// records. The main parts are the costs of the cards and one batch of records.
func (m *WeightedNaiveBayes) Bytes(records int64) int64 {
	const cost, count, label, category = 8, 8, 8, 4
	record := count + label + category*int64(len(m.counts.marginals.sizes))
	return cost*int64(m.Cards()) + record*min(records, weightedBatch)
}

// CountWidth returns a bound on the noise of all counts (see AnswerWidth), in rows or persons.
func (m *WeightedNaiveBayes) CountWidth() float64 { return m.counts.CountWidth() }

// Release adds noise to the counts and samples a card. Each record of d has one code for each attribute. Release
// fails with the context's error, or with ErrRows before it uses any randomness.
func (m *WeightedNaiveBayes) Release(ctx context.Context, d Records[[]uint16], coins noise.Coins) (Points, error) {
	if err := countable(d); err != nil {
		return Points{}, err
	}
	cards := m.cards(d, coins)
	costs, err := cards.costs(ctx, d)
	if err != nil {
		return Points{}, err
	}
	return cards.card(noise.Gibbs(coins, costs, m.perUnit())), nil
}

// cards adds noise to the counts of d, and returns the cards that are computed from the noisy
// counts.
func (m *WeightedNaiveBayes) cards(d Records[[]uint16], coins noise.Coins) *weightedCards {
	of := m.counts.encoding(m.counts.marginals.tally(d), m.ordered, coins)
	return newWeightedCards(of, m.counts.factor(), m.scale, m.vectors)
}

// weightedCards are the candidate scorecards, from which the exponential mechanism samples. They
// are a function of noisy counts. They are sorted by vector of weights, and then by constant.
type weightedCards struct {
	*encoding
	ranks   []int // by attribute: its position in decreasing order of the mean squared log-odds
	factor  float64
	scale   int
	vectors int
}

func newWeightedCards(of *encoding, factor float64, scale, vectors int) *weightedCards {
	c := &weightedCards{encoding: of, ranks: make([]int, len(of.odds)), factor: factor, scale: scale, vectors: vectors}
	var squares []float64
	for j, odds := range of.odds {
		squares = append(squares, meanSquare(odds, of.rows[j]))
	}
	order := indices(len(squares))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(squares[b], squares[a]) })
	for rank, j := range order {
		c.ranks[j] = rank
	}
	return c
}

// primes returns the first n prime numbers.
func primes(n int) []int64 {
	var list []int64
	for p := int64(2); len(list) < n; p++ {
		if big.NewInt(p).ProbablyPrime(0) { // exact for numbers below 2^64
			list = append(list, p)
		}
	}
	return list
}

// weights returns the vector of weights with the given index, with one weight for each attribute;
// the attribute of rank r has weights[r]. A weight is the product of c.factor, a factor common to
// all weights of the vector, and a factor of its own, but at most mostWeight. All weights of vector
// 0 are c.factor. The parameter primes holds the first prime numbers: one for the common factor,
// then one for each attribute.
func (c *weightedCards) weights(vector int, primes []int64) []float64 {
	weights := make([]float64, len(primes)-1)
	common := c.factor * math.Exp(commonSpread*normal(vector, primes[0]))
	for r := range weights {
		weights[r] = min(common*math.Exp(weightSpread*normal(vector, primes[1+r])), mostWeight)
	}
	return weights
}

// normal returns element i of a deterministic sequence that is spread evenly according to the
// normal distribution: the normal quantile of the fractional part of ½ + i·√prime (a coordinate of
// a Kronecker sequence).
func normal(i int, prime int64) float64 {
	_, u := math.Modf(.5 + float64(i)*math.Sqrt(float64(prime)))
	return math.Sqrt2 * math.Erfinv(2*u-1)
}

// points returns the points of each group of categories of each attribute, for the cards with the
// given vector of weights.
func (c *weightedCards) points(vector int, primes []int64) [][]int {
	weights := c.weights(vector, primes)
	points := make([][]int, len(c.odds))
	for j, odds := range c.odds {
		for _, l := range odds {
			points[j] = append(points[j], int(math.Round(float64(c.scale)*weights[c.ranks[j]]*l)))
		}
	}
	return points
}

// constant returns the constant of the card with the given index, in points.
func (c *weightedCards) constant(index int) int {
	return int(math.Round(float64(c.scale) * (c.prior + weightedConstants[index])))
}

// card returns the card with the given index.
func (c *weightedCards) card(index int) Points {
	n := len(weightedConstants)
	points := c.points(index/n, primes(1+len(c.odds)))
	return Points{Prior: c.constant(index % n), Points: expand(c.groups, points)}
}

// costs returns the cost of each candidate card, summed over the records d.
func (c *weightedCards) costs(ctx context.Context, d Records[[]uint16]) ([]int64, error) {
	primes, most := primes(1+len(c.odds)), c.most()
	losses := cardLosses(c.scale, -most, most)
	costs := make([]int64, c.vectors*len(weightedConstants))
	for from := 0; from < d.Len(); from += weightedBatch {
		batch := c.batch(d, from, min(from+weightedBatch, d.Len()))
		for v := range c.vectors {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			least, rows := batch.totals(c.points(v, primes))
			for k := range weightedConstants {
				sum := int64(0)
				at := losses[2*(least+c.constant(k)+most):]
				for i, n := range rows {
					sum += n * at[i]
				}
				costs[v*len(weightedConstants)+k] += sum
			}
		}
	}
	return costs, ctx.Err()
}

// most returns an upper bound on the absolute total that any candidate card gives to any record.
func (c *weightedCards) most() int {
	most := max(-c.constant(0), c.constant(len(weightedConstants)-1))
	for _, odds := range c.odds {
		most += 1 + int(float64(c.scale)*mostWeight*max(slices.Max(odds), -slices.Min(odds)))
	}
	return most
}

// cardLosses returns a table of the cost of one row, for cards with the given scale. A cost is an
// integer from 0 to weightedLoss. For each total points in least..most, the table has two costs:
// first for label 0, then for label 1.
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

// A weightedRecords is a batch of records whose costs under all cards are computed together.
type weightedRecords struct {
	labels []int32
	counts []int64
	groups []int32 // record by record: the group of each attribute's category, numbered consecutively over all attributes
	first  []int32 // by attribute: the number of its first group
}

// batch returns the records of d with the numbers from..to-1.
func (c *weightedCards) batch(d Records[[]uint16], from, to int) *weightedRecords {
	b := &weightedRecords{}
	all := int32(0)
	for _, odds := range c.odds {
		b.first, all = append(b.first, all), all+int32(len(odds))
	}
	room := make([]uint16, len(c.odds))
	for i := from; i < to; i++ {
		b.labels, b.counts = append(b.labels, int32(d.Outcome(i))), append(b.counts, d.Count(i))
		for j, category := range d.Record(i, room) {
			b.groups = append(b.groups, b.first[j]+int32(c.groups[j][category]))
		}
	}
	return b
}

// totals counts the rows of the batch by total points and label, for cards with the given points.
// For each total from least upwards, the result has two numbers: first for label 0, then for label
// 1.
func (b *weightedRecords) totals(points [][]int) (least int, rows []int64) {
	least, most := span(points)
	rows = make([]int64, 2*(most-least+1))
	var steps []int32 // by group: the distance in rows by which a record of this group is moved
	for _, p := range points {
		lowest := slices.Min(p)
		for _, n := range p {
			steps = append(steps, 2*int32(n-lowest))
		}
	}
	groups := b.groups
	for i, place := range b.labels {
		for _, g := range groups[:len(points)] {
			place += steps[g]
		}
		groups = groups[len(points):]
		rows[place] += b.counts[i]
	}
	return least, rows
}
