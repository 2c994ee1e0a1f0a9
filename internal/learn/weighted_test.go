package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// oneByOne computes the cost of a card row by row: half a misclassification plus half the squared
// error of the risk, in thousandths.
func oneByOne(card Points, d Listed[[]uint16], scale int) (sum int64) {
	for _, e := range d {
		off := 1 / (1 + math.Exp((0.5-float64(card.Total(e.X)))/float64(scale)))
		if e.Label {
			off = 1 - off
		}
		cost := off * off / 2
		if card.Predict(e.X) != e.Label {
			cost += 0.5
		}
		sum += e.Count * int64(math.Round(1000*cost))
	}
	return sum
}

// randomCards returns cards over attributes of random sizes, from random log-odds, and random records over them.
func randomCards(r *rand.Rand, records int) (*weightedCards, Listed[[]uint16]) {
	e := &encoding{prior: r.NormFloat64()}
	for range 1 + r.IntN(4) {
		categories, groups := 1+r.IntN(5), 1+r.IntN(4)
		of, odds, rows := make([]int, categories), make([]float64, groups), make([]float64, groups)
		for k := range of {
			of[k] = r.IntN(groups)
		}
		for g := range odds {
			odds[g], rows[g] = r.NormFloat64(), 99*r.Float64()
		}
		e.groups, e.odds, e.rows = append(e.groups, of), append(e.odds, odds), append(e.rows, rows)
	}
	var d Listed[[]uint16]
	for range records {
		var x []uint16
		for _, of := range e.groups {
			x = append(x, uint16(r.IntN(len(of))))
		}
		d = append(d, Example[[]uint16]{x, r.IntN(2) == 1, r.Int64N(5)})
	}
	return newWeightedCards(e, .5+r.Float64()/2, 2+r.IntN(19), 1+r.IntN(4)), d
}

// The cost of every card equals the sum over its rows of half a misclassification and half the
// squared error of the risk, in thousandths. The number of records may exceed that of a batch.
func TestWeightedCosts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for round := range 20 {
		records := r.IntN(30)
		if round == 0 {
			records = 2*weightedBatch + 1
		}
		c, d := randomCards(r, records)
		if round == 0 {
			d[records-1].Count = 3 // the last batch has one record
		}
		if round == 1 || round == 2 { // the total is the constant
			c.prior, c.odds, c.scale = float64(15-10*round), [][]float64{{0}}, 20
			c.groups = [][]int{make([]int, 5)}
			c.ranks = []int{0}
			for i := range d {
				d[i].X = d[i].X[:1]
			}
		}
		costs, err := c.costs(context.Background(), d)
		if err != nil || len(costs) != c.vectors*len(weightedConstants) {
			t.Fatalf("%d costs, %v", len(costs), err)
		}
		for i, got := range costs {
			if want := oneByOne(c.card(i), d, c.scale); got != want {
				t.Fatalf("card %d, %+v: cost %d, not %d", i, c.card(i), got, want)
			}
		}
	}
	for _, cost := range cardLosses(3, -2000, 2000) {
		if cost < 0 || cost > 1000 {
			t.Fatalf("a row costs %d", cost)
		}
	}
}

// If the context ends, so do the costs.
func TestWeightedInterrupted(t *testing.T) {
	c, d := randomCards(rand.New(rand.NewPCG(1, 1)), 9)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, d := range []Listed[[]uint16]{d, nil} {
		if _, err := c.costs(ctx, d); err != context.Canceled {
			t.Errorf("%d records: %v", len(d), err)
		}
	}
}

