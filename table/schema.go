package table

import "strings"

// A Schema is the public domain of a table. Attributes holds at least one
// attribute. A Schema made by NewSchema, ParseSchema or UnmarshalJSON is
// well-formed, and it must not be changed afterwards.
type Schema struct {
	Name       string
	File       File
	Label      *Label // nil for unlabelled data
	Attributes []Attribute
}

// A File says how delimited text is written; other sources do not need it. The
// zero value is the default: comma-separated, with a header, and no comments.
type File struct {
	Headerless bool   // the first record is data; Columns names the fields
	Delimiter  byte   // 0 means ','
	Trim       bool   // spaces and tabs around a field are not part of it
	Comment    string // a line that starts with it is skipped; "" means none
	Decimal    byte   // what stands before the decimals of a number, '.' or ','; 0 means '.'
	Encoding   string // of the text, by its name on the web, such as "windows-1252"; "" means UTF-8

	// Columns names the fields in order where the file is headerless. Where
	// there is a header, it holds names that the header must contain.
	Columns []string
}

// A Label is the column of the class to learn, by the values of either class, or by
// AtLeast: then a number is positive from there on, and negative below. A record
// whose value is in neither list, or is no number, is a null record.
type Label struct {
	Column             string
	Positive, Negative []string
	AtLeast            Decimal // "" where there are values
}

// An Attribute divides the values of a column into categories. Exactly one of
// Values, Groups and Cuts is given; Other, if given, is one more category, the
// last, for everything else, missing values included.
type Attribute struct {
	Name   string // unique in the schema; Column where not given
	Column string

	Values []string  // one category a value, compared byte by byte
	Groups []Group   // one category a group of values, in the order written
	Cuts   []Decimal // increasing; len+1 right-open intervals of numbers

	Other string // "" means none: everything else makes the record null
}

// A Group is a category of several values.
type Group struct {
	Name   string
	Values []string
}

// MaxCategories is the largest number of categories of an attribute.
const MaxCategories = 65535

// Len is the number of categories.
func (a *Attribute) Len() int {
	n := len(a.Values) + len(a.Groups)
	if len(a.Cuts) > 0 {
		n = len(a.Cuts) + 1
	}
	if a.Other != "" {
		n++
	}
	return n
}

// Categories names the categories in the order of their codes. The intervals
// of cuts are written "<26", "[26,36)" and "≥36".
func (a *Attribute) Categories() []string {
	names := make([]string, 0, a.Len())
	names = append(names, a.Values...)
	for _, g := range a.Groups {
		names = append(names, g.Name)
	}
	if n := len(a.Cuts); n > 0 {
		names = append(names, "<"+string(a.Cuts[0]))
		for i := range n - 1 {
			names = append(names, "["+string(a.Cuts[i])+","+string(a.Cuts[i+1])+")")
		}
		names = append(names, "≥"+string(a.Cuts[n-1]))
	}
	if a.Other != "" {
		names = append(names, a.Other)
	}
	return names
}

// Sizes is the number of categories of each attribute, in schema order.
func (s *Schema) Sizes() []int {
	sizes := make([]int, len(s.Attributes))
	for j := range s.Attributes {
		sizes[j] = s.Attributes[j].Len()
	}
	return sizes
}

// Records returns how many distinct records there are, or most if that is less.
func (s *Schema) Records(most int64) int64 {
	n := int64(1)
	for _, size := range s.Sizes() {
		if n > most/int64(size) {
			return most
		}
		n *= int64(size)
	}
	return n
}

// Columns lists the columns that the schema reads, each once: those of the
// attributes in order, then that of the label.
func (s *Schema) Columns() []string {
	var columns []string
	seen := make(map[string]bool)
	for j := range s.Attributes {
		if c := s.Attributes[j].Column; !seen[c] {
			seen[c] = true
			columns = append(columns, c)
		}
	}
	if s.Label != nil {
		columns = append(columns, s.Label.Column)
	}
	return columns
}

// NewSchema returns a copy of s with the defaults filled in, or an error that
// says in one sentence which rule s breaks.
func NewSchema(s Schema) (*Schema, error) {
	schema := s.clone()
	schema.fill()
	if f := schema.check(); f != nil {
		return nil, f
	}
	return schema, nil
}

func (s *Schema) clone() *Schema {
	c := *s
	c.File.Columns = append([]string(nil), s.File.Columns...)
	if s.Label != nil {
		label := *s.Label
		label.Positive = append([]string(nil), label.Positive...)
		label.Negative = append([]string(nil), label.Negative...)
		c.Label = &label
	}
	c.Attributes = append([]Attribute(nil), s.Attributes...)
	for j := range c.Attributes {
		a := &c.Attributes[j]
		a.Values = append([]string(nil), a.Values...)
		a.Groups = append([]Group(nil), a.Groups...)
		for g := range a.Groups {
			a.Groups[g].Values = append([]string(nil), a.Groups[g].Values...)
		}
		a.Cuts = append([]Decimal(nil), a.Cuts...)
	}
	return &c
}

func (s *Schema) fill() {
	if s.File.Delimiter == 0 {
		s.File.Delimiter = ','
	}
	if s.File.Decimal == 0 {
		s.File.Decimal = '.'
	}
	if s.Label != nil {
		if d, ok := ParseDecimal(string(s.Label.AtLeast)); ok {
			s.Label.AtLeast = d
		}
	}
	for j := range s.Attributes {
		a := &s.Attributes[j]
		if a.Name == "" {
			a.Name = a.Column
		}
		for i, cut := range a.Cuts {
			if d, ok := ParseDecimal(string(cut)); ok {
				a.Cuts[i] = d
			}
		}
	}
}

// enumerate writes "a", "a and b" or "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
