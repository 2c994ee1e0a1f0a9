package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class/conjunction"
	"github.com/sibyl-dp/sibyl/class/declist"
	"github.com/sibyl-dp/sibyl/class/parity"
	"github.com/sibyl-dp/sibyl/class/readonce"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A Rule is a hypothesis in sentences.
type Rule struct {
	Sentences []Sentence `json:"sentences"`

	always string // what is predicted for everyone, or empty
}

// A Sentence may end in a list of conditions, which may end in lists again.
type Sentence struct {
	Text    string     `json:"text"`
	Items   []Sentence `json:"items,omitempty"`
	Ordered bool       `json:"ordered,omitempty"` // the items have numbers, from 1
}

func (r *Rule) say(format string, args ...any) {
	r.Sentences = append(r.Sentences, Sentence{Text: fmt.Sprintf(format, args...)})
}

func (r *Rule) write(b *strings.Builder) {
	for _, s := range r.Sentences {
		s.write(b, "")
	}
}

// write writes the sentence on the line begun, and its items below the indent.
func (s Sentence) write(b *strings.Builder, indent string) {
	b.WriteString(quote.Clean(s.Text) + "\n")
	indent += "  "
	for i, item := range s.Items {
		if s.Ordered {
			fmt.Fprintf(b, "%s%d. ", indent, i+1)
		} else {
			b.WriteString(indent + "- ")
		}
		item.write(b, indent)
	}
}

// predict says when the prediction is positive.
func predict(h Heading, when Sentence) *Rule {
	when.Text = fmt.Sprintf("Predict %s if %s", h.Positive, when.Text)
	if len(when.Items) == 0 {
		when.Text += "."
	}
	r := &Rule{Sentences: []Sentence{when}}
	r.say("Otherwise predict %s.", h.Negative)
	return r
}

// bullets makes a list of conditions.
func bullets(text string, conditions []string) Sentence {
	s := Sentence{Text: text}
	for _, c := range conditions {
		s.Items = append(s.Items, Sentence{Text: c})
	}
	return s
}

// formula lays out a conjunction or disjunction.
func formula(h Heading, s *table.Schema, c *conjunction.Class, f conjunction.Formula) *Rule {
	var literals []string
	for j, test := range f.Tests {
		if test > 0 {
			literals = append(literals, condition(&s.Attributes[j], c.Attribute(j).Accepted(test-1)))
		}
	}
	disjunction := c.Options().Disjunction
	switch {
	case len(literals) == 1:
		return predict(h, Sentence{Text: literals[0]})
	case len(literals) > 1 && disjunction:
		return predict(h, bullets(anyOf, literals))
	case len(literals) > 1:
		return predict(h, bullets("all of these are true:", literals))
	}
	return constant(h.Word(!disjunction))
}

// constant predicts the same for everyone.
func constant(word string) *Rule {
	r := &Rule{always: word}
	r.say("Always predict %s.", word)
	return r
}

const anyOf = "at least one of these is true:"

// list lays out a decision list.
func list(h Heading, s *table.Schema, c *declist.Class, l declist.List) *Rule {
	if len(l.Rules) == 0 {
		return constant(h.Word(l.Default))
	}
	r := &Rule{}
	rules := Sentence{Text: "The first rule that applies decides:", Ordered: true}
	for _, rule := range l.Rules {
		var conditions []string
		for _, literal := range c.Antecedent(rule.Antecedent) {
			conditions = append(conditions, condition(&s.Attributes[literal.Attribute], literal.Accepts))
		}
		text := fmt.Sprintf("If %s, predict %s.", both(conditions), h.Word(rule.Label))
		rules.Items = append(rules.Items, Sentence{Text: text})
	}
	r.Sentences = append(r.Sentences, rules)
	r.say("Otherwise predict %s.", h.Word(l.Default))
	return r
}

// both joins one or two conditions so that nobody takes "a or b and c" wrongly.
func both(conditions []string) string {
	and := " and "
	if strings.Contains(strings.Join(conditions, ""), " or ") {
		and = ", and "
	}
	return strings.Join(conditions, and)
}

// odd lays out a parity.
func odd(h Heading, s *table.Schema, bits []model.Bit, p parity.Parity) *Rule {
	if p.Constant {
		h.Positive, h.Negative = h.Negative, h.Positive
	}
	var conditions []string
	for i, b := range bits {
		if p.Bits>>i&1 == 1 {
			conditions = append(conditions, condition(&s.Attributes[b.Attribute], b.Accepts))
		}
	}
	switch len(conditions) {
	case 0:
		return constant(h.Negative)
	case 1:
		return predict(h, Sentence{Text: conditions[0]})
	}
	r := &Rule{Sentences: []Sentence{bullets("Count how many of these are true:", conditions)}}
	r.say("If the count is odd, predict %s. If it is even, predict %s.", h.Positive, h.Negative)
	return r
}

// gates lays out a read-once formula.
func gates(h Heading, s *table.Schema, inputs []readonce.Input, f readonce.Formula) *Rule {
	g := gate{s, inputs, f.Gate == readonce.Nand}
	return predict(h, g.sentence(f.Inputs, true))
}

// A gate writes the formulas of one kind of gate.
type gate struct {
	schema *table.Schema
	inputs []readonce.Input
	nand   bool
}

// sentence says that the formula over these leaves has the value. A NAND is 1 if
// one of its inputs is 0, and 0 if both are 1, so that no sentence needs a "not
// both".
func (g gate) sentence(leaves []int, value bool) Sentence {
	if len(leaves) == 1 {
		in := g.inputs[leaves[0]]
		a := &g.schema.Attributes[in.Attribute]
		return Sentence{Text: condition(a, categories(a, func(c int) bool { return (c == in.Category) == value }))}
	}
	out := Sentence{Text: "at least two of these three are true:"}
	arity, part := 3, true
	if g.nand {
		out.Text, arity, part = anyOf, 2, !value
		if !value {
			out.Text = "both of these are true:"
		}
	}
	for input := range slices.Chunk(leaves, len(leaves)/arity) {
		out.Items = append(out.Items, g.sentence(input, part))
	}
	return out
}