// The points of a category are its log-odds, multiplied by the weight of its attribute and by the scale. All categories of
// a group have the same points.
func TestWeightedCards(t *testing.T) {
	e := &encoding{
		prior: -1, groups: [][]int{{0, 1}, {0, 1, 0}, {1, 0}},
		odds: [][]float64{{-.5, .5}, {-1, 2}, {0, .1}}, rows: [][]float64{{10, 10}, {20, 10}, {5, 5}},
	}
	c := newWeightedCards(e, .5, 10, 3)
	n := len(weightedConstants)
	for k, want := range []int{-28, -25, -23} { // -10·(1 + 1.75), -10·(1 + 1.5), -10·(1 + 1.25), rounded away from 0
		if got := c.card(k); got.Prior != want || !equalPoints(got.Points, [][]int{{-3, 3}, {-5, 10, -5}, {1, 0}}) {
			t.Errorf("constant %d: %+v", k, got)
		}
	}
	if got := c.card(n - 1).Prior; got != 8 {
		t.Errorf("the last constant is %d", got)
	}
	weights := c.weights(2, []int64{2, 3, 5, 7})
	want := [][]int{
		{int(math.Round(10 * weights[1] * -.5)), int(math.Round(10 * weights[1] * .5))},
		{int(math.Round(10 * weights[0] * -1)), int(math.Round(10 * weights[0] * 2)), int(math.Round(10 * weights[0] * -1))},
		{int(math.Round(10 * weights[2] * .1)), 0},
	}
	if got := c.card(2*n + 7); got.Prior != -10 || !equalPoints(got.Points, want) {
		t.Errorf("%+v, not the points %v", got, want)
	}
}

// Attributes are ranked by the mean square of their log-odds over the rows. Ties are in the order of the attributes.
func TestWeightedRanks(t *testing.T) {
	e := &encoding{}
	for _, a := range []struct{ odds, rows float64 }{{.5, 99}, {.9, 40}, {1, 10}, {.5, 99}, {2, 3}} {
		e.odds, e.rows = append(e.odds, []float64{0, a.odds}), append(e.rows, []float64{a.rows, a.rows})
	}
	if got := newWeightedCards(e, 1, 4, 1).ranks; !slices.Equal(got, []int{3, 2, 1, 4, 0}) {
		t.Errorf("ranks %v", got)
	}
}

// The first vector has equal weights. The logarithms of all weights are spread like normal numbers around them. Those of
// two attributes have only the common factor of their vector in common.
func TestWeightsSpread(t *testing.T) {
	const attributes, vectors = 40, 1 << 12
	c := &weightedCards{factor: .4}
	of := primes(1 + attributes)
	if len(of) != 1+attributes || of[0] != 2 || of[4] != 11 || of[attributes] != 179 {
		t.Fatalf("primes %v", of)
	}
	var logs [][]float64 // by vector, less the logarithm of the factor
	for v := range vectors {
		weights := c.weights(v, of)
		for r, w := range weights {
			if w < 0 || w > mostWeight || v == 0 && w != .4 {
				t.Fatalf("vector %d: weight %v", v, w)
			}
			weights[r] = math.Log(w / .4)
		}
		logs = append(logs, weights)
	}
	for r := range attributes {
		for s := range r + 1 {
			mean, product := 0.0, 0.0
			for _, l := range logs {
				mean += l[r] / vectors
				product += l[r] * l[s] / vectors
			}
			want := commonSpread * commonSpread
			if r == s {
				want += weightSpread * weightSpread
			}
			if math.Abs(mean) > .03 || math.Abs(product-want) > .05 {
				t.Errorf("attributes %d and %d: mean %v, product %v", r, s, mean, product)
			}
		}
	}
}

func equalPoints(a, b [][]int) bool {
	for j := range a {
		for k := range a[j] {
			if a[j][k] != b[j][k] {
				return false
			}
		}
	}
	return len(a) == len(b)
}

