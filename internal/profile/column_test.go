package profile

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// integers returns the column of the integers from least to most.
func integers(least, most int) *Column {
	return NewColumn(&table.Attribute{Writing: table.Writing{Draw: "integer", Least: table.Decimal(fmt.Sprint(least)), Most: table.Decimal(fmt.Sprint(most))}})
}

// The groups are the orders of magnitude of both signs, and 0, which is special for numbers only.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		column *Column
		groups int
		zero   int
		starts []table.Decimal // the least edges of the groups but the first
	}{
		{integers(0, 123), 4, 0, []table.Decimal{"1", "10", "100"}},
		{integers(-12, 20), 5, 2, []table.Decimal{"-9", "0", "1", "10"}},
		{integers(17, 90), 1, -1, nil},
		{NewColumn(&table.Attribute{Dates: table.Dates{Format: "iso"}, Writing: table.Writing{Draw: "day", Least: "-2", Most: "12"}}), 4, -1, []table.Decimal{"0", "1", "10"}},
		{NewColumn(&table.Attribute{Writing: table.Writing{Draw: "uniform", Places: 2, Least: "0.05", Most: "1.5"}}), 3, -1, []table.Decimal{"0.1", "1"}},
	} {
		var starts []table.Decimal
		for i, group := range c.column.groups[1:] {
			if group != c.column.groups[i] {
				starts = append(starts, c.column.edges[i])
			}
		}
		if c.column.size() != c.groups || c.column.zero != c.zero || !slices.Equal(starts, c.starts) {
			t.Errorf("%d groups from %v, 0 in %d, want %+v", c.column.size(), starts, c.column.zero, c)
		}
	}
	open := NewColumn(&table.Attribute{})
	if open.size() != 33 || open.zero != 16 { // below -999·10⁹, 10¹¹ to 10⁻³, 0, and 10⁻³ to 10¹²
		t.Errorf("without a range: %d groups, 0 in %d", open.size(), open.zero)
	}
}

// Cuts are chosen in heavy groups and between them. A column that is mostly 0 gets public cuts if another group is clear, and
// otherwise cuts of its other numbers.
func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		name             string
		column           *Column
		counts           []int64 // of the groups; 9 is heavy, and 12 clear
		units            int64
		candidates, cuts []table.Decimal
		others           int64 // the estimated units of the cells that are not omitted, or 0 if none is omitted
	}{
		{"one group", integers(0, 123), []int64{0, 20, 3, 8}, 0, []table.Decimal{"2", "3", "4", "5", "6", "7", "8", "9"}, nil, 0},
		{"zero and one group", integers(0, 12), []int64{20, -5, 20}, 0, []table.Decimal{"10", "11", "12"}, nil, 0},
		{"mostly zero", integers(0, 12), []int64{50, 9, 12}, 0, nil, []table.Decimal{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}, 0},
		{"mostly zero, one light group", integers(0, 12), []int64{50, 8, 12}, 0, nil, []table.Decimal{"1", "10", "11", "12"}, 0},
		{"mostly zero, both signs", integers(-2, 3), []int64{11, 50, 12}, 0, nil, []table.Decimal{"-1", "0", "1", "2", "3"}, 0},
		{"mostly zero, hundreds", integers(0, 103), []int64{50, 0, 0, 12}, 0, nil, []table.Decimal{"1", "100"}, 0},
		{"mostly zero, negative tens", integers(-12, 3), []int64{12, 0, 50, 0}, 0, nil, []table.Decimal{"-11", "-10", "0", "1"}, 0},
		{"half zero", integers(0, 12), []int64{50, 25, 25}, 0, []table.Decimal{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}, nil, 0},
		{"half zero, of different counts", integers(0, 12), []int64{50, 40, 20}, 0, []table.Decimal{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}, nil, 0},
		{"half zero, of stated units", integers(0, 12), []int64{50, 40, 20}, 99, nil, []table.Decimal{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}, 0},
		{"half zero, of more stated units", integers(0, 12), []int64{50, 40, 20}, 100, []table.Decimal{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}, nil, 0},
		{"mostly zero, no clear group", integers(-2, 3), []int64{11, 50, -4}, 0, []table.Decimal{"-1", "2", "3"}, []table.Decimal{"0", "1"}, 11},
		{"mostly zero, of stated units", integers(-2, 3), []int64{11, 50, -4}, 57, []table.Decimal{"-1", "2", "3"}, []table.Decimal{"0", "1"}, 7},
		{"mostly zero, of fewer stated units", integers(-2, 3), []int64{11, 50, -4}, 30, []table.Decimal{"-1", "2", "3"}, []table.Decimal{"0", "1"}, 1},
		{"mostly zero, of more stated units", integers(-2, 3), []int64{11, 50, -4}, 90, []table.Decimal{"-1", "2", "3"}, []table.Decimal{"0", "1"}, 11},
		{"mostly zero, of one stated unit", integers(-2, 3), []int64{11, 50, -4}, 1, []table.Decimal{"-1", "2", "3"}, []table.Decimal{"0", "1"}, 1},
		{"no zero, of stated units", integers(1, 3), []int64{20}, 10, []table.Decimal{"2", "3"}, nil, 0},
		{"only zero", integers(0, 2), []int64{50, 0}, 0, []table.Decimal{"2"}, []table.Decimal{"1"}, 1},
		{"only zero, one edge", integers(0, 1), []int64{50, 0}, 0, nil, []table.Decimal{"1"}, 0},
		{"mostly zero, decimals", &Column{edges: []table.Decimal{"0.1", "0.5", "0.55", "1", "1.5", "10", "990", "991"}, groups: []int{0, 1, 1, 1, 1, 1, 1, 1, 1}}, []int64{50, 12}, 0, nil, []table.Decimal{"0.1", "0.5", "1", "10", "990"}, 0},
		{"just heavy", integers(0, 12), []int64{0, 9, 8}, 0, []table.Decimal{"2", "3", "4", "5", "6", "7", "8", "9"}, nil, 0},
		{"no zero", integers(1, 3), []int64{20}, 0, []table.Decimal{"2", "3"}, nil, 0},
		{"no group", integers(1, 3), []int64{8}, 0, []table.Decimal{"2", "3"}, nil, 0},
	} {
		n := c.column.Narrow(5, noisy(c.counts), big.NewInt(9), c.units)
		var candidates []table.Decimal
		if n.From != nil {
			candidates = c.column.at(n.From.Edges)
			if omitted := n.From.Omitted; n.From.Column != 5 || n.From.Units != c.others || (omitted != nil) != (c.others > 0) || omitted != nil && (len(omitted) != 1 || c.column.groups[omitted[0]] != c.column.zero) {
				t.Errorf("%s: %+v", c.name, n.From)
			}
		}
		if !slices.Equal(candidates, c.candidates) {
			t.Errorf("%s: candidates %v, want %v", c.name, candidates, c.candidates)
		}
		if got := c.column.at(n.Cuts); !slices.Equal(got, c.cuts) {
			t.Errorf("%s: cuts %v, want %v", c.name, got, c.cuts)
		}
	}
}

