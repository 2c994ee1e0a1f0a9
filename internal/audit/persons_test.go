package audit_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// enter adds a row with a weight.
func enter(t *testing.T, b *table.Builder, row string, weight int64) {
	var err error
	if row[0] == '?' {
		err = b.AddNull(weight)
	} else {
		err = b.Add([]uint16{uint16(row[0] - '0')}, row[1] == '1', weight)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// undivided is deliberately wrong: each counted row of a person has the weight of a person.
func undivided(t *testing.T, s *table.Schema, p audittest.People) *table.Table {
	b := s.Builder()
	for _, own := range p {
		for _, row := range own[:min(len(own), s.Person.Most)] {
			enter(t, b, row, s.Weight())
		}
	}
	return b.Table()
}

// allCount is deliberately wrong: all rows of a person count, with the weights that only the maximum
// number should have.
func allCount(t *testing.T, s *table.Schema, p audittest.People) *table.Table {
	b := s.Builder()
	for _, own := range p {
		for _, row := range own {
			enter(t, b, row, s.Weight()/int64(min(len(own), s.Person.Most)))
		}
	}
	return b.Table()
}

// byNumber is deliberately wrong: it keeps one row of each person, selected by the number of all
// rows.
func byNumber(t *testing.T, s *table.Schema, p audittest.People) *table.Table {
	b := s.Builder()
	all := 0
	for _, own := range p {
		all += len(own)
	}
	for _, own := range p {
		if len(own) > 0 {
			enter(t, b, own[all%len(own)], s.Weight())
		}
	}
	return b.Table()
}

// Under a relation of persons, shipped mechanisms satisfy their ε on tables as package source reads them: all tables
// of one or two persons with up to three rows each, where one person is replaced, added or removed. If each person
// has one row, a mechanism is the same as for rows, so no ε is wasted. The check refutes these wrong mechanisms:
//
//   - with the rate for rows, for fewer rows, or for an added person under replacement,
//   - with the full weight for each row,
//   - with more rows of a person than the bound,
//   - with a choice of rows that depends on other persons.
func TestPersons(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	c := class.Class[[]uint16, scorecard.Card](audittest.Line(t))
	trees := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 2)
	exponential := func(r, claims privacy.Relation) audittest.OfTable {
		m, err := learn.NewExponential(c, privacytest.Decimal(t, "2"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return audittest.Learning(t, m, claims)
	}
	gibbs := func(r, claims privacy.Relation) audittest.OfTable {
		m, err := learn.NewGibbs(class.EraseTractable(trees), privacytest.Decimal(t, "2"), r, learn.ByError(2))
		if err != nil {
			t.Fatal(err)
		}
		return audittest.Learning(t, onList[any]{m}, claims)
	}
	mixture := func(r, claims privacy.Relation) audittest.OfTable {
		of, _, _, _ := mixedOf(t, 1, 0)
		m, err := learn.NewMixture[[]uint16, union.Choice[any]](of, privacytest.Decimal(t, "2"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return audittest.Learning(t, m, claims)
	}
	staged := func(r, claims privacy.Relation) audittest.OfTable {
		s := keeping(sparseStages{o: sparse.Options{Sizes: []int{2}, Most: 1, Points: 1, Threshold: 1, Draws: 1}})
		m, err := learn.NewStaged[[]uint16, sparse.Card](s, privacytest.Decimal(t, "2"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return audittest.Learning(t, m, claims)
	}
	histogram := func(r, claims privacy.Relation) audittest.OfTable {
		m, err := learn.NewHistogram(2, privacytest.Decimal(t, "3"), r)
		if err != nil {
			t.Fatal(err)
		}
		g, err := privacy.NewPure(claims, privacytest.Decimal(t, "3"))
		if err != nil {
			t.Fatal(err)
		}
		return audittest.OfTable{Promised: g, OnTable: func(ctx context.Context, d *table.Table, coins noise.Coins) (string, error) {
			counts := []int64{0, d.Nulls()}
			for i := range d.Len() {
				counts[0] += d.Count(i)
			}
			noisy, err := m.Release(ctx, counts, coins)
			if err != nil {
				return "", err
			}
			text := ""
			for _, n := range noisy {
				text += fmt.Sprint(min(max(n.Int64(), 0), d.Weight()), " ")
			}
			return text, nil
		}}
	}
	full, few := []string{"01", "10", "11"}, []string{"01", "10", "?0"}
	wrong := audit.Verdict{1.05, 1e9}
	for _, v := range []struct {
		name    string
		kinds   []string
		persons int
		read    audittest.Reading
		make    func(r, claims privacy.Relation) audittest.OfTable
		r       privacy.Relation // for which the mechanism is made
		claims  privacy.Relation
		want    audit.Verdict
	}{
		{"exponential, replace, one row", full, 2, audittest.AsShipped, exponential, replace.OfPersons(1), replace.OfPersons(1), audit.Verdict{0.7, 1}},
		{"exponential, replace, two rows", full, 2, audittest.AsShipped, exponential, replace.OfPersons(2), replace.OfPersons(2), audit.Verdict{0.7, 1}},
		{"exponential, replace, three rows", full, 1, audittest.AsShipped, exponential, replace.OfPersons(3), replace.OfPersons(3), audit.Verdict{0.5, 1}},
		{"exponential, add-remove, two rows", full, 2, audittest.AsShipped, exponential, addRemove.OfPersons(2), addRemove.OfPersons(2), audit.Verdict{0.5, 1}},
		{"exponential, null rows", few, 2, audittest.AsShipped, exponential, replace.OfPersons(2), replace.OfPersons(2), audit.Verdict{0.5, 1}},
		{"gibbs, replace, two rows", few, 2, audittest.AsShipped, gibbs, replace.OfPersons(2), replace.OfPersons(2), audit.Verdict{0.4, 1}},
		{"gibbs, add-remove, three rows", few, 1, audittest.AsShipped, gibbs, addRemove.OfPersons(3), addRemove.OfPersons(3), audit.Verdict{0.4, 1}},
		{"mixture, replace, two rows", few, 2, audittest.AsShipped, mixture, replace.OfPersons(2), replace.OfPersons(2), audit.Verdict{0.4, 1}},
		{"mixture, add-remove, three rows", few, 1, audittest.AsShipped, mixture, addRemove.OfPersons(3), addRemove.OfPersons(3), audit.Verdict{0.4, 1}},
		{"staged, replace, two rows", few, 2, audittest.AsShipped, staged, replace.OfPersons(2), replace.OfPersons(2), audit.Verdict{0.4, 1}},
		{"histogram, replace, three rows", few, 1, audittest.AsShipped, histogram, replace.OfPersons(3), replace.OfPersons(3), audit.Verdict{0.99, 1.001}},
		{"histogram, add-remove, two rows", few, 2, audittest.AsShipped, histogram, addRemove.OfPersons(2), addRemove.OfPersons(2), audit.Verdict{0.99, 1.001}},

		{"the rate for rows", full, 1, audittest.AsShipped, exponential, replace, replace.OfPersons(3), wrong},
		{"the rate for rows, gibbs", few, 1, audittest.AsShipped, gibbs, addRemove, addRemove.OfPersons(3), wrong},
		{"the rate for rows, mixture", few, 1, audittest.AsShipped, mixture, addRemove, addRemove.OfPersons(3), wrong},
		{"the rate for rows, staged", few, 1, audittest.AsShipped, staged, replace, replace.OfPersons(2), wrong},
		{"the noise for rows", few, 1, audittest.AsShipped, histogram, replace, replace.OfPersons(2), wrong},
		{"the noise for two rows where three count", few, 1, audittest.AsShipped, histogram, replace.OfPersons(2), replace.OfPersons(3), wrong},
		{"the rate for adding a person", full, 1, audittest.AsShipped, exponential, addRemove.OfPersons(2), replace.OfPersons(2), wrong},
		{"rows that weigh a person each", full, 1, undivided, exponential, replace.OfPersons(2), replace.OfPersons(2), wrong},
		{"all rows count", few, 1, allCount, histogram, replace.OfPersons(2), replace.OfPersons(2), wrong},
		{"rows kept by the number of all", full, 2, byNumber, exponential, replace.OfPersons(1), replace.OfPersons(1), wrong},
	} {
		t.Run(v.name, func(t *testing.T) {
			audittest.CheckPersons(t, v.want, v.make(v.r, v.claims), audittest.PersonWorld(t, v.claims, v.kinds, v.persons, 3, v.read))
		})
	}
}

// For persons with one row each, samples have the same distribution as for rows, penalties
// included. Only the unit of counts differs.
func TestPersonsOfOneRow(t *testing.T) {
	type maker func(r privacy.Relation) (audittest.OfTable, error)
	c, plain := audittest.Square(t), privacytest.Decimal(t, "2")
	for name, of := range map[string]struct {
		rows audittest.Examples
		make maker
	}{
		"exponential": {c.Table([]int64{1, 2, 0, 1}), func(r privacy.Relation) (audittest.OfTable, error) {
			m, err := learn.NewExponential(c, plain, r, learn.ZeroOne)
			return audittest.Learning(t, m, 0), err
		}},
		"mixture": {audittest.Line(t).Table([]int64{1, 2, 0, 1}), func(r privacy.Relation) (audittest.OfTable, error) {
			u, _, _, _ := mixedOf(t, 2, 0)
			m, err := learn.NewMixture[[]uint16, union.Choice[any]](u, plain, r, learn.ZeroOne)
			return audittest.Learning(t, m, 0), err
		}},
		"staged": {audittest.Examples{{X: []uint16{0, 0}, Count: 1}, {X: []uint16{1, 0}, Label: true, Count: 2}}, func(r privacy.Relation) (audittest.OfTable, error) {
			s := keeping(sparseStages{o: sparse.Options{Sizes: []int{2, 1}, Most: 2, Points: 1, Threshold: 1, Draws: 1}})
			m, err := learn.NewStaged[[]uint16, sparse.Card](s, plain, r, learn.ZeroOne)
			return audittest.Learning(t, m, 0), err
		}},
	} {
		persons := slices.Clone(of.rows)
		for i := range persons {
			persons[i].Count *= table.Weight(3)
		}
		for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
			if !heavy.On() && r.Replaces() == (name == "mixture") {
				continue // test each under one relation
			}
			law := func(r privacy.Relation, d audittest.Examples) audit.Law[string] {
				m, err := of.make(r)
				if err != nil {
					t.Fatal(err)
				}
				return audit.LawOf(t, func(coins noise.Coins) string {
					h, err := m.OnExamples(context.Background(), d, coins)
					if err != nil {
						t.Fatal(err)
					}
					return h
				}, audit.InFull(1e-7, 1e-9))
			}
			ofRows, ofPersons := law(r, of.rows), law(r.OfPersons(3), persons)
			for _, h := range ofRows.Outcomes() {
				least, most := ofRows.Bounds(h)
				low, high := ofPersons.Bounds(h)
				if low > most*(1+1e-9) || high < least*(1-1e-9) || high-low > 1e-5 || most-least > 1e-5 {
					t.Errorf("%s, %v, %s: %g to %g for rows, %g to %g for persons", name, r, h, least, most, low, high)
				}
			}
		}
	}
}