// The work is bounded by public numbers. Invalid parameters are refused.
func TestWeightedRefuses(t *testing.T) {
	half, one := privacytest.Decimal(t, "0.5"), privacytest.Decimal(t, "1")
	two, none := []int{2, 2}, []bool{false, false}
	for name, err := range map[string]error{
		"scale 1":          of(NewWeightedNaiveBayes(two, none, one, half, privacy.ReplaceOne, 1, 2)),
		"scale 21":         of(NewWeightedNaiveBayes(two, none, one, half, privacy.ReplaceOne, 21, 2)),
		"no vectors":       of(NewWeightedNaiveBayes(two, none, one, half, privacy.ReplaceOne, 4, 0)),
		"too many vectors": of(NewWeightedNaiveBayes(two, none, one, half, privacy.ReplaceOne, 4, 4097)),
		"all for counts":   of(NewWeightedNaiveBayes(two, none, one, one, privacy.ReplaceOne, 4, 2)),
		"none for counts":  of(NewWeightedNaiveBayes(two, none, one, privacy.Decimal{}, privacy.ReplaceOne, 4, 2)),
		"no categories":    of(NewWeightedNaiveBayes([]int{0}, none[:1], one, half, privacy.ReplaceOne, 4, 1)),
		"no attributes":    of(NewWeightedNaiveBayes(nil, nil, one, half, privacy.ReplaceOne, 4, 1)),
		"an order too few": of(NewWeightedNaiveBayes(two, none[:1], one, half, privacy.ReplaceOne, 4, 1)),
	} {
		if err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if !WeightsBeatNaiveBayes(7, 32561, one, privacy.ReplaceOne) || WeightsBeatNaiveBayes(12, 32561, privacytest.Decimal(t, "0.1"), privacy.ReplaceOne) || !WeightsBeatNaiveBayes(12, 32561, privacytest.Decimal(t, "0.1"), privacy.AddRemove) {
		t.Error("another number of rows than stated is needed")
	}
}

func of(_ *WeightedNaiveBayes, err error) error { return err }

// If one attribute of three determines the label of four rows in five, few of these are
// misclassified, whatever the other attributes. Empty and constant tables have a card too.
func TestWeightedLearns(t *testing.T) {
	sizes := []int{2, 3, 2}
	var d Listed[[]uint16]
	for x := range uint16(12) {
		r := []uint16{x % 2, x / 2 % 3, x / 6}
		d = append(d, Example[[]uint16]{r, r[0] == 1, 800}, Example[[]uint16]{r, r[0] == 0, 200})
	}
	for _, rel := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		m, err := NewWeightedNaiveBayes(sizes, make([]bool, 3), privacytest.Decimal(t, "2"), privacytest.Decimal(t, "1"), rel, 4, 100)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Release(context.Background(), d, noise.Crypto())
		if err != nil {
			t.Fatal(err)
		}
		wrong := int64(0)
		for _, e := range d {
			if p.Predict(e.X) != e.Label {
				wrong += e.Count
			}
		}
		if wrong > 2500 { // of at least 2400; a wrong pattern costs 600 more
			t.Errorf("%v: %d of 12000 wrong by %+v", rel, wrong, p)
		}
		for _, d := range []Listed[[]uint16]{nil, d[:1]} {
			if _, err := m.Release(context.Background(), d, noise.Crypto()); err != nil {
				t.Error(err)
			}
		}
	}
}

// The number of vectors is the greatest that keeps the additions within weightedWork, for any
// attributes, rows and scale.
func TestWeightVectorsFillTheWork(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	fills := 0
	for range 3000 {
		attributes, rows, scale := 1+r.IntN(40), int64(1)<<r.IntN(32)+r.Int64N(5), 2+r.IntN(19)
		batches := int64(math.Ceil(float64(rows) / weightedBatch))
		each := 1 + int64(attributes)*rows + 15*batches*32*int64(scale*attributes)
		got := int64(WeightVectors(attributes, rows, scale))
		if got < 1 || got > 4096 || got > 1 && got*each > weightedWork || got < 4096 && (got+1)*each <= weightedWork {
			t.Fatalf("%d attributes, %d rows, scale %d: %d vectors", attributes, rows, scale, got)
		}
		if got > 1 && got < 4096 {
			fills++
		}
	}
	if fills < 300 {
		t.Errorf("only %d of 3000 cases are within the limits", fills)
	}
}