// noisy returns the counts as big integers.
func noisy(counts []int64) (all []*big.Int) {
	for _, n := range counts {
		all = append(all, big.NewInt(n))
	}
	return all
}

// at returns the given edges.
func (c *Column) at(edges []int) (all []table.Decimal) {
	for _, t := range edges {
		all = append(all, c.edges[t-1])
	}
	return all
}

func TestPenalties(t *testing.T) {
	c := &Column{edges: []table.Decimal{"-99.001", "0", "0.001", "1", "1.5", "120", "123", "1000000000001", "123456789012345678"}}
	from := c.from(2, []int{1, 2, 3, 4, 5, 6, 7, 8, 9})
	if want := []int{8, 0, 0, 0, 2, 2, 4, 24, 30}; from.Column != 2 || !slices.Equal(from.Penalties, want) {
		t.Errorf("%+v, want %v", from, want)
	}
	// In a column that is mostly 0, edges also have penalties for groups with small counts, for signs and for magnitudes.
	c = &Column{edges: []table.Decimal{"-20", "-10", "0", "0.1", "0.2", "1", "10", "12", "100000", "999000", "1000000", "23000000"}, groups: []int{0, 0, 0, 1, 2, 2, 3, 4, 4, 5, 5, 6, 7}, zero: 1}
	n := c.Narrow(0, noisy([]int64{3, 90, 2, 11, 0, 1, -3, -200}), big.NewInt(9), 0)
	if want := []int{3, 3, 2, 0, 2, 4, 2, 6, 5, 30}; !slices.Equal(n.From.Penalties, want) { // -10: 3 for its sign, 2 - ⌊6·3/9⌋ = 0
		t.Errorf("%v: %v, want %v", c.at(n.From.Edges), n.From.Penalties, want)
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 100)
	if lightPenalty(huge, big.NewInt(1)) != 0 || lightPenalty(huge.Neg(huge), big.NewInt(1)) != MostPenalty {
		t.Error("counts beyond 64 bits have other penalties")
	}
	huge.Neg(huge)
	if others, mostly := integers(0, 12).others([]*big.Int{big.NewInt(5), huge, huge}, 0); others != 1<<62 || mostly {
		t.Errorf("%d other units, %v", others, mostly)
	}
}

// Rows without a number are in no group.
func TestMagnitudesTranscript(t *testing.T) {
	record := noisetest.Record(noise.Insecure(3))
	d := counted(t, []int64{7, 1, 2, 3, 100})
	for _, c := range []struct {
		name string
		g    privacy.Guarantee
	}{
		{"ε = 1/2, replace: scale 4", privacytest.Pure(t, "0.5", privacy.ReplaceOne)},
		{"ρ = 1/32, add-remove of persons of at most two rows: σ² = 2²·16", zcdp(t, big.NewRat(1, 32))},
	} {
		m, err := NewMagnitudes(1, c.g)
		if err != nil {
			t.Fatal(err)
		}
		record.Note("%s", c.name)
		counts, err := m.Release(context.Background(), d, []*Column{integers(-1, 2)}, record)
		if err != nil {
			t.Fatal(err)
		}
		record.Note("released %v, of -1, 0, and 1 to 2; heavy from %v\n", counts, m.Heavy())
	}
	noisetest.Golden(t, "magnitudes.txt", record.String())
}

func TestNewMagnitudes(t *testing.T) {
	g := privacytest.Pure(t, "1", privacy.AddRemove)
	if m, err := NewMagnitudes(0, g); err == nil {
		t.Errorf("no columns give %+v", m)
	}
	if m, err := NewMagnitudes(1, privacy.Composed{}); err == nil {
		t.Errorf("a composed guarantee gives %+v", m)
	}
	m, err := NewMagnitudes(1, g)
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][]*Column{{integers(1, 4)}, nil} {
		if _, err := m.Release(context.Background(), counted(t, []int64{1, 2}), columns, noise.Insecure(1)); err == nil {
			t.Errorf("%d columns that differ from the data are accepted", len(columns))
		}
	}
}
