package table

import "strings"

// A Schema is the public domain of a table. Attributes holds at least one
// attribute. A Schema made by NewSchema, ParseSchema or UnmarshalJSON is
// well-formed, and it must not be changed afterwards.
type Schema struct {
	Name       string
	File       File
	Label      *Label  // nil for unlabelled data
	Person     *Person // nil where every row is a person of its own
	Attributes []Attribute
	Rules      []Rule // that synthetic data keeps
	Public     string // who asserts that the schema is public; for people, and not part of models
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

// A Label is the column of the outcome to learn. Two outcomes are given by the values of
// either, or by AtLeast: then a number is positive from there on, and negative below.
// More than two are given by one of Values, Groups and Cuts, as the categories of an
// attribute. A record whose value is none of them, or is no number, is a null record.
type Label struct {
	Column             string
	Positive, Negative []string
	AtLeast            Decimal // "" where there are values

	Values []string
	Groups []Group
	Cuts   []Decimal

	Described
	Writing
}

// MostOutcomes is the largest number of outcomes of a label.
const MostOutcomes = 64

// Len is the number of outcomes.
func (l *Label) Len() int {
	if many := l.many(); many != nil {
		return many.Len()
	}
	return 2
}

// Outcomes names the outcomes of a label that has more than two, in the order of their
// codes, as Categories does; nil for positive and negative, whose codes are 1 and 0.
func (l *Label) Outcomes() []string {
	if many := l.many(); many != nil {
		return many.Categories()
	}
	return nil
}

// many returns the attribute whose categories are the outcomes, nil for two outcomes.
func (l *Label) many() *Attribute {
	if len(l.Values)+len(l.Groups)+len(l.Cuts) == 0 {
		return nil
	}
	return &Attribute{Column: l.Column, Values: l.Values, Groups: l.Groups, Cuts: l.Cuts}
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

	// Ordered says whether neighbouring categories are alike, which helps synthetic data;
	// nil: they are where they are intervals, or increasing numbers.
	Ordered *bool
	Described
	Writing
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
	names = append(names, intervals(a.Cuts)...)
	if a.Other != "" {
		names = append(names, a.Other)
	}
	return names
}

// intervals names the intervals of cuts, of which there may be none.
func intervals(cuts []Decimal) (names []string) {
	n := len(cuts)
	if n == 0 {
		return nil
	}
	names = append(names, "<"+string(cuts[0]))
	for i := range n - 1 {
		names = append(names, "["+string(cuts[i])+","+string(cuts[i+1])+")")
	}
	return append(names, "≥"+string(cuts[n-1]))
}

// Outcomes is the number of outcomes of the label, 2 without one.
func (s *Schema) Outcomes() int {
	if s.Label == nil {
		return 2
	}
	return s.Label.Len()
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
	if f := schema.check(false); f != nil {
		return nil, f
	}
	return schema, nil
}

func (s *Schema) clone() *Schema {
	c := *s
	c.File.Columns = append([]string(nil), s.File.Columns...)
	if s.Person != nil {
		person := *s.Person
		c.Person = &person
	}
	if s.Label != nil {
		label := *s.Label
		label.Positive = append([]string(nil), label.Positive...)
		label.Negative = append([]string(nil), label.Negative...)
		cloneDomain(&label.Values, &label.Groups, &label.Cuts)
		label.Writing = label.Writing.clone()
		c.Label = &label
	}
	c.Attributes = append([]Attribute(nil), s.Attributes...)
	for j := range c.Attributes {
		a := &c.Attributes[j]
		cloneDomain(&a.Values, &a.Groups, &a.Cuts)
		a.Writing = a.Writing.clone()
	}
	c.Rules = cloneRules(s.Rules)
	return &c
}

func cloneDomain(values *[]string, groups *[]Group, cuts *[]Decimal) {
	*values = append([]string(nil), *values...)
	*groups = append([]Group(nil), *groups...)
	for g := range *groups {
		(*groups)[g].Values = append([]string(nil), (*groups)[g].Values...)
	}
	*cuts = append([]Decimal(nil), *cuts...)
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
		fillCuts(s.Label.Cuts)
		s.Label.Writing.fill()
	}
	for j := range s.Attributes {
		a := &s.Attributes[j]
		if a.Name == "" {
			a.Name = a.Column
		}
		fillCuts(a.Cuts)
		a.Writing.fill()
	}
}

// fillCuts writes cuts in canonical form.
func fillCuts(cuts []Decimal) {
	for i, cut := range cuts {
		if d, ok := ParseDecimal(string(cut)); ok {
			cuts[i] = d
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