// A learner's guarantee is ε, divided between the counts and the sample, at the limits of each
// parameter. Its stated work and memory are the sums of their parts.
func TestWeightedStates(t *testing.T) {
	for _, c := range []struct {
		relation       privacy.Relation
		attributes     int
		scale, vectors int
		rate           string
	}{{privacy.ReplaceOne, 3, 2, 1, "1/1000"}, {privacy.AddRemove, 3, 20, 3, "1/500"}, {privacy.AddRemove, 10, 20, 4096, "1/500"}, {privacy.ReplaceOne, 12, 19, 10, "1/1000"}} {
		sizes := slices.Repeat([]int{3}, c.attributes)
		m, err := NewWeightedNaiveBayes(sizes, make([]bool, c.attributes), privacytest.Decimal(t, "2.5"), privacytest.Decimal(t, "0.5"), c.relation, c.scale, c.vectors)
		if err != nil {
			t.Fatal(err)
		}
		if g := m.Guarantee().(privacy.Pure); g.Epsilon() != privacytest.Decimal(t, "2.5") || g.Relation() != c.relation {
			t.Errorf("it promises %v", g)
		}
		m.Rate().SetInt64(7)
		if got := m.Rate().RatString(); got != c.rate {
			t.Errorf("%v: rate %s, not %s", c.relation, got, c.rate)
		}
		budget, err := privacy.NewPure(c.relation, privacytest.Decimal(t, "0.5"))
		if err != nil {
			t.Fatal(err)
		}
		width := m.CountWidth()
		if want := AnswerWidth(AnswerNoise(budget, c.attributes, budget.Epsilon().Rat()), 6*c.attributes); width != want || width != math.Ceil(width) {
			t.Errorf("counts are within %v, not %v", width, want)
		}
		if m.Cards() != 15*c.vectors {
			t.Errorf("%d cards", m.Cards())
		}
		for _, records := range []int64{0, 1, weightedBatch - 1, weightedBatch, weightedBatch + 1, 1 << 30} {
			batches := (records + weightedBatch - 1) / weightedBatch
			if got, want := m.Work(records), int64(c.vectors)*(1+int64(c.attributes)*records+15*batches*32*int64(c.scale*c.attributes)); got != want {
				t.Errorf("%d records take %d additions, not %d", records, got, want)
			}
			if got, want := m.Bytes(records), 8*int64(m.Cards())+int64(16+4*c.attributes)*min(records, weightedBatch); got != want {
				t.Errorf("%d records take %d bytes, not %d", records, got, want)
			}
		}
	}
	if !WeightsBeatNaiveBayes(7, 3500, privacytest.Decimal(t, "1"), privacy.ReplaceOne) || WeightsBeatNaiveBayes(7, 3499, privacytest.Decimal(t, "1"), privacy.ReplaceOne) {
		t.Error("weights are not expected to be better from 500 rows an attribute on")
	}
	// In floating point, 4.64 · 3125 is less than 14500.
	if !WeightsBeatNaiveBayes(29, 3125, privacytest.Decimal(t, "4.64"), privacy.ReplaceOne) || !WeightsBeatNaiveBayes(29, 3125, privacytest.Decimal(t, "2.32"), privacy.AddRemove) {
		t.Error("the product of ε and the number of rows is rounded")
	}
}

// No total exceeds the bound for all totals. In this example the points of weights 2 are rounded up.
func TestWeightedMost(t *testing.T) {
	c := newWeightedCards(&encoding{odds: [][]float64{{-.4, .4}}, rows: [][]float64{{1, 1}}, groups: [][]int{{0, 1}}}, 1, 2, 50)
	greatest := 0
	for i := range len(weightedConstants) * c.vectors {
		for code := range uint16(2) {
			total := c.card(i).Total([]uint16{code})
			greatest = max(greatest, total, -total)
		}
	}
	if greatest > c.most() {
		t.Errorf("the greatest total is %d, and the bound is %d", greatest, c.most())
	}
}
