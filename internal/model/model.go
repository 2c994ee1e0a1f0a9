package model

import (
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Model is a hypothesis ready for use. Models that Read returns are valid.
type Model struct {
	Schema     *table.Schema // labelled
	Form       Form
	Space      Space // the form over the schema; nil: it is laid out when it is needed
	Hypothesis any   // of the space
	Mechanism  Mechanism

	// Guarantee is what the release promises, nil where nothing is promised;
	// then Void says why, and otherwise it is empty.
	Guarantee *privacy.Statement
	Void      Void

	// Risks are noisy counts of the grades and outcomes of the table that the hypothesis
	// was learned from, whose ε is part of the guarantee's; nil for none.
	Risks *risk.Counts
}

// Over returns the form over the schema, which is laid out once.
func (m *Model) Over() (Space, error) {
	if m.Space != nil {
		return m.Space, nil
	}
	var err error
	m.Space, err = Over(m.Form, m.Schema)
	return m.Space, err
}

// Outcome returns the function that predicts the outcome of a record in the schema's codes:
// its number, which of two outcomes is 1 for the positive one.
func (m *Model) Outcome() (func(table.Record) int, error) {
	b, err := m.body()
	if err != nil {
		return nil, err
	}
	return b.Outcome, nil
}

// body returns what the hypothesis says of records, or says in one sentence why it is not of the
// form.
func (m *Model) body() (rule.Body, error) {
	space, err := m.Over()
	if err != nil {
		return nil, err
	}
	if err := space.check(m.Hypothesis); err != nil {
		return nil, err
	}
	return simple(space, m.Hypothesis), nil
}

// simple returns what a hypothesis of a space says of records, without what is asked in vain.
func simple(s Space, h any) rule.Body { return rule.Simplify(s.rule(h), s.domain().Sizes()) }

// Rule returns what a valid model says of records.
func (m *Model) Rule() rule.Body {
	b, err := m.body()
	if err != nil {
		panic(err)
	}
	return b
}

// Grades returns how the hypothesis grades, for risks.
func (m *Model) Grades() (risk.Grading, error) {
	if _, err := m.body(); err != nil {
		return risk.Grading{}, err
	}
	return Grades(m.Space, m.Hypothesis), nil
}

// Grades returns how a hypothesis of a space grades, for risks.
func Grades(s Space, h any) risk.Grading {
	return risk.GradingOf(simple(s, h), s.domain().Sizes(), s.domain().Outcomes())
}

// Count returns the exact numbers of rows of each grade, which are for the curator of the
// table.
func (m *Model) Count(t *table.Table) (*risk.Counts, error) {
	g, err := m.Grades()
	if err != nil {
		return nil, err
	}
	c, err := risk.Exact(g.Scale, g.Scale.Count(t, g.Of))
	if err == nil {
		c.Order = m.Order()
	}
	return c, err
}

// Order returns the leaves of a valid model from the least of the risks that it states, nil
// where it states none of leaves, or more than one of each.
func (m *Model) Order() []int {
	if a := m.Assessment(); a != nil {
		return a.Order
	}
	return nil
}

// Grader returns the function that tells more of a record than the prediction, and the
// name of what it tells, such as "total"; nil where nothing does.
func (m *Model) Grader() (grade string, grader func(table.Record) int) {
	b := m.Rule()
	if b.Measure() == "" {
		return "", nil
	}
	return b.Measure(), b.Grade
}

// chosen returns the hypothesis of a valid model with what it is: of several forms, the one
// that was chosen.
func (m *Model) chosen() (Form, Space, any) {
	space, err := m.Over()
	if err != nil {
		panic(err)
	}
	if choice, ok := m.Hypothesis.(union.Choice[any]); ok {
		return parts(m.Form)[choice.Member], Members(space)[choice.Member], choice.Hypothesis
	}
	return m.Form, space, m.Hypothesis
}

// Sheet lays out a valid model for people.
func (m *Model) Sheet() report.Sheet {
	heading := report.NewHeading(m.Schema)
	form, space, h := m.chosen()
	s := report.NewSheet(form.Name(), nounOf(m.Form, form), heading, report.NewBody(heading, m.Schema, simple(space, h)))
	for _, part := range parts(m.Form) {
		s.From(part.Name(), nounOf(m.Form, part))
	}
	s.State(m.Assessment())
	return s
}

// Assessment evaluates a valid model on the rows that it was learned from, by its risks. It is nil
// if the model has no risks.
func (m *Model) Assessment() *risk.Assessment {
	if m.Risks == nil {
		return nil
	}
	return m.Risks.Assess(risk.Rows, nil)
}

// Risk returns the function that tells the risks of a record by those of a valid model: that
// of the positive outcome, or of each where there are more than two; nil where it has none.
func (m *Model) Risk() func(table.Record) []risk.Share {
	of := m.RiskOf()
	if of == nil {
		return nil
	}
	b := m.Rule()
	return func(r table.Record) []risk.Share { return of(b.Grade(r)) }
}

// RiskOf is Risk for a grade of the model's rule.
func (m *Model) RiskOf() func(grade int) []risk.Share {
	a := m.Assessment()
	if a == nil || a.Risks == nil {
		return nil
	}
	g, err := m.Grades()
	if err != nil {
		panic(err) // of a valid model
	}
	return func(grade int) []risk.Share { return a.At(g.Value(grade)).Shares }
}

// Calibration compares the risks that a valid model states of two outcomes with those found
// on a table that it was not learned from; nil where it states none.
func (m *Model) Calibration(found *risk.Assessment) []risk.Calibration {
	stated := m.Assessment()
	if stated == nil {
		return nil
	}
	return found.Calibration(stated)
}

// A Void is the reason why a model promises nothing.
type Void string

const (
	// InsecureSeed: its coins can be computed from a seed.
	InsecureSeed Void = "insecure-seed"
	// NoMechanism: it was computed from the data without noise.
	NoMechanism Void = "no-mechanism"
)

// NotPrivate is the key, and in tables the column, that says why nothing is promised.
const NotPrivate = "not_private"

// Text returns a sentence for people, empty for an unknown reason.
func (v Void) Text() string {
	switch v {
	case InsecureSeed:
		return "The coins came from --insecure-seed: whoever knows or guesses the seed can take the noise away."
	case NoMechanism:
		return "It was computed from the data without any noise."
	}
	return ""
}

// Validate reports in one sentence what is wrong with the model.
func (m *Model) Validate() error {
	if m.Schema == nil {
		return errors.New("the model has no schema")
	}
	if m.Schema.Label == nil {
		return errors.New("the model's schema has no [label], so there is nothing to predict")
	}
	if _, err := m.Outcome(); err != nil {
		return err
	}
	if m.Risks != nil {
		grading, err := m.Grades()
		if err != nil {
			return fmt.Errorf("there are risks, but %w", err)
		}
		if !m.Risks.Scale.Equal(grading.Scale) {
			return errors.New("the risks are not of the grades that the hypothesis has")
		}
		if err := m.validateRisks(m.Risks.Epsilon, m.Risks.Relation); err != nil {
			return err
		}
	}
	return m.validateGuarantee()
}

// validateRisks reports risks that are no part of the guarantee.
func (m *Model) validateRisks(epsilon privacy.Decimal, r privacy.Relation) error {
	switch g := m.Guarantee; {
	case m.Mechanism.Name == None:
		return errors.New("the model was made without privacy, and has risks with noise")
	case r != m.personal(r):
		return fmt.Errorf("the risks are under the relation %v, and the schema gives %v", r, m.personal(r))
	case g == nil:
	case r != g.Relation:
		return fmt.Errorf("the risks are under the relation %v, the guarantee is under %v", r, g.Relation)
	case epsilon.IsZero() || epsilon.Cmp(g.Epsilon) >= 0:
		return fmt.Errorf("the risks spend an epsilon of %s, which leaves nothing of the stated %s", epsilon, g.Epsilon)
	}
	return nil
}

// personal returns the relation over the model's schema.
func (m *Model) personal(r privacy.Relation) privacy.Relation {
	if m.Schema.Person == nil {
		return r.OfPersons(0)
	}
	return r.OfPersons(m.Schema.Person.Most)
}

func (m *Model) validateGuarantee() error {
	switch {
	case m.Mechanism.Name == None && m.Guarantee != nil:
		return errors.New("the model has a guarantee, but no mechanism that could give it")
	case m.Guarantee == nil && m.Void.Text() == "":
		return fmt.Errorf("the model has no guarantee, and not_private does not say why (it is %s)", quote.Word(string(m.Void)))
	case m.Guarantee == nil && (m.Void == NoMechanism) != (m.Mechanism.Name == None):
		return fmt.Errorf("the model says it is not private because of %s, which does not go with the mechanism %q", quote.Word(string(m.Void)), m.Mechanism.Name)
	case m.Guarantee == nil:
		return nil
	case m.Void != "":
		return errors.New("the model has a guarantee and says that it is not private")
	case m.Guarantee.Epsilon.IsZero():
		return errors.New("the guarantee must have a positive epsilon")
	}
	if _, err := m.Guarantee.Relation.MarshalText(); err != nil {
		return errors.New(`the guarantee has no relation; it is "replace" or "add-remove"`)
	}
	if r := m.Guarantee.Relation; r != m.personal(r) {
		return fmt.Errorf("the guarantee is under the relation %v, and the schema gives %v: whose rows are protected is told by its [person]", r, m.personal(r))
	}
	return nil
}
