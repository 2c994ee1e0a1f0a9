package learn

import (
	"context"
	"math"
	"math/rand/v2"
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

// Every card costs what its rows cost one by one: half an error and half the squared error of
// the risk, in thousandths, at most all of them.
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
			card, want := c.card(i), int64(0)
			for _, e := range d {
				off := 1 / (1 + math.Exp((0.5-float64(card.Total(e.X)))/float64(c.scale)))
				if e.Label {
					off = 1 - off
				}
				cost := off * off / 2
				if card.Predict(e.X) != e.Label {
					cost += 0.5
				}
				want += e.Count * int64(math.Round(1000*cost))
			}
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
		for _, table := range [][]int64{c.losses(-2000, 2000)} {
			for _, cost := range table {
				if cost < 0 || cost > 1000 {
					t.Fatalf("a row costs %d", cost)
				}
			}
		}
	}
}

// Half the points of a group may need more than 16 bits: each card costs what its records cost one by one.
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
		for i := range 12_800 {
			d = append(d, Example[[]uint16]{[]uint16{uint16(i % 40), uint16(i / 40 % 40), uint16(i / 1600)}, i%3 == 0, int64(1 + i%2)})
		}
		costs, err := c.costs(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range costs {
			card, want := c.card(i), int64(0)
			least, most := card.Total(d[0].X), card.Total(d[0].X)
			for _, e := range d {
				least, most = min(least, card.Total(e.X)), max(most, card.Total(e.X))
			}
			losses := c.losses(least, most)
			for _, e := range d {
				at := 2 * (card.Total(e.X) - least)
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

// The attributes that tell most have groups of their own, the others share one; the points of
// a category are even, and of log-odds within ±3.
func TestWeightedCards(t *testing.T) {
	sizes := []int{2, 2, 2, 2}
	m, err := NewWeighted(sizes, known(t, "1"), known(t, "0.5"), privacy.ReplaceOne, 4, 3)
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

// What is drawn from takes a work that public numbers bound, and parameters that make no
// learner are refused.
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
	if m, err := NewWeighted([]int{2, 3}, one, half, privacy.ReplaceOne, 4, 2); err != nil || m.Work(1000) != 9*(1000+2*480) {
		t.Errorf("the work is not what is stated, %v", err)
	}
	two := []int{2, 2}
	for name, err := range map[string]error{
		"scale 1":         of(NewWeighted(two, one, half, privacy.ReplaceOne, 1, 2)),
		"scale 21":        of(NewWeighted(two, one, half, privacy.ReplaceOne, 21, 2)),
		"no groups":       of(NewWeighted(two, one, half, privacy.ReplaceOne, 4, 0)),
		"three groups":    of(NewWeighted(two, one, half, privacy.ReplaceOne, 4, 3)),
		"eleven groups":   of(NewWeighted(make([]int, 20), one, half, privacy.ReplaceOne, 4, 11)),
		"all for counts":  of(NewWeighted(two, one, one, privacy.ReplaceOne, 4, 2)),
		"none for counts": of(NewWeighted(two, one, privacy.Decimal{}, privacy.ReplaceOne, 4, 2)),
		"no categories":   of(NewWeighted([]int{0}, one, half, privacy.ReplaceOne, 4, 1)),
		"no attributes":   of(NewWeighted(nil, one, half, privacy.ReplaceOne, 4, 0)),
	} {
		if err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if !WeightedPays(7, 32561, one, privacy.ReplaceOne) || WeightedPays(12, 32561, known(t, "0.1"), privacy.ReplaceOne) || !WeightedPays(12, 32561, known(t, "0.1"), privacy.AddRemove) {
		t.Error("where it pays is not what is stated")
	}
}

func of(_ *Weighted, err error) error { return err }

// Of four rows in five, told by one attribute of three, hardly any is lost, whatever the others
// say; empty and constant tables have a card too.
func TestWeightedLearns(t *testing.T) {
	sizes := []int{2, 3, 2}
	var d Listed[[]uint16]
	for x := range uint16(12) {
		r := []uint16{x % 2, x / 2 % 3, x / 6}
		d = append(d, Example[[]uint16]{r, r[0] == 1, 800}, Example[[]uint16]{r, r[0] == 0, 200})
	}
	for _, rel := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		m, err := NewWeighted(sizes, known(t, "2"), known(t, "1"), rel, 4, 3)
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
		if wrong > 2500 { // of 2400 at least; a mistaken pattern costs 600 more
			t.Errorf("%v: %d of 12000 wrong by %+v", rel, wrong, p)
		}
		for _, d := range []Listed[[]uint16]{nil, d[:1]} {
			if _, err := m.Release(context.Background(), d, noise.Crypto()); err != nil {
				t.Error(err)
			}
		}
	}
}
