package schema

import (
	"bytes"
	"reflect"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Edit returns a draft with the contents of a schema, so that a person can change it in a form. It returns false if a
// draft cannot represent the whole schema, so that the form would lose a part of it, such as its rules or profiles.
func Edit(s *table.Schema) (*Draft, bool) {
	d := &Draft{Name: s.Name, Source: s.Public, Person: s.Person}
	if !reflect.DeepEqual(s.File, table.File{}) {
		d.File = &s.File
	}
	if l := s.Label; l != nil {
		d.Label = &Label{
			Column:   Column{Name: l.Column, Kind: l.Kind, Values: l.Values, Groups: l.Groups, Cuts: l.Cuts, Spelling: l.Spelling, Source: l.Public},
			Positive: l.Positive, Negative: l.Negative,
		}
		d.Label.fillKind()
	}
	for i := range s.Attributes {
		a := &s.Attributes[i]
		c := Column{
			Name: a.Column, Kind: a.Kind, Values: a.Values, Groups: a.Groups, Cuts: a.Cuts, Other: a.Other, Ordered: a.Ordered != nil && *a.Ordered,
			Least: a.Least, Most: a.Most, Places: a.Places, Integers: a.Draw == "integer", Dates: a.Dates, Spelling: a.Spelling, Source: a.Public,
		}
		c.fillKind()
		d.Columns = append(d.Columns, c)
	}
	text, err := d.TOML()
	if err != nil {
		return nil, false
	}
	again, err := table.ParseOpenSchema("the schema", bytes.NewReader(text))
	return d, err == nil && reflect.DeepEqual(undescribed(again), undescribed(s))
}

// fillKind sets the kind of a column to the one that follows from its date format, cuts, values or groups. If the
// column has none of these and no kind, its kind becomes unknown.
func (c *Column) fillKind() {
	switch {
	case c.Format != "":
		c.Kind = table.DateKind
	case len(c.Cuts) > 0:
		c.Kind = table.NumberKind
	case len(c.Values)+len(c.Groups) > 0:
		c.Kind = table.CategoryKind
	case c.Kind == "":
		c.Kind = table.UnknownKind
	}
}

// undescribed returns a copy of a schema without the notes for human readers: who asserts that facts are public, and
// the kinds of columns that have categories.
func undescribed(s *table.Schema) table.Schema {
	bare := *s
	bare.Public = ""
	if s.Person != nil {
		person := *s.Person
		person.Public = ""
		bare.Person = &person
	}
	if s.Label != nil {
		label := *s.Label
		label.Public = ""
		if !label.Open() {
			label.Kind = ""
		}
		bare.Label = &label
	}
	bare.Attributes = nil
	for _, a := range s.Attributes {
		a.Public = ""
		if !a.Open() {
			a.Kind = ""
		}
		bare.Attributes = append(bare.Attributes, a)
	}
	return bare
}
