package release

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The error message lists the mechanisms that support persons.
func TestPersonalNames(t *testing.T) {
	var names []string
	for _, k := range mechanism.All() {
		if k.Persons && !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
	}
	last := len(names) - 1
	if want := strings.Join(names[:last], ", ") + " and " + names[last]; mechanism.PersonalNames != want {
		t.Errorf("%q, want %q", mechanism.PersonalNames, want)
	}
}

// The refusal of a mechanism that is proved only for rows names the mechanisms of the same class that are proved for
// persons, and another class if there are none.
func TestRefusalsForPersons(t *testing.T) {
	schema := parseSchema(t)
	schema.Person = &table.Person{Column: "who", Most: 3}
	for _, class := range model.Kinds() {
		form, err := class.New().Form(schema)
		if err != nil {
			continue // a class that needs a parameter
		}
		s := &mechanism.Setting{Schema: schema, Form: form}
		var proved []string
		for _, k := range mechanism.Kinds(class) {
			if k.Persons {
				proved = append(proved, k.Name)
			}
		}
		for _, k := range mechanism.Kinds(class) {
			err := s.ForPersons(k)
			if (err == nil) != k.Persons {
				t.Errorf("%s, %s: %v", class.Name, k.Name, err)
			}
			if err == nil {
				continue
			}
			_, remedy, _ := strings.Cut(err.Error(), "; use ")
			want := "another class, such as tree or naive-bayes"
			if len(proved) > 0 {
				want = "--mechanism " + strings.Join(proved, " or ")
			}
			if remedy != want {
				t.Errorf("%s, %s: %q, want %q", class.Name, k.Name, remedy, want)
			}
		}
	}
}

// If the schema has a person, a model's rate is that for rows, its relation and shift are those for
// persons, and limits on rows are divided by a person's weight.
func TestPersons(t *testing.T) {
	for most := 1; most <= table.MostOfPerson; most++ {
		s := parseSchema(t)
		s.Person = &table.Person{Column: "who", Most: most}
		for _, r := range []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove} {
			ask := Request{Schema: s, Form: plain, Epsilon: decimal(t, "4"), Relation: r, Rows: learn.MostRows / table.Weight(most)}
			p := prepared(t, ask)
			rate := "2"
			if r == privacy.AddRemove {
				rate = "4"
			}
			if m := p.model(nil); m.Guarantee.Relation != r.OfPersons(most) || !strings.Contains(string(m.Mechanism.Parameters), `"rate":"`+rate+`"`) {
				t.Errorf("%v, %s", m.Guarantee, m.Mechanism.Parameters)
			}
			own := *p.model(some(p.setting.Space, s))
			stated := *own.Guarantee
			own.Guarantee = &stated
			if _, err := own.Text(); err != nil {
				t.Error(err)
			}
			stated.Relation = r
			if err := own.Validate(); err == nil || !strings.Contains(err.Error(), "but the schema's [person] requires") {
				t.Errorf("a guarantee for rows: %v", err)
			}
			if got, want := mechanism.Layout(mechanism.ChosenFrom(p.setting.Space), s, 1), mechanism.Layout(mechanism.ChosenFrom(p.setting.Space), s.ByRow(), int64(most)); got != want {
				t.Errorf("laid out for a person of %d rows: %+v, want %+v", most, got, want)
			}
			ask.Rows++
			if _, err := ask.Prepare(); err == nil || !strings.Contains(err.Error(), "--rows") {
				t.Errorf("too many persons: %v", err)
			}
			ask.Rows, ask.Relation = 0, r.OfPersons(most%table.MostOfPerson+1)
			if _, err := ask.Prepare(); err == nil || !strings.Contains(err.Error(), "does not match the schema") {
				t.Errorf("another relation: %v", err)
			}
		}
	}
}

