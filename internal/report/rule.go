package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/rule"
)

// A Rule describes a hypothesis in sentences.
type Rule struct {
	Sentences []Sentence `json:"sentences"`
	Leaves    []Leaf     `json:"leaves,omitempty"` // the leaves of a decision tree

	always string  // the constant prediction, or empty
	tree   *branch // the decision tree, merged
	whole  *branch // the decision tree with all its leaves
}

// A Sentence is a text that may be followed by a list of conditions, which may themselves be followed by lists.
type Sentence struct {
	Text    string     `json:"text"`
	Items   []Sentence `json:"items,omitempty"`
	Ordered bool       `json:"ordered,omitempty"` // whether the items have numbers, from 1
}

func (r *Rule) say(format string, args ...any) {
	r.Sentences = append(r.Sentences, Sentence{Text: fmt.Sprintf(format, args...)})
}

func (r *Rule) write(b *strings.Builder) {
	for _, s := range r.Sentences {
		s.write(b, "")
	}
}

// write writes the sentence after the text on the current line, and its items on the lines below, each after the
// given indent.
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

// predict describes a rule that predicts the positive class if a condition holds, and the negative class
// otherwise. The parameter when is the condition in words.
func predict(h Heading, when Sentence) *Rule {
	when.Text = fmt.Sprintf("Predict %s if %s", h.Positive, when.Text)
	if len(when.Items) == 0 {
		when.Text += "."
	}
	r := &Rule{Sentences: []Sentence{when}}
	r.say("Otherwise predict %s.", h.Negative)
	return r
}

// newDecision describes a formula that decides between two classes.
func newDecision(h Heading, w words, f rule.Formula) *Rule {
	not, negated := f.(rule.Not)
	if odd, ok := f.(rule.Odd); ok || negated {
		if negated {
			odd, ok = not.Formula.(rule.Odd)
		}
		if ok {
			return newParity(h, w, odd, negated)
		}
	}
	if parts := rule.Parts(f); len(parts) == 0 {
		if _, condition := f.(rule.Condition); !condition {
			return constant(h.Word(f.Holds(nil)))
		}
	}
	return predict(h, formula(w, f, true, 0))
}

// constant describes a rule that predicts the same class for every record. The parameter word is the name of this
// class.
func constant(word string) *Rule {
	r := &Rule{always: word}
	r.say("Always predict %s.", word)
	return r
}

// newList describes a decision list.
func newList(h Heading, w words, list rule.List) *Rule {
	if len(list.Steps) == 0 {
		return constant(h.Outcome(list.Otherwise))
	}
	r := &Rule{}
	rules := Sentence{Text: "The first rule that applies decides:", Ordered: true}
	for _, step := range list.Steps {
		var conditions []string
		for _, c := range step.If {
			conditions = append(conditions, w.sentence(c))
		}
		text := fmt.Sprintf("If %s, predict %s.", both(conditions), h.Outcome(step.Predict))
		rules.Items = append(rules.Items, Sentence{Text: text})
	}
	r.Sentences = append(r.Sentences, rules)
	r.say("Otherwise predict %s.", h.Outcome(list.Otherwise))
	return r
}

// both joins conditions by "and", with commas where necessary to avoid the ambiguity of "a or b and c".
func both(conditions []string) string {
	and := " and "
	if strings.Contains(strings.Join(conditions, ""), " or ") {
		and = ", and "
	}
	return strings.Join(conditions, and)
}

// newParity describes a parity: the prediction is positive if the number of true conditions is odd or, if the
// parity is negated, even.
func newParity(h Heading, w words, odd rule.Odd, negated bool) *Rule {
	if negated {
		h.Positive, h.Negative = h.Negative, h.Positive
	}
	switch len(odd) {
	case 0:
		return constant(h.Negative)
	case 1:
		return predict(h, formula(w, odd[0], true, 0))
	}
	r := &Rule{Sentences: []Sentence{parts("Count how many of these are true:", w, odd, true, 0)}}
	r.say("If the count is odd, predict %s. If it is even, predict %s.", h.Positive, h.Negative)
	return r
}

// formula returns a sentence which says that the formula f holds or, if the parameter holds is false, that it does
// not hold. A negated formula is never written with "not both"; instead, its parts are negated, and "all" and "at
// least one" are exchanged. The parameter depth is the number of enclosing lists. Within a list, a conjunction of
// conditions is written on one line.
func formula(w words, f rule.Formula, holds bool, depth int) Sentence {
	all, text := true, ""
	var of []rule.Formula
	switch f := f.(type) {
	case rule.Condition:
		if !holds {
			f = f.Complement(w.attributes[f.Attribute].Len())
		}
		return Sentence{Text: w.sentence(f)}
	case rule.Not:
		return formula(w, f.Formula, !holds, depth)
	case rule.All:
		of, all = f, holds
	case rule.Any:
		of, all = f, !holds
	case rule.AtLeast: // two of three; the opposite is that two of the three do not hold
		return parts("at least two of these three are true:", w, f.Of, holds, depth)
	}
	switch {
	case len(of) == 1:
		return formula(w, of[0], holds, depth)
	case !all:
		text = "at least one of these is true:"
	case depth > 0 && len(of) == 2:
		text = "both of these are true:"
	default:
		text = "all of these are true:"
	}
	s := parts(text, w, of, holds, depth)
	if !all || depth == 0 || slices.ContainsFunc(s.Items, func(item Sentence) bool { return len(item.Items) > 0 }) {
		return s
	}
	var conditions []string
	for _, item := range s.Items {
		conditions = append(conditions, item.Text)
	}
	return Sentence{Text: both(conditions)}
}

// parts returns a sentence that consists of the text and a list. The items of the list say that the given formulas
// hold or, if the parameter hold is false, that they do not hold.
func parts(text string, w words, of []rule.Formula, hold bool, depth int) Sentence {
	s := Sentence{Text: text}
	for _, f := range of {
		s.Items = append(s.Items, formula(w, f, hold, depth+1))
	}
	return s
}
