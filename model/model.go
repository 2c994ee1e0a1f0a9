package model

import (
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/class/union"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A Model is a hypothesis ready for use. Models that Read returns are valid.
type Model struct {
	Schema     *table.Schema // labelled
	Form       Form
	Hypothesis any // of the form over the schema
	Mechanism  Mechanism

	// Guarantee is what the release promises, nil where nothing is promised;
	// then Void says why, and otherwise it is empty.
	Guarantee *Guarantee
	Void      Void
}

// Predictor returns the function that predicts the label of a record in the
// schema's codes.
func (m *Model) Predictor() (func(table.Record) bool, error) {
	return m.Form.predictor(m.Schema, m.Hypothesis)
}

// Chosen returns the hypothesis with what it is: of a union, the member that was
// chosen.
func (m *Model) Chosen() (Form, any) {
	if u, ok := m.Form.(Union); ok {
		choice := m.Hypothesis.(union.Choice[any])
		return u.Members[choice.Member].Family, choice.Hypothesis
	}
	return m.Form, m.Hypothesis
}

// A Guarantee is a guarantee as it is stated to people: ε and δ, which is 0 where
// the guarantee is pure.
type Guarantee struct {
	Epsilon  privacy.Decimal      `json:"epsilon"`
	Delta    privacy.Decimal      `json:"delta"`
	Relation privacy.Relation     `json:"relation"`
	Assumes  []privacy.Assumption `json:"assumes"`
}

// State returns what to tell of a guarantee that is pure or (ε, δ).
func State(g privacy.Guarantee) (*Guarantee, error) {
	if a, ok := g.(privacy.Approximate); ok {
		return &Guarantee{a.Epsilon(), a.DeltaAtEpsilon(), a.Relation(), a.Assumes()}, nil
	}
	epsilon, err := privacy.Epsilon(g, privacy.Decimal{})
	if err != nil {
		return nil, err
	}
	return &Guarantee{Epsilon: epsilon, Relation: g.Relation(), Assumes: g.Assumes()}, nil
}

// A Void is the reason why a model promises nothing.
type Void string

const (
	// InsecureSeed: its coins can be computed from a seed.
	InsecureSeed Void = "insecure-seed"
	// NoMechanism: it was computed from the data without noise.
	NoMechanism Void = "no-mechanism"
)

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
	if _, err := m.Predictor(); err != nil {
		return err
	}
	return m.validateGuarantee()
}

func (m *Model) validateGuarantee() error {
	if m.Guarantee != nil && m.Mechanism.Name == None {
		return errors.New("the model has a guarantee, but no mechanism that could give it")
	}
	if err := m.Mechanism.validate(m.Form); err != nil {
		return err
	}
	if m.Guarantee == nil {
		if m.Void.Text() == "" {
			return fmt.Errorf("the model has no guarantee, and not_private does not say why (it is %s)", quote.Word(string(m.Void)))
		}
		if (m.Void == NoMechanism) != (m.Mechanism.Name == None) {
			return fmt.Errorf("the model says it is not private because of %s, which does not go with the mechanism %q", quote.Word(string(m.Void)), m.Mechanism.Name)
		}
		return nil
	}
	if m.Void != "" {
		return errors.New("the model has a guarantee and says that it is not private")
	}
	return m.Mechanism.gives(m.Form, m.Schema, *m.Guarantee)
}
