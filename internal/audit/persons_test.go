package audit

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/papers/statquery"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// People are the rows of each person, of one attribute and the label: "01" is code 0 and
// label 1, and "?0" a null row. Somebody without rows is not there.
type people [][]string

// A reading makes a table of people.
type reading func(t *testing.T, s *table.Schema, p people) *table.Table

// asShipped reads the rows of all people, in turns so that nobody's stand together.
func asShipped(t *testing.T, s *table.Schema, p people) *table.Table {
	rows := func(yield func([]string) bool) {
		for at := range 4 {
			for i, own := range p {
				if at < len(own) && !yield([]string{fmt.Sprint("person ", i), own[at][:1], own[at][1:]}) {
					return
				}
			}
		}
	}
	d, err := source.Memory{Header: []string{"who", "x", "y"}, Rows: source.Sure(rows)}.Table(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

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

// undivided has the rows of a person that count weigh a person each.
func undivided(t *testing.T, s *table.Schema, p people) *table.Table {
	b := s.Builder()
	for _, own := range p {
		for _, row := range own[:min(len(own), s.Person.Most)] {
			enter(t, b, row, s.Weight())
		}
	}
	return b.Table()
}

// allCount has all rows of a person count, sharing the weight of as many as should.
func allCount(t *testing.T, s *table.Schema, p people) *table.Table {
	b := s.Builder()
	for _, own := range p {
		for _, row := range own {
			enter(t, b, row, s.Weight()/int64(min(len(own), s.Person.Most)))
		}
	}
	return b.Table()
}

// byNumber keeps one row of each person, which one by the number of all rows.
func byNumber(t *testing.T, s *table.Schema, p people) *table.Table {
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

// personWorld returns the world of all tables of so many people, each with 1 to rows rows
// of the kinds, or, under add-remove, not there. Neighbours differ in one person. Tables
// that are alike are one.
func personWorld(t *testing.T, r privacy.Relation, kinds []string, persons, rows int, read reading) World[*table.Table] {
	s, err := table.NewSchema(table.Schema{
		Label:      &table.Label{Column: "y", Positive: []string{"1"}, Negative: []string{"0"}},
		Person:     &table.Person{Column: "who", Most: r.Persons()},
		Attributes: []table.Attribute{{Column: "x", Values: []string{"0", "1"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var lives [][]string
	for _, counts := range multisets(len(kinds), rows) {
		var own []string
		for k, n := range counts {
			own = append(own, slices.Repeat(kinds[k:k+1], int(n))...)
		}
		if len(own) > 0 || !r.Replaces() {
			lives = append(lives, own)
		}
	}
	w := World[*table.Table]{Relation: r}
	place := map[string]int{} // of a table, by its people
	at := func(p people) int {
		key := fmt.Sprint(p)
		if i, found := place[key]; found {
			return i
		}
		d := read(t, s, p)
		i := slices.IndexFunc(w.Tables, d.Equal)
		if i < 0 {
			i = len(w.Tables)
			w.Tables = append(w.Tables, d)
		}
		place[key] = i
		return i
	}
	pairs := map[[2]int]bool{}
	var extend func(p people)
	extend = func(p people) {
		if len(p) < persons {
			for _, own := range lives {
				extend(append(slices.Clone(p), own))
			}
			return
		}
		here := at(p)
		for i := range p {
			for _, own := range lives {
				if !r.Replaces() && len(p[i]) > 0 && len(own) > 0 {
					continue
				}
				q := slices.Clone(p)
				q[i] = own
				if there := at(q); here < there && !pairs[[2]int{here, there}] {
					pairs[[2]int{here, there}] = true
					w.Pairs = append(w.Pairs, [2]int{here, there})
				}
			}
		}
	}
	extend(nil)
	return w
}

// ofTable is a mechanism on tables.
type ofTable struct {
	promised privacy.Guarantee
	release  func(context.Context, *table.Table, noise.Coins) (string, error)
	examples func(context.Context, examples, noise.Coins) (string, error)
}

func (m ofTable) Guarantee() privacy.Guarantee { return m.promised }

func (m ofTable) Release(ctx context.Context, d *table.Table, c noise.Coins) (string, error) {
	return m.release(ctx, d, c)
}

// learning is a learner on tables, with the guarantee of another relation where one is given.
func learning[H any](t *testing.T, m privacy.Mechanism[examples, H], claims privacy.Relation) ofTable {
	g := m.Guarantee()
	if claims != 0 {
		epsilon, err := privacy.Epsilon(g, privacy.Decimal{})
		if err != nil {
			t.Fatal(err)
		}
		if g, err = privacy.NewPure(claims, epsilon); err != nil {
			t.Fatal(err)
		}
	}
	of := func(ctx context.Context, d examples, c noise.Coins) (string, error) {
		h, err := m.Release(ctx, d, c)
		return fmt.Sprint(h), err
	}
	return ofTable{g, func(ctx context.Context, d *table.Table, c noise.Coins) (string, error) {
		return of(ctx, learn.Examples(d), c)
	}, of}
}

// Mechanisms under a relation of persons, as shipped, on tables as source reads them: they
// keep their ε between all tables of one or two persons with up to three rows each, of
// which one person has other rows, or is there or not. Between persons of one row each they
// are what they are for rows, so no ε is wasted. The check refutes the rate for rows, for
// fewer rows, and for adding a person where one is replaced; rows that are not made lighter;
// rows beyond the most that count; and rows that are kept by what others have.
func TestPersons(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	c := class.Class[[]uint16, scorecard.Card](line(t))
	trees := treesOf(t, []dectree.Attribute{{Categories: 2}}, 1, 2)
	exponential := func(r, claims privacy.Relation) ofTable {
		m, err := learn.NewExponential(c, decimal(t, "2"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return learning(t, m, claims)
	}
	gibbs := func(r, claims privacy.Relation) ofTable {
		m, err := learn.NewGibbs(class.EraseSummed(trees), decimal(t, "2"), r, learn.ByError(2))
		if err != nil {
			t.Fatal(err)
		}
		return learning(t, onList[any]{m}, claims)
	}
	mixture := func(r, claims privacy.Relation) ofTable {
		of, _, _, _ := mixedOf(t, 1, 0)
		m, err := learn.NewMixture[[]uint16, union.Choice[any]](of, decimal(t, "2"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return learning(t, m, claims)
	}
	staged := func(r, claims privacy.Relation) ofTable {
		s := keeping(sparseStages{o: sparse.Options{Sizes: []int{2}, Most: 1, Points: 1, Threshold: 1, Draws: 1}})
		m, err := learn.NewStaged[[]uint16, sparse.Card](s, decimal(t, "2"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		return learning(t, m, claims)
	}
	rspm := func(r, claims privacy.Relation) ofTable {
		m, err := perturb.NewRSPM(malicious{disjunction(t)}, perturb.Laplace, decimal(t, "3"), r, learn.ZeroOne, 1)
		if err != nil {
			t.Fatal(err)
		}
		return learning(t, m, claims)
	}
	histogram := func(r, claims privacy.Relation) ofTable {
		m, err := learn.NewHistogram(2, decimal(t, "3"), r)
		if err != nil {
			t.Fatal(err)
		}
		g, err := privacy.NewPure(claims, decimal(t, "3"))
		if err != nil {
			t.Fatal(err)
		}
		return ofTable{promised: g, release: func(ctx context.Context, d *table.Table, coins noise.Coins) (string, error) {
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
	statistical := func(r, claims privacy.Relation) ofTable {
		g, err := privacy.NewPure(r, decimal(t, "3"))
		if err != nil {
			t.Fatal(err)
		}
		promised, err := privacy.NewPure(claims, decimal(t, "3"))
		if err != nil {
			t.Fatal(err)
		}
		return ofTable{promised: promised, release: func(ctx context.Context, d *table.Table, coins noise.Coins) (string, error) {
			s, err := statquery.NewStatistical(g, learn.Examples(d), coins)
			if err != nil {
				return "", err
			}
			q := statquery.Predicate(func(_ []uint16, label bool) bool { return label })
			noisy, err := s.Ask(ctx, q, big.NewRat(3, 1))
			if err != nil {
				return "", err
			}
			return fmt.Sprint(min(max(noisy[0].Int64(), 0), d.Weight())), nil
		}}
	}
	full, few := []string{"01", "10", "11"}, []string{"01", "10", "?0"}
	wrong := Verdict{1.05, 1e9}
	for _, v := range []struct {
		name    string
		kinds   []string
		persons int
		read    reading
		make    func(r, claims privacy.Relation) ofTable
		r       privacy.Relation // that the mechanism is made for
		claims  privacy.Relation
		want    Verdict
	}{
		{"exponential, replace, one row", full, 2, asShipped, exponential, replace.OfPersons(1), replace.OfPersons(1), Verdict{0.7, 1}},
		{"exponential, replace, two rows", full, 2, asShipped, exponential, replace.OfPersons(2), replace.OfPersons(2), Verdict{0.7, 1}},
		{"exponential, replace, three rows", full, 1, asShipped, exponential, replace.OfPersons(3), replace.OfPersons(3), Verdict{0.5, 1}},
		{"exponential, add-remove, two rows", full, 2, asShipped, exponential, addRemove.OfPersons(2), addRemove.OfPersons(2), Verdict{0.5, 1}},
		{"exponential, null rows", few, 2, asShipped, exponential, replace.OfPersons(2), replace.OfPersons(2), Verdict{0.5, 1}},
		{"gibbs, replace, two rows", few, 2, asShipped, gibbs, replace.OfPersons(2), replace.OfPersons(2), Verdict{0.4, 1}},
		{"gibbs, add-remove, three rows", few, 1, asShipped, gibbs, addRemove.OfPersons(3), addRemove.OfPersons(3), Verdict{0.4, 1}},
		{"mixture, replace, two rows", few, 2, asShipped, mixture, replace.OfPersons(2), replace.OfPersons(2), Verdict{0.4, 1}},
		{"mixture, add-remove, three rows", few, 1, asShipped, mixture, addRemove.OfPersons(3), addRemove.OfPersons(3), Verdict{0.4, 1}},
		{"staged, replace, two rows", few, 2, asShipped, staged, replace.OfPersons(2), replace.OfPersons(2), Verdict{0.4, 1}},
		{"rspm, replace, two rows", []string{"01", "00"}, 1, asShipped, rspm, replace.OfPersons(2), replace.OfPersons(2), Verdict{0.4, 1}},
		{"rspm, add-remove, two rows", []string{"01", "00"}, 1, asShipped, rspm, addRemove.OfPersons(2), addRemove.OfPersons(2), Verdict{0.3, 1}},
		{"histogram, replace, three rows", few, 1, asShipped, histogram, replace.OfPersons(3), replace.OfPersons(3), Verdict{0.99, 1.001}},
		{"histogram, add-remove, two rows", few, 2, asShipped, histogram, addRemove.OfPersons(2), addRemove.OfPersons(2), Verdict{0.99, 1.001}},
		{"statistical, replace, two rows", full, 2, asShipped, statistical, replace.OfPersons(2), replace.OfPersons(2), Verdict{0.49, 1.001}},
		{"statistical, add-remove, two rows", full, 2, asShipped, statistical, addRemove.OfPersons(2), addRemove.OfPersons(2), Verdict{0.99, 1.001}},

		{"the rate for rows", full, 1, asShipped, exponential, replace, replace.OfPersons(3), wrong},
		{"the rate for rows, gibbs", few, 1, asShipped, gibbs, addRemove, addRemove.OfPersons(3), wrong},
		{"the rate for rows, mixture", few, 1, asShipped, mixture, addRemove, addRemove.OfPersons(3), wrong},
		{"the rate for rows, staged", few, 1, asShipped, staged, replace, replace.OfPersons(2), wrong},
		{"the noise for rows", few, 1, asShipped, histogram, replace, replace.OfPersons(2), wrong},
		{"the noise for two rows where three count", few, 1, asShipped, histogram, replace.OfPersons(2), replace.OfPersons(3), wrong},
		{"the shift for rows", []string{"01", "00"}, 1, asShipped, rspm, replace, replace.OfPersons(3), wrong},
		{"the answers for rows", full, 1, asShipped, statistical, addRemove, addRemove.OfPersons(2), wrong},
		{"the rate for adding a person", full, 1, asShipped, exponential, addRemove.OfPersons(2), replace.OfPersons(2), wrong},
		{"rows that weigh a person each", full, 1, undivided, exponential, replace.OfPersons(2), replace.OfPersons(2), wrong},
		{"all rows count", few, 1, allCount, histogram, replace.OfPersons(2), replace.OfPersons(2), wrong},
		{"rows kept by the number of all", full, 2, byNumber, exponential, replace.OfPersons(1), replace.OfPersons(1), wrong},
	} {
		t.Run(v.name, func(t *testing.T) {
			o := InFull(1e-7, 1e-9)
			w := personWorld(t, v.claims, v.kinds, v.persons, 3, v.read)
			r, err := CheckMechanism(v.make(v.r, v.claims), strings.Clone, w, o)
			if err != nil {
				t.Fatal(err)
			}
			Judge(t, v.want, r, o)
			if epsilon, _ := r.Epsilon.Rat().Float64(); v.want.Most <= 1.001 && !r.Confirmed(0.01*epsilon) {
				t.Error("not confirmed")
			}
		})
	}
}

// Persons of one row each are drawn from by the law that rows have, penalties and charges
// included: nothing but the unit of counts is another.
func TestPersonsOfOneRow(t *testing.T) {
	type maker func(r privacy.Relation) (ofTable, error)
	c, plain := square(t), decimal(t, "2")
	for name, of := range map[string]struct {
		rows examples
		make maker
	}{
		"exponential": {c.table([]int64{1, 2, 0, 1}), func(r privacy.Relation) (ofTable, error) {
			m, err := learn.NewExponential(c, plain, r, learn.ZeroOne)
			return learning(t, m, 0), err
		}},
		"mixture": {line(t).table([]int64{1, 2, 0, 1}), func(r privacy.Relation) (ofTable, error) {
			u, _, _, _ := mixedOf(t, 2, 0)
			m, err := learn.NewMixture[[]uint16, union.Choice[any]](u, plain, r, learn.ZeroOne)
			return learning(t, m, 0), err
		}},
		"staged": {examples{{X: []uint16{0, 0}, Count: 1}, {X: []uint16{1, 0}, Label: true, Count: 2}}, func(r privacy.Relation) (ofTable, error) {
			s := keeping(sparseStages{o: sparse.Options{Sizes: []int{2, 1}, Most: 2, Points: 1, Threshold: 1, Draws: 1}})
			m, err := learn.NewStaged[[]uint16, sparse.Card](s, plain, r, learn.ZeroOne)
			return learning(t, m, 0), err
		}},
	} {
		persons := slices.Clone(of.rows)
		for i := range persons {
			persons[i].Count *= table.Weight(3)
		}
		for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
			law := func(r privacy.Relation, d examples) Law[string] {
				m, err := of.make(r)
				if err != nil {
					t.Fatal(err)
				}
				return LawOf(t, func(coins noise.Coins) string {
					h, err := m.examples(context.Background(), d, coins)
					if err != nil {
						t.Fatal(err)
					}
					return h
				}, InFull(1e-7, 1e-9))
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
