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
	"github.com/sibyl-dp/sibyl/table"
)

// A Rule is a hypothesis in sentences.
type Rule struct {
	Lines []string `json:"lines"`
}

func (r *Rule) write(b *strings.Builder) {
	for _, line := range r.Lines {
		b.WriteString(clean(line) + "\n")
	}
}

func (r *Rule) say(format string, args ...any) {
	r.Lines = append(r.Lines, fmt.Sprintf(format, args...))
}

// condition says that an attribute has one of the categories, ascending.
func condition(a *table.Attribute, accepted []uint16) string {
	if text, ok := interval(a, accepted); ok {
		return text
	}
	in := func(c int) bool {
		_, found := slices.BinarySearch(accepted, uint16(c))
		return found
	}
	var yes, no []string
	for c, name := range a.Categories() {
		if in(c) {
			yes = append(yes, name)
		} else {
			no = append(no, name)
		}
	}
	if len(no) < len(yes) {
		return a.Name + " is not " + choice(no)
	}
	return a.Name + " is " + choice(yes)
}

// interval writes a run of the categories that cuts make as one.
func interval(a *table.Attribute, accepted []uint16) (string, bool) {
	n := len(a.Cuts)
	first, last := int(accepted[0]), int(accepted[len(accepted)-1])
	switch {
	case n == 0 || last > n || last-first != len(accepted)-1:
		return "", false
	case first == 0 && last == n:
		return a.Name + " is a number", true
	case first == 0:
		return fmt.Sprintf("%s < %s", a.Name, a.Cuts[last]), true
	case last == n:
		return fmt.Sprintf("%s ≥ %s", a.Name, a.Cuts[first-1]), true
	}
	return fmt.Sprintf("%s ≤ %s < %s", a.Cuts[first-1], a.Name, a.Cuts[last]), true
}

// formula lays out a conjunction or disjunction.
func formula(h Heading, s *table.Schema, c *conjunction.Class, f conjunction.Formula) *Rule {
	r := &Rule{}
	var literals []string
	for j, test := range f.Tests {
		if test > 0 {
			literals = append(literals, condition(&s.Attributes[j], c.Attribute(j).Accepted(test-1)))
		}
	}
	disjunction := c.Options().Disjunction
	switch {
	case len(literals) == 0 && disjunction:
		r.say("Always predict %s.", h.Negative)
	case len(literals) == 0:
		r.say("Always predict %s.", h.Positive)
	case len(literals) == 1:
		r.say("Predict %s if %s.", h.Positive, literals[0])
		r.say("Otherwise predict %s.", h.Negative)
	default:
		word := "all"
		if disjunction {
			word = "at least one"
		}
		r.say("Predict %s if %s of these hold:", h.Positive, word)
		for _, l := range literals {
			r.say("  - %s", l)
		}
		r.say("Otherwise predict %s.", h.Negative)
	}
	return r
}

// list lays out a decision list.
func list(h Heading, s *table.Schema, c *declist.Class, l declist.List) *Rule {
	r := &Rule{}
	word := map[bool]string{true: h.Positive, false: h.Negative}
	if len(l.Rules) == 0 {
		r.say("Always predict %s.", word[l.Default])
		return r
	}
	start := "If"
	for _, rule := range l.Rules {
		var conditions []string
		for _, literal := range c.Antecedent(rule.Antecedent) {
			conditions = append(conditions, condition(&s.Attributes[literal.Attribute], literal.Accepts))
		}
		r.say("%s %s, predict %s.", start, strings.Join(conditions, " and "), word[rule.Label])
		start = "Otherwise, if"
	}
	r.say("Otherwise predict %s.", word[l.Default])
	return r
}

// odd lays out a parity.
func odd(h Heading, s *table.Schema, bits []model.Bit, p parity.Parity) *Rule {
	r := &Rule{}
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
		r.say("Always predict %s.", h.Negative)
	case 1:
		r.say("Predict %s if %s.", h.Positive, conditions[0])
		r.say("Otherwise predict %s.", h.Negative)
	default:
		r.say("Count how many of these hold:")
		for _, c := range conditions {
			r.say("  - %s", c)
		}
		r.say("Predict %s if the count is odd, and %s if it is even.", h.Positive, h.Negative)
	}
	return r
}

// gates lays out a read-once formula, an indent for each gate.
func gates(h Heading, s *table.Schema, inputs []readonce.Input, f readonce.Formula) *Rule {
	r := &Rule{}
	arity, holds := 3, "at least two of these three hold:"
	if f.Gate == readonce.Nand {
		arity, holds = 2, "these two do not both hold:"
	}
	var write func(leaves []int, indent string)
	write = func(leaves []int, indent string) {
		if len(leaves) == 1 {
			in := inputs[leaves[0]]
			r.say("%s- %s", indent, condition(&s.Attributes[in.Attribute], []uint16{uint16(in.Category)}))
			return
		}
		r.say("%s- %s", indent, holds)
		for part := range slices.Chunk(leaves, len(leaves)/arity) {
			write(part, indent+"  ")
		}
	}
	if len(f.Inputs) == 1 {
		in := inputs[f.Inputs[0]]
		r.say("Predict %s if %s.", h.Positive, condition(&s.Attributes[in.Attribute], []uint16{uint16(in.Category)}))
	} else {
		r.say("Predict %s if %s", h.Positive, holds)
		for part := range slices.Chunk(f.Inputs, len(f.Inputs)/arity) {
			write(part, "  ")
		}
	}
	r.say("Otherwise predict %s.", h.Negative)
	return r
}
