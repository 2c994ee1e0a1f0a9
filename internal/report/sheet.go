package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Sheet describes a hypothesis for human readers, as a card or as a rule in sentences.
type Sheet struct {
	Class string `json:"class"` // the name of the form, such as "scorecard"; for a union, that of the selected member
	// ChosenFrom names the members of the union from which the class was selected.
	ChosenFrom []string `json:"chosen_from,omitempty"`
	// Series describes the position of the hypothesis in a series. It is empty if there is no series.
	Series string `json:"series,omitempty"`
	// Always is the constant prediction. It is empty if the prediction depends on the record.
	Always string `json:"always,omitempty"`
	Heading
	Body
	// Binary or Multiclass has the risks and the other estimates from the counts that were released with the
	// hypothesis. Binary is for labels with two classes, Multiclass for labels with more; they have different keys in
	// JSON.
	Binary     *risk.Assessment `json:"assessment,omitempty"`
	Multiclass *risk.Assessment `json:"comparison,omitempty"`

	noun   Noun
	chosen []Noun // the nouns of ChosenFrom
}

// A Body is the description of a hypothesis, either as a card or as a rule. The other field is nil.
type Body struct {
	*Card
	*Rule

	of     rule.Body     // the rule that is formatted
	schema *table.Schema // the schema of the rule's records
}

// NewBody describes a rule on records of the schema s for printing.
func NewBody(h Heading, s *table.Schema, b rule.Body) Body {
	return newBody(h, s, b, words{attributes: s.Attributes})
}

// newBody describes a rule on records of the schema s. The parameter w determines how attributes and categories are
// written.
func newBody(h Heading, s *table.Schema, b rule.Body, w words) Body {
	body := Body{of: b, schema: s}
	switch b := b.(type) {
	case rule.Points:
		body.Card = newCard(h, w, b)
	case rule.List:
		body.Rule = newList(h, w, b)
	case *rule.Tree:
		body.Rule = newTree(h, w, b)
	default:
		body.Rule = newDecision(h, w, b.(rule.Decision).Formula)
	}
	return body
}

// same returns the prediction in words if it is the same for all records, and otherwise "".
func (b Body) same() string {
	if b.Card != nil {
		return b.Card.always
	}
	return b.Rule.always
}

// A Noun is the noun for the hypotheses of a class, such as "decision list".
type Noun string

// Plural returns the plural of the noun.
func (n Noun) Plural() string {
	if one, ok := strings.CutSuffix(string(n), "y"); ok {
		return one + "ies"
	}
	return string(n) + "s"
}

// A Heading holds the words for what a model predicts: the label and its classes.
type Heading struct {
	Title    string `json:"title"`              // the schema's name, or empty
	Label    string `json:"label"`              // the column predicted
	Positive string `json:"positive,omitempty"` // the values of the label for which the prediction is 1
	Negative string `json:"negative,omitempty"` // the values of the label for which the prediction is 0
	// Outcomes describes each class in words if the label has more than two classes. Positive and Negative are then
	// empty.
	Outcomes []string `json:"outcomes,omitempty"`
}

// NewHeading returns the heading for models of a schema, which must have a label.
func NewHeading(s *table.Schema) Heading {
	l := s.Label
	if l.AtLeast != "" {
		column := word(l.Column)
		return Heading{Title: s.Name, Label: l.Column, Positive: fmt.Sprintf("%s ≥ %s", column, l.AtLeast), Negative: fmt.Sprintf("%s < %s", column, l.AtLeast)}
	}
	if many := outcomes(l); many != nil {
		return Heading{Title: s.Name, Label: l.Column, Outcomes: many}
	}
	return Heading{Title: s.Name, Label: l.Column, Positive: labels(l.Positive), Negative: labels(l.Negative)}
}

// outcomes returns the words for all classes if the label has more than two classes, and otherwise nil.
func outcomes(l *table.Label) (words []string) {
	for o, name := range l.Outcomes() {
		if len(l.Cuts) > 0 {
			name = interval(&table.Attribute{Name: l.Column, Cuts: l.Cuts}, o, o)
		} else {
			name = word(name)
		}
		words = append(words, name)
	}
	return words
}

// Outcome returns the words for the class with the given index, such as "age ≥ 40".
func (h Heading) Outcome(index int) string {
	if h.Outcomes != nil {
		return h.Outcomes[index]
	}
	return h.Word(index == 1)
}

// Word returns the words for the positive class or, if the argument is false, for the negative class.
func (h Heading) Word(positive bool) string {
	if positive {
		return h.Positive
	}
	return h.Negative
}

// NewSheet returns the sheet of a hypothesis. The parameter class is the name of its class, and noun is the noun for
// hypotheses of this class.
func NewSheet(class string, noun Noun, h Heading, b Body) Sheet {
	return Sheet{Class: class, Always: b.same(), Heading: h, Body: b, noun: noun}
}

// State adds the assessment a, which was released with the hypothesis, to the sheet, so that the sheet shows risks.
// If a is nil, State does nothing.
func (s *Sheet) State(a *risk.Assessment) {
	if a == nil {
		return
	}
	binary := a.Outcomes() == 2
	if binary {
		s.Binary = a
	} else {
		s.Multiclass = a
	}
	if a.Kind != risk.Leaf {
		return
	}
	s.addRisks(s.Heading, func(leaf *branch, l *Leaf) {
		shares := a.At(leaf.number).Shares
		if binary {
			l.Risk, leaf.risk = &shares[0], &shares[0]
		} else {
			l.Risks, leaf.risk = shares, &shares[leaf.outcome]
		}
	})
}

// Assessment returns the assessment that was released with the hypothesis, or nil if there is none.
func (s Sheet) Assessment() *risk.Assessment { return cmp.Or(s.Binary, s.Multiclass) }

// From adds a class to the list of classes from which the mechanism selected. If there are several, the sheet says
// that the class of the hypothesis was selected from this list.
func (s *Sheet) From(class string, noun Noun) {
	s.ChosenFrom, s.chosen = append(s.ChosenFrom, class), append(s.chosen, noun)
}

// Constant returns a sentence which says that the model predicts the same for all records. It returns "" if the
// prediction depends on the record, or if the rule's own sentences already say so.
func (s Sheet) Constant() string {
	if s.Always == "" || s.Card == nil && len(s.Sentences) == 1 {
		return ""
	}
	return fmt.Sprintf("This %s predicts %s for everyone.", s.Thing(), s.Always)
}

// Thing returns the noun for the model, such as "scorecard".
func (s Sheet) Thing() string { return string(s.noun) }

// Choice returns a sentence which lists the classes from which the mechanism selected. It returns "" if there was
// only one.
func (s Sheet) Choice() string {
	last := len(s.ChosenFrom) - 1
	if last < 1 {
		return ""
	}
	var things []string
	for _, noun := range s.chosen {
		things = append(things, noun.Plural())
	}
	return fmt.Sprintf("The class was also chosen by the mechanism, from %s and %s.", strings.Join(things[:last], ", "), things[last])
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
	s.writeRisks(&b)
	_, err := io.WriteString(w, b.String())
	return err
}
