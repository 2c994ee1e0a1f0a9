package mechanism

import (
	"cmp"
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
		j, err := newtonShares(s, newtonJSON{}, c.choice)
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

func failed(_ newtonMade, err error) error { return err }

// For a usual ε the budget is a μ, and counts have less noise than with a ρ. For a large ε it is a ρ, since noise of a
// budget of μ has a variance above 13/5. A ledger is charged the ρ of all parts, which is below μ²/2. A record with a ρ, as
// earlier versions wrote it, is one of the mechanism for this ρ.
func TestNewtonByMuOrRho(t *testing.T) {
	for _, form := range []model.Form{model.Additive{Kind: model.NaiveBayes, Scale: 10}, model.CardOrTree{Scale: 10, Depth: 2}} {
		for epsilon, gaussian := range map[string]bool{"0.1": true, "1": true, "50": false} {
			schema := mechanismtest.Schema(t)
			space, err := model.Over(form, schema)
			if err != nil {
				t.Fatal(err)
			}
			s := &Setting{Schema: schema, Form: form, Space: space, Epsilon: privacytest.Decimal(t, epsilon), Delta: privacytest.Decimal(t, "1e-5"), Relation: privacy.AddRemove, Rows: 100_000}
			m, err := (&Newton{}).planned(s)
			if err != nil {
				t.Fatal(err)
			}
			j := m.record
			if j.Mu.IsZero() == gaussian || j.Rho.IsZero() != gaussian {
				t.Errorf("ε = %s: the record is %+v", epsilon, j)
			}
			both, neither, uncharged, unknown, pure := j, j, j, j, *s
			both.Rho, both.Mu = cmp.Or(j.Rho, j.Mu), cmp.Or(j.Rho, j.Mu)
			neither.Rho, neither.Mu, pure.Delta = privacy.Decimal{}, privacy.Decimal{}, privacy.Decimal{}
			uncharged.Charged, unknown.Charged = "", "sigma"
			without, err := (&Newton{}).planned(&pure)
			if err != nil {
				t.Fatal(err)
			}
			without.record.Charged = chargedRho
			if _, err := newtonOf(s, uncharged); (err != nil) != gaussian {
				t.Errorf("ε = %s: a record without a charge: %v", epsilon, err)
			}
			for _, c := range []struct {
				name, want string
				err        error
			}{
				{"both", "state", failed(newtonOf(s, both))},
				{"neither", "state", failed(newtonOf(s, neither))},
				{"one without a δ", `must not have the key "rho" or "mu"`, failed(newtonOf(&pure, j))},
				{"one, and an unknown charge", `key "charged" is "sigma"`, failed(newtonOf(s, unknown))},
				{"neither, and a charge,", `must not have the key "charged" if delta is 0`, failed(newtonOf(&pure, without.record))},
			} {
				if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
					t.Errorf("ε = %s: a record with %s of ρ and μ: %v", epsilon, c.name, c.err)
				}
			}
			rho, err := privacy.RhoWithin(s.Epsilon, s.Delta)
			if err != nil {
				t.Fatal(err)
			}
			other, err := newtonFor(s, newtonJSON{RhoOrMu: RhoOrMu{Rho: rho}})
			if err != nil || other.record.Rho != rho || gaussian != (other.noise().Cmp(m.noise()) > 0) {
				t.Errorf("ε = %s: the noise is %v, and %v with ρ, %v", epsilon, m.noise(), other.noise(), err)
			}
			again, err := recreateNewton(&other.record, s)
			if z, ok := again.Charge.(privacy.ZCDP); err != nil || !ok || z.Rho().Cmp(rho.Rat()) != 0 {
				t.Errorf("ε = %s: a record of ρ is charged %v, %v", epsilon, again.Charge, err)
			}
			if !gaussian {
				continue
			}
			g, sum := m.charge.(privacy.GDP), new(big.Rat)
			for _, part := range []privacy.Decimal{j.Counts, j.Gradient, j.Hessian, j.Residuals} {
				sum.Add(sum, part.Rat())
			}
			for _, epsilon := range []privacy.Decimal{j.Choice, j.Start, j.Final} {
				sum.Add(sum, privacy.RangeRho(epsilon))
			}
			if square := j.Mu.Rat(); g.Square().Cmp(square.Mul(square, square)) != 0 || g.Rho().Cmp(sum) != 0 || sum.Cmp(rho.Rat()) <= 0 || sum.Add(sum, sum).Cmp(g.Square()) >= 0 {
				t.Errorf("ε = %s: the charge has μ² = %v and ρ = %v, but the parts have %v", epsilon, g.Square(), g.Rho(), sum)
			}
		}
	}
}
