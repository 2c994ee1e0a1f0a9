package table

import (
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// Flat returns the schema of synthetic rows: the label becomes the last attribute, and there is no Person. A schema of
// this form is called flat. A record of the flat schema consists of the codes of the attributes and then the outcome.
//
// If the label has two outcomes, the negative one has code 0. Each outcome has the name of its first value, in Positive
// or Negative, and synthetic rows contain this value.
//
// Flat returns an error if two attributes would have the same name, or the same column, because then rows could not be
// written.
func (s *Schema) Flat() (*Schema, error) {
	flat := *s
	flat.Label, flat.Person = nil, nil
	flat.Attributes = append([]Attribute(nil), s.Attributes...)
	if s.Label != nil {
		flat.Attributes = append(flat.Attributes, s.Label.Attribute())
	}
	columns, names := make(map[string]bool), make(map[string]bool)
	for _, a := range flat.Attributes {
		switch {
		case columns[a.Column]:
			return nil, fmt.Errorf("two attributes have the column %s, so its values could not be written; leave one of them out", quote.Word(a.Column))
		case names[a.Name]:
			return nil, fmt.Errorf("attribute %s has the name of the label's column; rename it", quote.Word(a.Name))
		}
		columns[a.Column], names[a.Name] = true, true
	}
	return &flat, nil
}

// Attribute returns an attribute whose categories are the outcomes of the label.
func (l *Label) Attribute() Attribute {
	if many := l.many(); many != nil {
		many.Name, many.Writing = l.Column, l.Writing
		return *many
	}
	a := Attribute{Name: l.Column, Column: l.Column, Spelling: l.Spelling, Writing: l.Writing}
	switch {
	case l.AtLeast != "":
		a.Cuts = []Decimal{l.AtLeast}
	case len(l.Negative) == 1 && len(l.Positive) == 1:
		a.Values = []string{l.Negative[0], l.Positive[0]}
	default:
		a.Draw = drawFirst
		a.Groups = []Group{{l.Negative[0], l.Negative}, {l.Positive[0], l.Positive}}
	}
	return a
}

// IsOrdered reports whether adjacent categories are similar to each other, as adjacent intervals are. The category
// Other is not considered.
func (a *Attribute) IsOrdered() bool {
	switch {
	case len(a.Cuts) > 0:
		return true
	case a.Ordered != nil:
		return *a.Ordered
	}
	numbers, ok := a.Numbers()
	for i := 1; ok && i < len(numbers); i++ {
		ok = numbers[i-1].Rat().Cmp(numbers[i].Rat()) < 0
	}
	return ok
}

// InOrder returns the number of leading categories that are ordered: 0 if IsOrdered is false, and otherwise the number
// of all categories except Other.
func (a *Attribute) InOrder() int {
	switch {
	case !a.IsOrdered():
		return 0
	case a.Other != "":
		return a.Len() - 1
	}
	return a.Len()
}

// Numbers returns the attribute's listed values as numbers. ok is false if the attribute lists no values, or if one of
// them is not a number.
func (a *Attribute) Numbers() (numbers []Decimal, ok bool) {
	for _, v := range a.Values {
		d, ok := ParseDecimal(v)
		if !ok {
			return nil, false
		}
		numbers = append(numbers, d)
	}
	return numbers, len(numbers) > 0
}

// Written returns an error if the schema does not define which values synthetic rows contain for some category. The
// schema must be flat (see Flat).
func (s *Schema) Written() error {
	for j := range s.Attributes {
		if a := &s.Attributes[j]; a.IsDate() && !a.Dates.whole() {
			return errors.New("attribute " + quote.Word(a.Name) + " uses a part of a date or an age, and synthetic data writes whole dates only; use the date itself, with cuts that are dates, or leave the attribute out of the schema for synthetic data")
		}
		if a := &s.Attributes[j]; a.IsDate() && !a.ranged() {
			return errors.New("attribute " + quote.Word(a.Name) + ` has cuts, but does not define which dates of an interval to write; give it draw = "day", with "least" and "most" as dates such as 2020-01-31`)
		}
		if a := &s.Attributes[j]; len(a.Cuts) > 0 && !a.ranged() && len(a.Listed) == 0 {
			return errors.New("attribute " + quote.Word(a.Name) + ` has cuts, but does not define which numbers of an interval to write; give it draw = "integer" or draw = "uniform" with "least" and "most", or a list of numbers`)
		}
	}
	return nil
}
