package report

import (
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A Rule is a hypothesis in sentences.
type Rule struct {
	Sentences []Sentence `json:"sentences"`
	Leaves    []Leaf     `json:"leaves,omitempty"` // of a decision tree

	always string  // what is predicted for everyone, or empty
	tree   *Branch // of a decision tree, as it is told
	whole  *Branch // with all its leaves
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

// NewFormula lays out a conjunction of conditions, or their disjunction.
func NewFormula(h Heading, conditions []string, disjunction bool) *Rule {
	switch {
	case len(conditions) == 1:
		return predict(h, Sentence{Text: conditions[0]})
	case len(conditions) > 1 && disjunction:
		return predict(h, bullets(anyOf, conditions))
	case len(conditions) > 1:
		return predict(h, bullets("all of these are true:", conditions))
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

// A Listed rule gives a label to those whom all its conditions, one or two, are true of.
type Listed struct {
	Conditions []string
	Label      bool
}

// NewList lays out a decision list.
func NewList(h Heading, list []Listed, otherwise bool) *Rule {
	if len(list) == 0 {
		return constant(h.Word(otherwise))
	}
	r := &Rule{}
	rules := Sentence{Text: "The first rule that applies decides:", Ordered: true}
	for _, l := range list {
		text := fmt.Sprintf("If %s, predict %s.", both(l.Conditions), h.Word(l.Label))
		rules.Items = append(rules.Items, Sentence{Text: text})
	}
	r.Sentences = append(r.Sentences, rules)
	r.say("Otherwise predict %s.", h.Word(otherwise))
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

// NewParity lays out a parity: Positive where an odd number of the conditions is true,
// or an even one if it is negated.
func NewParity(h Heading, conditions []string, negated bool) *Rule {
	if negated {
		h.Positive, h.Negative = h.Negative, h.Positive
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

// NewGates lays out a complete tree of gates over so many leaves: NANDs of two inputs, or
// majorities of three. The condition says that a leaf, from 0, is true, or is not.
func NewGates(h Heading, leaves int, nand bool, condition func(leaf int, is bool) string) *Rule {
	g := gates{condition, nand}
	return predict(h, g.sentence(0, leaves, true))
}

type gates struct {
	condition func(leaf int, is bool) string
	nand      bool
}

// sentence says that the formula over so many leaves from the first has the value. A
// NAND is 1 if one of its inputs is 0, and 0 if both are 1, so that no sentence needs a
// "not both".
func (g gates) sentence(first, leaves int, value bool) Sentence {
	if leaves == 1 {
		return Sentence{Text: g.condition(first, value)}
	}
	out := Sentence{Text: "at least two of these three are true:"}
	arity, part := 3, value
	if g.nand {
		out.Text, arity, part = anyOf, 2, !value
		if !value {
			out.Text = "both of these are true:"
		}
	}
	for input := range arity {
		out.Items = append(out.Items, g.sentence(first+input*leaves/arity, leaves/arity, part))
	}
	return out
}
