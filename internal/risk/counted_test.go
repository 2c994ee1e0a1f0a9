package risk

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// For a single prediction, if the noise is within its half-widths, every interval for the rows
// holds and contains its value, with and without a public number of rows.
func TestBoxedHolds(t *testing.T) {
	epsilon := privacytest.Decimal(t, "2")
	h, err := learn.NewHistogram(5, epsilon, privacy.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	one, two := h.HalfWidth(1, big.NewRat(1, 140)).Int64(), h.HalfWidth(2, big.NewRat(1, 140)).Int64()
	rapid.Check(t, func(t *rapid.T) {
		var truth, off [5]int64 // FN, TN, TP, FP, outside
		rows := int64(0)
		for i := range truth {
			truth[i] = rapid.Int64Range(0, 200).Draw(t, "true")
			off[i] = rapid.Int64Range(-one, one).Draw(t, "noise")
			rows += truth[i]
		}
		for _, pair := range [][2]int{{0, 3}, {1, 2}} { // errors, and correct predictions
			if sum := off[pair[0]] + off[pair[1]]; sum > two || sum < -two {
				off[pair[0]], off[pair[1]] = 0, 0
			}
		}
		var cells []*big.Int
		for i := range truth {
			cells = append(cells, big.NewInt(truth[i]+off[i]))
		}
		c, err := Noisy(Predictions(2), cells, epsilon, privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "rows are told") {
			c.Rows = big.NewInt(rows)
		}
		a := c.Assess(Rows, nil)
		fn, tn, tp, fp := truth[0], truth[1], truth[2], truth[3]
		for name, c := range map[string]struct {
			got  Count
			want int64
		}{
			"inside": {a.Inside, tp + fn + fp + tn}, "outside": {a.Outside, truth[4]}, "errors": {a.Errors, fp + fn},
			"cost":          {a.Cost(learn.Loss{FalsePositive: 3, FalseNegative: 2}), 3*fp + 2*fn},
			"true positive": {a.Confusion[1][1], tp}, "false negative": {a.Confusion[1][0], fn},
			"false positive": {a.Confusion[0][1], fp}, "true negative": {a.Confusion[0][0], tn},
		} {
			if v := big.NewInt(c.want); v.Cmp(c.got.Least) < 0 || v.Cmp(c.got.Most) > 0 {
				t.Fatalf("%s: %d is not in %v to %v", name, c.want, c.got.Least, c.got.Most)
			}
			if c.got.Value.Cmp(c.got.Least) < 0 || c.got.Value.Cmp(c.got.Most) > 0 {
				t.Fatalf("%s: about %v, in %v to %v", name, c.got.Value, c.got.Least, c.got.Most)
			}
		}
		holds := func(name string, s Share, part, other int64) {
			for _, v := range []*float64{ratio(float64(part), float64(other)), s.Value} {
				if v != nil && (*v < s.Least || *v > s.Most) {
					t.Fatalf("%s: %v is not in %v to %v", name, *v, s.Least, s.Most)
				}
			}
		}
		holds("accuracy", a.Accuracy, tp+tn, fp+fn)
		holds("sensitivity", a.Sensitivity[1], tp, fn)
		holds("specificity", a.Sensitivity[0], tn, fp)
		holds("prevalence", a.Prevalence, tp+fn, tn+fp)
		for i, wrong := range [][2]int64{{fp + tn, tp + fn}, {fp + fn, tp + tn}, {tp + fn, fp + tn}} {
			holds("errors at a threshold", a.Thresholds[i].Errors, wrong[0], wrong[1])
		}
		if x, y := ratio(float64(tp), float64(fn)), ratio(float64(tn), float64(fp)); x != nil && y != nil {
			if v := (*x + *y) / 2; v < a.AUC.Least || v > a.AUC.Most {
				t.Fatalf("area: %v is not in %v to %v", v, a.AUC.Least, a.AUC.Most)
			}
		}
		for _, r := range a.Risks {
			p, n := int64(0), int64(0)
			for i := r.Least; i <= r.Most; i++ {
				p, n = p+truth[2*i], n+truth[2*i+1]
			}
			holds("risk", r.Shares[0], p, n)
		}
	})
}

// The intervals of counts are those of sums of cells. For a single prediction each has a seventh of
// the allowed failure probability, for more grades its part, and for exact counts no width.
func TestCountWidths(t *testing.T) {
	rules, err := Rules([]bool{true, false, true, true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		scale        Scale
		ones, zeroes int
		miss         *big.Rat
	}{
		{Predictions(2), 1, 1, big.NewRat(1, 140)},
		{Totals(0, [][]int{{0, 1, 2, 3}}, 1), 3, 1, big.NewRat(4, 100*(3*(10+11)+14)/2)},
		{rules, 3, 1, big.NewRat(4, 100*(3*(4+4)+14)/2)},
	} {
		for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
			epsilon := privacytest.Decimal(t, "0.1")
			h, err := learn.NewHistogram(c.scale.Cells(), epsilon, r)
			if err != nil {
				t.Fatal(err)
			}
			cells := make([]*big.Int, c.scale.Cells())
			for i := range cells {
				cells[i] = big.NewInt(100000)
			}
			noisy, err := Noisy(c.scale, cells, epsilon, r)
			if err != nil {
				t.Fatal(err)
			}
			a := noisy.Assess(Rows, nil)
			g := c.ones + c.zeroes
			for name, of := range map[string]struct {
				got   Count
				cells int
			}{
				"outside": {a.Outside, 1}, "errors": {a.Errors, g}, "true positive": {a.Confusion[1][1], c.ones}, "false positive": {a.Confusion[0][1], c.ones},
				"false negative": {a.Confusion[1][0], c.zeroes}, "true negative": {a.Confusion[0][0], c.zeroes},
			} {
				w := h.HalfWidth(of.cells, c.miss)
				if new(big.Int).Sub(of.got.Value, w).Cmp(of.got.Least) != 0 || new(big.Int).Add(of.got.Value, w).Cmp(of.got.Most) != 0 {
					t.Errorf("%s, %v: %s of %d cells in %v to %v, want ± %v", c.scale.Kind, r, name, of.cells, of.got.Least, of.got.Most, w)
				}
			}
			errors, cell, err := Widths(c.scale.Kind, g, 2, epsilon, r)
			if most := max(c.ones, c.zeroes); err != nil || errors.Cmp(h.HalfWidth(g, c.miss)) != 0 || cell.Cmp(h.HalfWidth(most, c.miss)) < 0 {
				t.Errorf("%s: widths %v, %v, %v", c.scale.Kind, errors, cell, err)
			}
		}
		exact, err := Exact(c.scale, make([]int64, c.scale.Cells()))
		if err != nil {
			t.Fatal(err)
		}
		if a := exact.Assess(Rows, nil); a.Inside.Most.Sign() != 0 || a.Errors.Most.Sign() != 0 || a.Outside.Most.Sign() != 0 {
			t.Errorf("exact counts of no rows: %+v", a)
		}
	}
}
