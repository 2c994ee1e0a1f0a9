package source

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Report says how data fits its schema. It is private.
type Report struct {
	Rows       int64
	Nulls      int64   // rows with a value outside the domain
	Attributes []Field // in schema order
	Label      *Field  // nil where no label was read

	// Person counts the rows that say nothing in the column of the schema's person, which
	// count nowhere; nil where the schema has none.
	Person *Field

	// Columns are the names of all columns of the source, where it lists them.
	Columns []string

	// Lines reports whether places are lines of a text; else they are numbers
	// of rows, from 1.
	Lines bool
}

// A Field counts the values of an attribute, or of the label, that are not
// listed in its domain. First is the place of the first one, 0 where there is
// none.
type Field struct {
	Name, Column string

	Outside      int64 // values that make their row null
	FirstOutside int64

	Other      int64 // values that fall under the attribute's other
	FirstOther int64
}

// Check reads the whole source and counts what lies outside the domain. An
// ill-formed source gives the error that Read gives, and no report.
func Check(ctx context.Context, location string, s *table.Schema, o Options) (*Report, error) {
	o.Keep = s.PersonColumn()
	in, err := open(ctx, location, s, o)
	if err != nil {
		return nil, err
	}
	defer in.close()
	_, lines := in.(*text)
	r := &Report{Columns: in.coding().all, Lines: lines, Attributes: make([]Field, len(s.Attributes))}
	others := make([]int, len(s.Attributes))
	for j := range s.Attributes {
		a := &s.Attributes[j]
		r.Attributes[j] = Field{Name: a.Name, Column: a.Column}
		others[j] = -1
		if a.Other != "" {
			others[j] = a.Len() - 1
		}
	}
	if in.coding().labelled {
		r.Label = &Field{Name: s.Label.Column, Column: s.Label.Column}
	}
	if s.Person != nil {
		r.Person = &Field{Name: s.Person.Column, Column: s.Person.Column}
	}
	err = in.each(ctx, func(codes []uint16, place int64) error {
		r.Rows++
		if null(codes) {
			r.Nulls++
		}
		for j := range r.Attributes {
			r.Attributes[j].note(int(codes[j]), others[j], place)
		}
		if r.Label != nil {
			r.Label.note(int(codes[len(codes)-1]), -1, place)
		}
		if r.Person != nil && len(in.coding().text) == 0 {
			r.Person.note(outside, -1, place)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (f *Field) note(code, other int, place int64) {
	switch code {
	case outside:
		if f.Outside++; f.FirstOutside == 0 {
			f.FirstOutside = place
		}
	case other:
		if f.Other++; f.FirstOther == 0 {
			f.FirstOther = place
		}
	}
}
