package risk

import (
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The bounds of an assessment divide the allowed failure probability: a part for each statement,
// for both sides, and for the number of rows. By the exact distribution, sums of cells exceed their
// bound with at most that probability, and the bound is not much larger than necessary.
func TestMulticlassWidths(t *testing.T) {
	epsilon := privacytest.Decimal(t, "0.1")
	leaves := func(outcomes int, predicted ...int) Scale {
		s, err := Leaves(outcomes, predicted)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
		for _, s := range []Scale{Predictions(3), Predictions(8), Predictions(9), leaves(3, 1, 0, 1, 1, 0), leaves(9, 1, 0, 1, 1, 0, 2, 8, 1, 1, 1)} {
			k, g := s.Outcomes, len(s.Grades)
			shares, counts := 1+k+k, k*k+1+1+1 // cells, outside, errors, right
			if s.Kind == Leaf {
				shares += k * g
			}
			ends := int64(3*shares + 2*counts)
			h, err := learn.NewHistogram(s.Cells(), epsilon, r)
			if err != nil {
				t.Fatal(err)
			}
			errors, cell, err := Widths(s.Kind, g, k, epsilon, r)
			if err != nil {
				t.Fatal(err)
			}
			miss := big.NewRat(2, 20*ends)
			alike := make([]int, k) // the number of grades that predict each class
			for _, grade := range s.Grades {
				alike[grade.Predicted]++
			}
			most := g
			if s.Kind == Prediction {
				most = 1
			}
			if want := h.HalfWidth(most, miss); cell.Cmp(want) != 0 {
				t.Errorf("%v, %v: a cell within %v, not %v", r, s, cell, want)
			}
			exact, wider := h.HalfWidth(g*(k-1), miss), 1.
			if g*(k-1) > 64 {
				wider = 1.2
			}
			if ratio := float(errors) / float(exact); ratio < 1 || ratio > wider {
				t.Errorf("%v, %v: errors within %v, which is %.3g times %v", r, s, errors, ratio, exact)
			}
			cells := make([]*big.Int, s.Cells())
			for i := range cells {
				cells[i] = big.NewInt(100000)
			}
			m, err := Noisy(s, cells, epsilon, r)
			if err != nil {
				t.Fatal(err)
			}
			c := m.Assess(Rows, nil)
			inverse, _ := inverse(epsilon, r).Float64()
			l := strayer{1 / inverse, 1, false, math.Log(float64(ends) / 0.05), 0}
			right, one, none := h.HalfWidth(g, miss), h.HalfWidth(1, miss), new(big.Int)
			own := map[string]struct {
				count Count
				width *big.Int
			}{"errors": {c.Errors, errors}, "outside": {c.Outside, one}, "inside": {c.Inside, sum(errors, right)}}
			for p, n := range alike {
				width := none
				if n > 0 {
					width = h.HalfWidth(n, miss)
				}
				own["cell"+string(rune('0'+p))] = struct {
					count Count
					width *big.Int
				}{c.Confusion[1][p], width}
			}
			for name, w := range own {
				if low, high := less(w.count.Value, w.count.Least), less(w.count.Most, w.count.Value); low.Cmp(w.width) != 0 || high.Cmp(w.width) != 0 {
					t.Errorf("%v, %v: %s within %v and %v, not %v", r, s, name, low, high, w.width)
				}
			}
			if got, want := c.Accuracy, l.share(alikeCells(g), alikeCells(g*(k-1))); text(got) != text(want) {
				t.Errorf("%v, %v: accuracy %s, want %s", r, s, text(got), text(want))
			}
			for _, of := range c.Risks {
				if got, want := of.Shares[0], l.share(alikeCells(1), alikeCells(k-1)); got.Least != want.Least || got.Most != want.Most {
					t.Errorf("%v, %v: a risk of %s, want %s", r, s, text(got), text(want))
				}
			}
		}
	}
}

// alikeCells returns a sum of n cells of 100000 rows each.
func alikeCells(n int) cells { return unadjusted(100000*float64(n), n) }

func sum(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }

func less(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }

// The interval of a count at one grade is that of one cell. Sums of more than mostConvolved cells have a wider bound.
func TestGradeWidth(t *testing.T) {
	epsilon := privacytest.Decimal(t, "0.1")
	for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove, privacy.ReplaceOne.OfPersons(3)} {
		h, err := learn.NewHistogram(100, epsilon, r)
		if err != nil {
			t.Fatal(err)
		}
		units := big.NewInt(learn.Units(r))
		for _, c := range []struct {
			k                Kind
			grades, outcomes int
		}{{Total, 5, 2}, {Prediction, 4, 4}, {Leaf, 9, 3}} {
			b := newBudget(Rows, c.k, c.grades, c.outcomes)
			got, err := GradeWidth(c.k, c.grades, c.outcomes, epsilon, r)
			if want := up(h.HalfWidth(1, b.count), units); err != nil || got.Cmp(want) != 0 {
				t.Errorf("%v, %+v: %v, not %v, %v", r, c, got, want, err)
			}
			if got, want := b.width(mostConvolved, epsilon, r), h.HalfWidth(mostConvolved, b.count); got.Cmp(want) != 0 {
				t.Errorf("%v, %+v: %d cells within %v units, not %v", r, c, mostConvolved, got, want)
			}
			l := strayer{scale: noiseScale(epsilon, r), units: float64(learn.Units(r)), log: b.share}
			if got, least := float(b.width(mostConvolved+1, epsilon, r)), l.width(mostConvolved+1)*l.units; got < least || got > least+2 {
				t.Errorf("%v, %+v: %d cells within %v units, not %v", r, c, mostConvolved+1, got, least)
			}
		}
	}
	if _, err := GradeWidth(Total, 5, 2, privacy.Decimal{}, privacy.ReplaceOne); err == nil {
		t.Error("an ε of 0 is not refused")
	}
}
