package report

import (
	"io"
	"strings"

	"github.com/sibyl-dp/sibyl/class/conjunction"
	"github.com/sibyl-dp/sibyl/class/declist"
	"github.com/sibyl-dp/sibyl/class/parity"
	"github.com/sibyl-dp/sibyl/class/readonce"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/class/union"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/table"
)

// A Sheet is a hypothesis laid out for people: a card, or else a rule.
type Sheet struct {
	Class string `json:"class"` // the name of the family, such as "scorecard"; for a union, of the member
	Heading
	*Card
	*Rule
}

// A Heading says what is predicted.
type Heading struct {
	Title    string `json:"title"`    // the schema's name, or empty
	Label    string `json:"label"`    // the column predicted
	Positive string `json:"positive"` // its values where the prediction is 1
	Negative string `json:"negative"` // its values where it is 0
}

// Of lays out a valid model.
func Of(m *model.Model) Sheet {
	label := m.Schema.Label
	s := Sheet{
		Class:   m.Family.Name(),
		Heading: Heading{m.Schema.Name, label.Column, choice(label.Positive), choice(label.Negative)},
	}
	s.layOut(m.Schema, m.Family, m.Hypothesis)
	return s
}

// Thing names what the sheet shows, such as "scorecard".
func (s Sheet) Thing() string { return strings.ReplaceAll(s.Class, "-", " ") }

// layOut adds the hypothesis.
func (s *Sheet) layOut(schema *table.Schema, f model.Family, h any) {
	switch f := f.(type) {
	case model.Scorecard:
		s.Card = newCard(s.Heading, schema, f.Threshold, h.(scorecard.Card))
	case model.Halfspace:
		s.Card = newCard(s.Heading, schema, f.Threshold, h.(scorecard.Card))
	case model.Conjunction:
		s.Rule = formula(s.Heading, schema, valid(f.Formulas(schema)), h.(conjunction.Formula))
	case model.DecisionList:
		s.Rule = list(s.Heading, schema, valid(f.Lists(schema)), h.(declist.List))
	case model.Parity:
		s.Rule = odd(s.Heading, schema, f.Bits(schema), h.(parity.Parity))
	case model.ReadOnce:
		s.Rule = gates(s.Heading, schema, f.Inputs(schema), h.(readonce.Formula))
	case model.Union:
		choice := h.(union.Choice[any])
		member := f.Members[choice.Member].Family
		s.Class = member.Name()
		s.layOut(schema, member, choice.Hypothesis)
	}
}

// valid returns the class of a valid model.
func valid[C any](c C, err error) C {
	if err != nil {
		panic(err)
	}
	return c
}

// choice writes "a", "a or b" or "a, b or c".
func choice(values []string) string {
	last := len(values) - 1
	if last == 0 {
		return values[0]
	}
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// Write writes the sheet as plain text.
func (s Sheet) Write(w io.Writer) error {
	var b strings.Builder
	if s.Title != "" {
		b.WriteString(clean(s.Title) + "\n\n")
	}
	if s.Card != nil {
		s.Card.write(&b, s.Label)
	} else {
		s.Rule.write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
