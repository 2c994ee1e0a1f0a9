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

// A Model is a released hypothesis with its schema, its form, its mechanism and its privacy guarantee. Models that
// Read returns are valid.
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

// Over returns the space of the model, which is the set of hypotheses of its form over its schema. The space is
// computed by the first call and kept for later calls.
func (m *Model) Over() (Space, error) {
	if m.Space != nil {
		return m.Space, nil
	}
	var err error
	m.Space, err = Over(m.Form, m.Schema)
	return m.Space, err
}

// Outcome returns the function by which the model predicts. The function maps a record of the model's schema to the
// index of an outcome. If there are two outcomes, index 1 is the positive one.
func (m *Model) Outcome() (func(table.Record) int, error) {
	b, err := m.body()
	if err != nil {
		return nil, err
	}
	return b.Outcome, nil
}

// body returns the rule by which the model predicts, without redundant parts. It returns an error if the hypothesis
// is not in the model's class.
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

// simple returns the rule by which the hypothesis h predicts, without conditions that affect no prediction.
func simple(s Space, h any) rule.Body { return rule.Simplify(s.rule(h), s.domain().Sizes()) }

// Rule returns the rule by which the model predicts, without conditions that affect no prediction. The model must be
// valid.
func (m *Model) Rule() rule.Body {
	b, err := m.body()
	if err != nil {
		panic(err)
	}
	return b
}

// Grades returns the function that assigns a grade to each record, such as the total of a scorecard. For each grade,
// a model may state a risk.
func (m *Model) Grades() (risk.Grading, error) {
	if _, err := m.body(); err != nil {
		return risk.Grading{}, err
	}
	return Grades(m.Space, m.Hypothesis), nil
}

// Grades returns the function by which the hypothesis h of the space s assigns a grade to each record, such as the
// total of a scorecard.
func Grades(s Space, h any) risk.Grading {
	return risk.GradingOf(simple(s, h), s.domain().Sizes(), s.domain().Outcomes())
}

// Count returns the exact number of rows with each grade and outcome in the table t. These numbers are private: only
// the curator of the data may see them.
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

// Order returns the leaves of a decision tree in increasing order of the risks that the model states. It returns nil
// if the grades of the model are not leaves, if the label has more than two outcomes, or if the model states no
// risks. The model must be valid.
func (m *Model) Order() []int {
	if a := m.Assessment(); a != nil {
		return a.Order
	}
	return nil
}

// Grader returns the name of the model's grade, such as "total", and a function that computes the grade of a record.
// If the grade is only the prediction, the results are "" and nil.
func (m *Model) Grader() (grade string, grader func(table.Record) int) {
	b := m.Rule()
	if b.Measure() == "" {
		return "", nil
	}
	return b.Measure(), b.Grade
}

// chosen returns the hypothesis of a valid model with its form and its space. For a union of forms (including
// card-or-tree), these are the form and the space of the member to which the hypothesis belongs.
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

// Sheet returns a description of the model for human readers. The model must be valid.
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

// Assessment estimates, from the model's risks only, how well the model predicts the rows from which it was learned.
// It returns nil if the model states no risks. The model must be valid.
func (m *Model) Assessment() *risk.Assessment {
	if m.Risks == nil {
		return nil
	}
	return m.Risks.Assess(risk.Rows, nil)
}

// Risk returns a function that maps a record to its risks. A risk is the share of an outcome among the rows with the
// record's grade. If there are two outcomes, the function returns only the risk of the positive one, and otherwise
// one risk for each outcome. Risk returns nil if the model states no risks. The model must be valid.
func (m *Model) Risk() func(table.Record) []risk.Share {
	of := m.RiskOf()
	if of == nil {
		return nil
	}
	b := m.Rule()
	return func(r table.Record) []risk.Share { return of(b.Grade(r)) }
}

// RiskOf is like Risk, but the returned function maps a grade, instead of a record, to its risks.
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

// Calibration compares the risks that the model states with those found on a table other than the one from which the
// model was learned. It returns nil if the model states no risks, or if there are more than two outcomes. The model
// must be valid.
func (m *Model) Calibration(found *risk.Assessment) []risk.Calibration {
	stated := m.Assessment()
	if stated == nil {
		return nil
	}
	return found.Calibration(stated)
}

// A Void is the reason why a model has no privacy guarantee. It is empty if the model has a guarantee.
type Void string

const (
	// InsecureSeed states that the randomness was generated from a seed, so whoever knows the seed can subtract the
	// noise.
	InsecureSeed Void = "insecure-seed"
	// NoMechanism states that the model was computed from the data without noise.
	NoMechanism Void = "no-mechanism"
)

// NotPrivate is the name of a model's field that states why the model has no guarantee: the key in model files, and
// the column in tables of models.
const NotPrivate = "not_private"

// Text returns the reason why the model has no guarantee as a sentence, or "" if the reason is unknown.
func (v Void) Text() string {
	switch v {
	case InsecureSeed:
		return "The random bits came from --insecure-seed: whoever knows or guesses the seed can subtract the noise."
	case NoMechanism:
		return "It was computed from the data without any noise."
	}
	return ""
}

// Validate returns an error if a part of the model is invalid or contradicts another part.
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

// validateRisks returns an error if the model's risks contradict its guarantee. The parameter epsilon is the part of
// ε that the release of the risks consumed, and r is the neighbour relation of that release.
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

// personal returns the neighbour relation between persons that corresponds to r, a relation between rows. If the
// schema has no [person], it returns the relation between rows.
func (m *Model) personal(r privacy.Relation) privacy.Relation {
	if m.Schema.Person == nil {
		return r.OfPersons(0)
	}
	return r.OfPersons(m.Schema.Person.Most)
}

// validateGuarantee returns an error if the guarantee, the mechanism and the stated reason for a missing guarantee
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
