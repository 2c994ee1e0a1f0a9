package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

func known(t testing.TB, text string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

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

// The cost of every card equals the sum over its rows of half a misclassification and half the
// squared error of the risk, in thousandths. It is at most the rows times the greatest cost.
func TestWeightedCosts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 20 {
		sizes, c := make([]int, 1+r.IntN(4)), &multiples{scale: 2 + r.IntN(4), batch: 1 + r.IntN(9)}
		c.groups = 1 + r.IntN(len(sizes))
		for j := range sizes {
			sizes[j] = 1 + r.IntN(4)
			halves := make([]int, sizes[j])
			for k := range halves {
				halves[k] = r.IntN(9) - 4
			}
			c.halves, c.group = append(c.halves, halves), append(c.group, min(j, c.groups-1))
		}
		for range 1 + r.IntN(3) {
			c.constants = append(c.constants, r.IntN(41)-20)
		}
		var d Listed[[]uint16]
		for range r.IntN(30) {
			x := make([]uint16, len(sizes))
			for j, n := range sizes {
				x[j] = uint16(r.IntN(n))
			}
			d = append(d, Example[[]uint16]{x, r.IntN(2) == 1, r.Int64N(5)})
		}
		costs, err := c.costs(context.Background(), d)
		if err != nil || len(costs) != choices(c.groups)*len(c.constants) {
			t.Fatalf("%d costs, %v", len(costs), err)
		}
		counted := map[int]bool{}
		for i, got := range costs {
			card, want := c.card(i), oneByOne(c.card(i), d, c.scale)
			if got != want {
				t.Fatalf("card %d, %+v: cost %d, not %d", i, card, got, want)
			}
			for j, halves := range c.halves {
				for k, h := range halves {
					if h != 0 {
						counted[card.Points[j][k]/h] = true
					}
				}
			}
		}
		if len(counted) != 0 && (len(counted) != 3 || !counted[0] || !counted[1] || !counted[2]) {
			t.Fatalf("attributes count %v halves", counted)
		}
		for _, table := range [][]int64{cardLosses(c.scale, -2000, 2000)} {
			for _, cost := range table {
				if cost < 0 || cost > 1000 {
					t.Fatalf("a row costs %d", cost)
				}
			}
		}
	}
}

// Two attributes of one group have half points that add up to more than 16 bits. The card that uses
// them misclassifies no row, and each card's cost equals the sum over its rows.
func TestWeightedBeyond16Bits(t *testing.T) {
	c := &multiples{scale: 2, groups: 1, group: []int{0, 0}, constants: []int{0}, batch: 2, halves: [][]int{{-17_000, 17_000, 300}, {16_500, -16_500, 299}}}
	var d Listed[[]uint16]
	for x := range uint16(9) {
		total := c.halves[0][x%3] + c.halves[1][x/3]
		d = append(d, Example[[]uint16]{[]uint16{x % 3, x / 3}, total > 0, int64(1 + x)})
	}
	costs, err := c.costs(context.Background(), d)
	if err != nil || len(costs) != 3 {
		t.Fatalf("%d costs, %v", len(costs), err)
	}
	for i, got := range costs {
		card, want := c.card(i), oneByOne(c.card(i), d, c.scale)
		if got != want || i > 0 && got > 10 {
			t.Errorf("card %d, %+v: cost %d, not %d", i, card, got, want)
		}
	}
}

