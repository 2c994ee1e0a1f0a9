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

// A Model is a released hypothesis with its schema, its form and its guarantee. Read returns only
// valid models.
type Model struct {
	Schema     *table.Schema // the schema, which must have a label
	Form       Form
	Space      Space // the form applied to the schema; if nil, Over sets it
	Hypothesis any   // a hypothesis of the space
	Mechanism  Mechanism

	// Guarantee is the guarantee of the release, or nil if there is none. If it is nil, Void is the reason; otherwise
	// Void is empty.
	Guarantee *privacy.Statement
	Void      Void

	// Risks holds noisy counts, by grade and outcome, of the table from which the hypothesis was learned, or is nil.
	// The ε of the guarantee includes the ε of these counts.
	Risks *risk.Counts
}

// Over returns the space of the model: its form, applied to its schema. The first call computes the space, and later
// calls return the same one.
func (m *Model) Over() (Space, error) {
	if m.Space != nil {
		return m.Space, nil
	}
	var err error
	m.Space, err = Over(m.Form, m.Schema)
	return m.Space, err
}

// Outcome returns the function by which the model predicts. Its argument is a record of the model's schema, and its
// result is the index of an outcome. If there are two outcomes, index 1 is the positive one.
func (m *Model) Outcome() (func(table.Record) int, error) {
	b, err := m.body()
	if err != nil {
		return nil, err
	}
	return b.Outcome, nil
}

// body returns the simplified rule by which the model predicts. It returns an error if the hypothesis is not in the
// model's class.
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

// simple returns the rule of the hypothesis h, without conditions that do not affect any prediction.
func simple(s Space, h any) rule.Body { return rule.Simplify(s.rule(h), s.domain().Sizes()) }

// Rule returns the simplified rule by which the model predicts. The model must be valid.
func (m *Model) Rule() rule.Body {
	b, err := m.body()
	if err != nil {
		panic(err)
	}
	return b
}

// Grades returns the function that assigns a grade to each record, such as the total of a card. A model states one
// risk for each grade.
func (m *Model) Grades() (risk.Grading, error) {
	if _, err := m.body(); err != nil {
		return risk.Grading{}, err
	}
	return Grades(m.Space, m.Hypothesis), nil
}

// Grades returns the function that assigns a grade to each record, such as the total of a card. h is a hypothesis
// of the space s.
func Grades(s Space, h any) risk.Grading {
	return risk.GradingOf(simple(s, h), s.domain().Sizes(), s.domain().Outcomes())
}

// Count returns the exact number of rows of the table t with each grade and outcome. These numbers are private: only
// the curator of t may see them.
func (m *Model) Count(t *table.Table) (*risk.Counts, error) {
	g, err := m.Grades()
	if err != nil {
		return nil, err
	}
	c, err := g.Exact(t)
	if err == nil {
		c.Order = m.Order()
	}
	return c, err
}

// Order returns the leaves of a tree in increasing order of the risks that the model states. It returns nil if the
// grades are not leaves, if the label has more than two outcomes, or if the model states no risks. The model must
// be valid.
func (m *Model) Order() []int {
	if a := m.Assessment(); a != nil {
		return a.Order
	}
	return nil
}

// Grader returns the name of a grade of the model, such as "total", and a function that computes the grade of a
// record. If the grade is just the prediction, Grader returns "" and nil.
func (m *Model) Grader() (grade string, grader func(table.Record) int) {
	b := m.Rule()
	if b.Measure() == "" {
		return "", nil
	}
	return b.Measure(), b.Grade
}

// chosen returns the hypothesis of a valid model, with its form and its space. For a union and for card-or-tree, it
// returns those of the member to which the hypothesis belongs.
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

// Sheet returns a description of a valid model for human readers.
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

// Assessment estimates, from the model's risks only, how well a valid model predicts the rows from which it was
// learned. It returns nil if the model states no risks.
func (m *Model) Assessment() *risk.Assessment {
	if m.Risks == nil {
		return nil
	}
	return m.Risks.Assess(risk.Rows, nil)
}

// Risk returns a function that returns the risks of a record. A risk is the share of an outcome among the rows of
// the same grade. If there are two outcomes, the result has only the risk of the positive one. Otherwise it has one
// risk for each outcome. Risk returns nil if the model states no risks. The model must be valid.
func (m *Model) Risk() func(table.Record) []risk.Share {
	of := m.RiskOf()
	if of == nil {
		return nil
	}
	b := m.Rule()
	return func(r table.Record) []risk.Share { return of(b.Grade(r)) }
}