// The stated time is for the maximum number of rows of the stated persons, and the row limit is in
// persons.
func TestPersonsTake(t *testing.T) {
	for _, most := range []int{1, 2, table.MostOfPerson} {
		s := wideSchema(10, 7)
		s.Person = &table.Person{Column: "who", Most: most}
		for _, f := range []model.Form{model.DecisionTree{Depth: 2}, model.UnionOf([]model.Form{plain, model.DecisionTree{Depth: 2}})} {
			persons := Request{Schema: s, Form: f, Epsilon: decimal(t, "1"), Rows: 100_000}
			rows := Request{Schema: s.ByRow(), Form: f, Epsilon: decimal(t, "1"), Rows: 100_000 * int64(most)}
			if got, want := prepared(t, persons).Effort.Seconds, prepared(t, rows).Effort.Seconds; got != want || got == 0 {
				t.Errorf("%s of %d rows of a person: %g s, want %g", f.Name(), most, got, want)
			}
		}
		bayes := Request{Schema: s, Form: model.Additive{Kind: model.NaiveBayes}, Epsilon: decimal(t, "1")}
		if got, want := prepared(t, bayes).most, learn.MostRows/table.Weight(most); got != want {
			t.Errorf("room for %d persons of %d rows, not %d", got, most, want)
		}
	}
}

// A table whose rows have another weight than the schema's is refused, such as rows in memory that
// were not grouped by person.
func TestPersonsWeigh(t *testing.T) {
	s := parseSchema(t)
	s.Person = &table.Person{Column: "who", Most: 2}
	b := table.NewBuilder(s.Sizes())
	if err := b.AddNull(4); err != nil {
		t.Fatal(err)
	}
	d := given{b.Table()}
	ask := Request{Schema: s, Form: plain, Epsilon: decimal(t, "4")}
	const want = "the table must bound the contribution of each person, as the schema's [person] requires"
	if _, err := prepared(t, ask).Release(t.Context(), d, Terms{}); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	m := prepared(t, ask).model(some(prepared(t, ask).setting.Space, s))
	e, err := Evaluation{Model: m, Epsilon: decimal(t, "1")}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	if e.Guarantee.Relation != privacy.ReplaceOne.OfPersons(2) {
		t.Errorf("%v", e.Guarantee)
	}
	if _, err := e.Release(t.Context(), d, Terms{}); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	void := *m
	void.Guarantee, void.Void = nil, model.InsecureSeed
	if e, err := (Evaluation{Model: &void, Epsilon: decimal(t, "1"), Relation: privacy.AddRemove}).Prepare(); err != nil || e.Guarantee.Relation != privacy.AddRemove.OfPersons(2) {
		t.Errorf("%v", err)
	}
	if e, err := (Evaluation{Model: &void, Epsilon: decimal(t, "1")}).Prepare(); err != nil || e.Guarantee.Relation != privacy.ReplaceOne.OfPersons(2) {
		t.Errorf("%v", err)
	}
}

// given is data with a fixed table, of any schema.
type given struct{ table *table.Table }

func (d given) Ready(context.Context, *table.Schema, table.Queries) error { return nil }

func (d given) Table(context.Context, *table.Schema) (*table.Table, error) { return d.table, nil }
func (d given) Records(context.Context, *table.Schema, func(source.Row) error) error {
	return nil
}

// The candidates of the choice state why they are not taken, without a remedy: the user did not ask for them.
func TestCandidatesStateNoRemedy(t *testing.T) {
	for _, most := range []int{0, 3} {
		s := parseSchema(t)
		if most > 0 {
			s.Person = &table.Person{Column: "who", Most: most}
		}
		r := Request{Schema: s, Epsilon: decimal(t, "1"), Relation: privacy.ReplaceOne, Rows: 2000}
		c, err := r.Choose()
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range c {
			if of.Why == "" || strings.Contains(of.Why, "; use") {
				t.Errorf("%s: %q", of.Class, of.Why)
			}
		}
	}
}