// The half points of a group may need more than 16 bits. Each card's cost equals the sum over its records.
func TestWeightedWide(t *testing.T) {
	for _, most := range []int{20, 50_000} {
		c := &multiples{scale: 2, groups: 2, group: []int{0, 1, 1}, constants: []int{-1, 2}, batch: 5000}
		for _, n := range []int{40, 40, 8} {
			halves := make([]int, n)
			for k := range halves {
				halves[k] = most * (2*k - n) / n
			}
			c.halves = append(c.halves, halves)
		}
		var d Listed[[]uint16]
		for i := range 6_400 {
			d = append(d, Example[[]uint16]{[]uint16{uint16(i % 40), uint16(i / 40 % 40), uint16(i / 800)}, i%3 == 0, int64(1 + i%2)})
		}
		costs, err := c.costs(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range costs {
			card, want := c.card(i), int64(0)
			var totals []int
			for _, e := range d {
				totals = append(totals, card.Total(e.X))
			}
			least, most := slices.Min(totals), slices.Max(totals)
			losses := cardLosses(c.scale, least, most)
			for i, e := range d {
				at := 2 * (totals[i] - least)
				if e.Label {
					at++
				}
				want += e.Count * losses[at]
			}
			if got != want {
				t.Fatalf("%d points: card %d costs %d, not %d", most, i, got, want)
			}
		}
	}
}

// The most informative attributes have groups of their own, and the others share one. The points of
// a category are even and correspond to log-odds within ±3.
func TestWeightedCards(t *testing.T) {
	sizes := []int{2, 2, 2, 2}
	m, err := NewWeightedNaiveBayes(sizes, known(t, "1"), known(t, "0.5"), privacy.ReplaceOne, 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	of := evidence{prior: -1}
	for _, odds := range [][]float64{{-0.5, 0.5}, {0, 0.1}, {9, -9}, {-1, 1}} {
		of.categories, of.rows = append(of.categories, odds), append(of.rows, []float64{10, 10})
	}
	c := m.cards(of)
	if got := c.group; got[2] != 0 || got[3] != 1 || got[0] != 2 || got[1] != 2 {
		t.Errorf("groups %v", got)
	}
	full := c.card(len(c.constants) * (choices(3) - 1))
	if got, want := full.Points, [][]int{{-2, 2}, {0, 0}, {12, -12}, {-4, 4}}; !equalPoints(got, want) {
		t.Errorf("points %v, not %v", got, want)
	}
	if got := c.constants; len(got) != 9 || got[0] != -12 || got[4] != -4 || got[8] != 4 || m.Cards() != 9*27 {
		t.Errorf("constants %v, %d cards", got, m.Cards())
	}
}

// Attributes get groups of their own in the order of their mean squared points per row.
// Ties are in the order of the attributes.
func TestWeightedGroupOrder(t *testing.T) {
	m, err := NewWeightedNaiveBayes(slices.Repeat([]int{2}, 5), known(t, "1"), known(t, "0.5"), privacy.ReplaceOne, 20, 5)
	if err != nil {
		t.Fatal(err)
	}
	var of evidence
	for _, a := range []struct{ odds, rows float64 }{{0.5, 99}, {0.9, 40}, {1, 10}, {0.5, 99}, {2, 3}} {
		of.categories, of.rows = append(of.categories, []float64{-a.odds, a.odds}), append(of.rows, []float64{a.rows, a.rows})
	}
	if got := m.cards(of).group; !slices.Equal(got, []int{3, 2, 1, 4, 0}) {
		t.Errorf("groups %v", got)
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
	for _, c := range []struct {
		attributes int
		rows       int64
		groups     int
	}{{1, 1 << 31, 1}, {3, 100, 3}, {7, 32561, 7}, {14, 32561, 10}, {100, 1000, 10}, {23, 1_000_000, 7}, {23, 1 << 31, 1}} {
		if got := WeightedGroups(c.attributes, c.rows, 4); got != c.groups {
			t.Errorf("%d attributes, %d rows: %d groups, not %d", c.attributes, c.rows, got, c.groups)
		}
	}
	half, one := known(t, "0.5"), known(t, "1")
	if m, err := NewWeightedNaiveBayes([]int{2, 3}, one, half, privacy.ReplaceOne, 4, 2); err != nil || m.Work(1000) != 9*(1000+2*480) {
		t.Errorf("the work is not what is stated, %v", err)
	}
	two := []int{2, 2}
	for name, err := range map[string]error{
		"scale 1":         of(NewWeightedNaiveBayes(two, one, half, privacy.ReplaceOne, 1, 2)),
		"scale 21":        of(NewWeightedNaiveBayes(two, one, half, privacy.ReplaceOne, 21, 2)),
		"no groups":       of(NewWeightedNaiveBayes(two, one, half, privacy.ReplaceOne, 4, 0)),
		"three groups":    of(NewWeightedNaiveBayes(two, one, half, privacy.ReplaceOne, 4, 3)),
		"eleven groups":   of(NewWeightedNaiveBayes(slices.Repeat(two, 10), one, half, privacy.ReplaceOne, 4, 11)),
		"all for counts":  of(NewWeightedNaiveBayes(two, one, one, privacy.ReplaceOne, 4, 2)),
		"none for counts": of(NewWeightedNaiveBayes(two, one, privacy.Decimal{}, privacy.ReplaceOne, 4, 2)),
		"no categories":   of(NewWeightedNaiveBayes([]int{0}, one, half, privacy.ReplaceOne, 4, 1)),
		"no attributes":   of(NewWeightedNaiveBayes(nil, one, half, privacy.ReplaceOne, 4, 0)),
	} {
		if err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if !WeightedPays(7, 32561, one, privacy.ReplaceOne) || WeightedPays(12, 32561, known(t, "0.1"), privacy.ReplaceOne) || !WeightedPays(12, 32561, known(t, "0.1"), privacy.AddRemove) {
		t.Error("where it pays is not what is stated")
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
		m, err := NewWeightedNaiveBayes(sizes, known(t, "2"), known(t, "1"), rel, 4, 3)
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

// The number of groups is the largest that keeps the additions within weightedWork, for any
// attributes, rows and scale.
func TestWeightedGroupsFillTheWork(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	tight := int64(weightedWork)/9 - 40*weightedOdds*2*20 // for 2 attributes at the scale 20, so that 9 choices just fit
	for i := range 3000 {
		attributes, rows, scale := 1+r.IntN(14), int64(1)<<r.IntN(32)+r.Int64N(5), 2+r.IntN(19)
		switch i {
		case 0:
			attributes, rows, scale = 2, tight, 20
		case 1:
			attributes, rows, scale = 2, tight+1, 20
		case 2:
			attributes, rows, scale = 14, 0, 2
		}
		work := func(groups int) int64 {
			return int64(math.Pow(3, float64(groups))) * (rows + 120*int64(scale)*int64(attributes))
		}
		got := WeightedGroups(attributes, rows, scale)
		if got < 1 || got > min(attributes, 10) || got > 1 && work(got) > weightedWork || got < min(attributes, 10) && work(got+1) <= weightedWork {
			t.Fatalf("%d attributes, %d rows, scale %d: %d groups", attributes, rows, scale, got)
		}
	}
	if WeightedGroups(14, 0, 2) != 10 {
		t.Error("work is left for ten groups")
	}
}

// A learner's guarantee is ε, divided between the counts and the sample, at the limits of each
// parameter. Its stated work equals the sum of its parts.
func TestWeightedStates(t *testing.T) {
	for _, c := range []struct {
		relation      privacy.Relation
		attributes    int
		scale, groups int
		rate          string
	}{{privacy.ReplaceOne, 3, 2, 2, "1/1000"}, {privacy.AddRemove, 3, 20, 3, "1/500"}, {privacy.AddRemove, 10, 20, 10, "1/500"}, {privacy.ReplaceOne, 12, 19, 10, "1/1000"}} {
		sizes := slices.Repeat([]int{3}, c.attributes)
		m, err := NewWeightedNaiveBayes(sizes, known(t, "2.5"), known(t, "0.5"), c.relation, c.scale, c.groups)
		if err != nil {
			t.Fatal(err)
		}
		if g := m.Guarantee().(privacy.Pure); g.Epsilon() != known(t, "2.5") || g.Relation() != c.relation {
			t.Errorf("it promises %v", g)
		}
		m.Rate().SetInt64(7)
		if got := m.Rate().RatString(); got != c.rate {
			t.Errorf("%v: rate %s, not %s", c.relation, got, c.rate)
		}
		budget, err := privacy.NewPure(c.relation, known(t, "0.5"))
		if err != nil {
			t.Fatal(err)
		}
		width, err := m.CountWidth()
		if want, _ := AnswerWidth(budget, 6*c.attributes, c.attributes); err != nil || width != want || width != math.Ceil(width) {
			t.Errorf("counts are within %v, not %v", width, want)
		}
		each := int64(16 * 120 * c.scale * c.attributes) // the records of a batch
		for _, records := range []int64{0, 1, each - 1, each, each + 1, 1 << 30} {
			want := 8*int64(m.Cards()) + 20*records + int64(12+8*c.groups)*min(records, each)
			if got := m.Bytes(records); got != want {
				t.Errorf("%d records take %d bytes, not %d", records, got, want)
			}
		}
	}
	if !WeightedPays(7, 3500, known(t, "1"), privacy.ReplaceOne) || WeightedPays(7, 3499, known(t, "1"), privacy.ReplaceOne) {
		t.Error("it does not pay from 500 rows an attribute on")
	}
}