// RiskOf is like Risk, but the argument of the returned function is a grade instead of a record.
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

// Calibration compares the risks that a valid model states with the risks found on another table than the one
// from which the model was learned. It returns nil if the model states no risks, or if there are more than
// two outcomes.
func (m *Model) Calibration(found *risk.Assessment) []risk.Calibration {
	stated := m.Assessment()
	if stated == nil {
		return nil
	}
	return found.Calibration(stated)
}

// A Void is the reason why a model has no guarantee. It is empty if the model has one.
type Void string

const (
	// InsecureSeed states that the randomness was generated from a seed.
	InsecureSeed Void = "insecure-seed"
	// NoMechanism states that the model was computed from the data without noise.
	NoMechanism Void = "no-mechanism"
)

// NotPrivate is the key in model files that states why a model has no guarantee. In tables of models, it is the
// name of the column for this reason.
const NotPrivate = "not_private"

// Text returns the reason why a model has no guarantee as a sentence. It returns "" for an unknown reason.
func (v Void) Text() string {
	switch v {
	case InsecureSeed:
		return "The random bits came from --insecure-seed: whoever knows or guesses the seed can subtract the noise."
	case NoMechanism:
		return "It was computed from the data without any noise."
	}
	return ""
}

// Validate returns an error if the parts of the model are invalid or contradict each other.
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
			return errors.New("the risks of the model must have the same grades as its hypothesis")
		}
		if err := m.validateRisks(m.Risks.Epsilon, m.Risks.Relation); err != nil {
			return err
		}
	}
	return m.validateGuarantee()
}

// validateRisks returns an error if the risks do not match the guarantee. epsilon is the part of ε that the release
// of the risks consumed, and r is its neighbour relation.
func (m *Model) validateRisks(epsilon privacy.Decimal, r privacy.Relation) error {
	switch g := m.Guarantee; {
	case m.Mechanism.Name == None:
		return errors.New("the model was made without privacy, so it must not have noisy risks")
	case r != m.personal(r):
		return fmt.Errorf("the neighbour relation of the risks is %v, but the schema's [person] requires %v", r, m.personal(r))
	case g == nil:
	case r != g.Relation:
		return fmt.Errorf("the neighbour relation of the risks is %v, but that of the guarantee is %v; they must be the same", r, g.Relation)
	case epsilon.IsZero() || epsilon.Cmp(g.Epsilon) >= 0:
		return fmt.Errorf("the risks consume an epsilon of %s, which must be less than the stated epsilon of %s", epsilon, g.Epsilon)
	}
	return nil
}

// personal returns the relation between persons that corresponds to r. If the schema has no [person], it returns
// the relation between rows.
func (m *Model) personal(r privacy.Relation) privacy.Relation {
	if m.Schema.Person == nil {
		return r.OfPersons(0)
	}
	return r.OfPersons(m.Schema.Person.Most)
}

// validateGuarantee returns an error if the guarantee, the reason for its absence (the Void) and the mechanism
// contradict each other.
func (m *Model) validateGuarantee() error {
	switch {
	case m.Mechanism.Name == None && m.Guarantee != nil:
		return errors.New("the model states a guarantee, but its mechanism gives none")
	case m.Guarantee == nil && m.Void.Text() == "":
		return fmt.Errorf("the model has no guarantee, so the key \"not_private\" must state the reason, but it is %s", quote.Word(string(m.Void)))
	case m.Guarantee == nil && (m.Void == NoMechanism) != (m.Mechanism.Name == None):
		return fmt.Errorf("the key \"not_private\" is %s, which does not match the mechanism %q", quote.Word(string(m.Void)), m.Mechanism.Name)
	case m.Guarantee == nil:
		return nil
	case m.Void != "":
		return errors.New("the model must have either a guarantee or the key \"not_private\", but has both")
	case m.Guarantee.Epsilon.IsZero():
		return errors.New("the guarantee must have a positive epsilon")
	}
	if _, err := m.Guarantee.Relation.MarshalText(); err != nil {
		return errors.New(`the guarantee has no neighbour relation; its key "relation" must be "replace" or "add-remove"`)
	}
	if r := m.Guarantee.Relation; r != m.personal(r) {
		return fmt.Errorf("the neighbour relation of the guarantee is %v, but the schema's [person] requires %v", r, m.personal(r))
	}
	return nil
}
