package table

import (
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// Flat returns the schema with its label as the last attribute, as a column like any other,
// and without its person. The codes of a record are those of its attributes and then the
// outcome. Two outcomes are named by their first values, which are those that are written, the
// negative one first. It fails where a column serves two attributes, so that a row could not be
// written, or where two attributes would have one name.
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
			return nil, fmt.Errorf("column %s serves two attributes, so its values could not be written; leave one of them out", quote.Word(a.Column))
		case names[a.Name]:
			return nil, fmt.Errorf("attribute %s has the name of the label's column; give it another one", quote.Word(a.Name))
		}
		columns[a.Column], names[a.Name] = true, true
	}
	return &flat, nil
}

// Attribute returns the label as an attribute whose codes are those of the outcomes.
func (l *Label) Attribute() Attribute {
	if many := l.many(); many != nil {
		many.Name, many.Writing = l.Column, l.Writing
		return *many
	}
	a := Attribute{Name: l.Column, Column: l.Column, Writing: l.Writing}
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

// IsOrdered tells whether neighbouring categories, but Other, are alike.
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

// Numbers returns the values in their order, where all of them are numbers.
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

// Written refuses a flat schema of which some category could not be written as a value.
func (s *Schema) Written() error {
	for j := range s.Attributes {
		if a := &s.Attributes[j]; len(a.Cuts) > 0 && !a.ranged() && len(a.Listed) == 0 {
			return errors.New("attribute " + quote.Word(a.Name) + ` has cuts, and nothing says which numbers of an interval to write; give it draw = "integer" or draw = "uniform" with least and most, or a list of numbers`)
		}
	}
	return nil
}
