package mechanism

import (
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism/mechanismtest"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The parts of the budget have the percentages of the documentation, and the last sample gets the rest.
func TestNewtonShares(t *testing.T) {
	s := &Setting{Schema: mechanismtest.Schema(t), Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.AddRemove}
	for _, c := range []struct {
		rows   int64
		choice bool
		want   [7]int64 // counts, choice, start, gradient, Hessian, residuals and the last sample of a step, in percent of ε
	}{
		{0, false, [7]int64{85}},
		{2000, false, [7]int64{45, 0, 7, 20, 15}},
		{100_000, false, [7]int64{45, 0, 5, 8, 5, 30}},
		{0, true, [7]int64{50, 5}},
		{2000, true, [7]int64{45, 3, 6, 20, 14}},
		{100_000, true, [7]int64{44, 3, 4, 8, 5, 29}},
	} {
		s.Rows = c.rows
		j, err := newtonShares(s, c.choice)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range []privacy.Decimal{j.Counts, j.Choice, j.Start, j.Gradient, j.Hessian, j.Residuals} {
			if i == 2 && c.want[2] == 0 {
				continue // the last sample
			}
			if part.Rat().Cmp(big.NewRat(c.want[i], 100)) != 0 {
				t.Errorf("%d rows, choice %v: part %d is %s, not %d %%", c.rows, c.choice, i, part, c.want[i])
			}
		}
	}
}

// The bounds describe the corrections from residuals if the release has them. The limit on rows is that of all counts.
func TestNewtonDescribes(t *testing.T) {
	schema := mechanismtest.Schema(t)
	form := model.Additive{Kind: model.NaiveBayes}
	space, err := form.Over(schema)
	if err != nil {
		t.Fatal(err)
	}
	for rows, corrects := range map[int64]bool{2000: false, 100_000: true} {
		s := &Setting{Schema: schema, Form: form, Space: space, Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.AddRemove, Rows: rows}
		bounds, err := (&Newton{}).Bounds(s)
		if err != nil {
			t.Fatal(err)
		}
		if said := bounds[0].Said; strings.Contains(said, "\n30 % is for correcting the points of each category.") != corrects {
			t.Errorf("%d rows: %s", rows, said)
		}
		made, err := (&Newton{}).Over(s)
		if err != nil || made.Effort.MostRows != learn.MostRows {
			t.Errorf("%d rows: %+v, %v", rows, made, err)
		}
	}
}
