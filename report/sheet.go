package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/sibyl-dp/sibyl/class/conjunction"
	"github.com/sibyl-dp/sibyl/class/declist"
	"github.com/sibyl-dp/sibyl/class/parity"
	"github.com/sibyl-dp/sibyl/class/readonce"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A Sheet is a hypothesis laid out for people: a card, or else a rule.
type Sheet struct {
	Class string `json:"class"` // the name of the form, such as "scorecard"; for a union, of the member
	// ChosenFrom names the families of a union, of which one was chosen too.
	ChosenFrom []string `json:"chosen_from,omitempty"`
	// Series is the place of the hypothesis in a series, or empty.
	Series string `json:"series,omitempty"`
	// Always is what is predicted for everyone, where that is one value only.
	Always string `json:"always,omitempty"`
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

// Word returns the values where the prediction is the label.
func (h Heading) Word(label bool) string {
	if label {
		return h.Positive
	}
	return h.Negative
}

// Of lays out a valid model.
func Of(m *model.Model) Sheet {
	label := m.Schema.Label
	form, h := m.Chosen()
	s := Sheet{
		Class:   form.Name(),
		Heading: Heading{m.Schema.Name, label.Column, labels(label.Positive), labels(label.Negative)},
	}
	if u, ok := m.Form.(model.Union); ok {
		for _, member := range u.Members {
			s.ChosenFrom = append(s.ChosenFrom, member.Family.Name())
		}
	}
	if of := m.Mechanism.Series; of != nil {
		s.Series = fmt.Sprintf("Number %d of a series of %d; the guarantee is that of all together.", of.Round, of.Rounds+1)
	}
	s.layOut(m.Schema, form, h)
	if s.Card != nil {
		s.Always = s.Card.always
	} else {
		s.Always = s.Rule.always
	}
	return s
}

// layOut adds the hypothesis.
func (s *Sheet) layOut(schema *table.Schema, f model.Form, h any) {
	switch f := f.(type) {
	case model.Scorecard:
		s.Card = newCard(s.Heading, schema, f.Threshold, h.(scorecard.Card).Points)
	case model.Halfspace:
		s.Card = newCard(s.Heading, schema, f.Threshold, h.(scorecard.Card).Points)
	case model.Additive:
		s.Card = additiveCard(s.Heading, schema, f, h.(learn.Points))
	case model.Conjunction:
		s.Rule = formula(s.Heading, schema, valid(f.Formulas(schema)), h.(conjunction.Formula))
	case model.DecisionList:
		s.Rule = list(s.Heading, schema, valid(f.Lists(schema)), h.(declist.List))
	case model.Parity:
		s.Rule = odd(s.Heading, schema, f.Bits(schema), h.(parity.Parity))
	case model.ReadOnce:
		s.Rule = gates(s.Heading, schema, f.Inputs(schema), h.(readonce.Formula))
	}
}

// valid returns the class of a valid model.
func valid[C any](c C, err error) C {
	if err != nil {
		panic(err)
	}
	return c
}

// Constant says that a card predicts one value only; a rule says so itself.
func (s Sheet) Constant() string {
	if s.Always == "" || s.Card == nil {
		return ""
	}
	return fmt.Sprintf("This %s predicts %s for everyone.", s.Thing(), s.Always)
}

// Thing names what the sheet shows, such as "scorecard".
func (s Sheet) Thing() string { return Thing(s.Class) }

// Thing names a hypothesis of the form of that name, such as "decision list".
func Thing(family string) string {
	switch family {
	case model.NaiveBayes:
		return "naive Bayes model"
	case model.Logistic:
		return "logistic model"
	case model.SVM:
		return "support vector model"
	case model.LeastSquares:
		return "least-squares model"
	case "majority":
		return "majority formula"
	case "nand":
		return "NAND formula"
	}
	return strings.ReplaceAll(family, "-", " ")
}

// Things names the hypotheses of the form of that name.
func Things(family string) string {
	if one, ok := strings.CutSuffix(Thing(family), "y"); ok {
		return one + "ies"
	}
	return Thing(family) + "s"
}

// Choice says which classes the hypothesis was chosen from, where it is several.
func (s Sheet) Choice() string {
	last := len(s.ChosenFrom) - 1
	if last < 1 {
		return ""
	}
	var things []string
	for _, family := range s.ChosenFrom {
		things = append(things, Things(family))
	}
	return fmt.Sprintf("The class was chosen too, from %s and %s.", strings.Join(things[:last], ", "), things[last])
}

// Write writes the sheet as plain text.
func (s Sheet) Write(w io.Writer) error {
	var b strings.Builder
	if s.Title != "" {
		b.WriteString(quote.Clean(s.Title) + "\n\n")
	}
	if s.Card != nil {
		s.Card.write(&b, s.Label)
	} else {
		fmt.Fprintf(&b, "This %s predicts %s.\n\n", s.Thing(), quote.Clean(s.Label))
		s.Rule.write(&b)
	}
	if constant := s.Constant(); constant != "" {
		fmt.Fprintf(&b, "\n%s\n", quote.Clean(constant))
	}
	if choice := s.Choice(); choice != "" {
		fmt.Fprintf(&b, "\n%s\n", choice)
	}
	if s.Series != "" {
		fmt.Fprintf(&b, "\n%s\n", s.Series)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
