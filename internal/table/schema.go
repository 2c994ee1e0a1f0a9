package table

import "strings"

// A Schema defines the public domain of a table: its attributes and their categories, the label, and the rows that
// belong to one person. It has at least one attribute. Schemas that NewSchema, ParseSchema and UnmarshalJSON return are
// checked, and must not be modified.
type Schema struct {
	Name       string
	File       File
	Label      *Label  // nil for unlabelled data
	Person     *Person // nil if each row belongs to a different person
	Attributes []Attribute
	Rules      []Rule    // constraints on synthetic data
	Profiles   []Profile // the releases from private data that chose cuts or categories
	Public     string    // who asserts that the schema is public; not part of models
}

// A File describes the format of delimited text. The zero value is the default: comma-separated, with a header, without
// comments. For workbooks, Headerless, Columns and Sheet have the same meaning, Trim and Decimal apply to cells that
// contain text, and the other fields are ignored. All other sources ignore the whole File.
type File struct {
	Headerless bool   // whether the first record is data; Columns names the fields
	Delimiter  byte   // 0 means ','
	Trim       bool   // whether spaces and tabs around fields are removed
	Comment    string // lines that start with it are skipped; "" means none
	Decimal    byte   // the decimal mark, '.' or ','; 0 means '.'
	Encoding   string // the WHATWG name of the encoding, such as "windows-1252"; "" means UTF-8
	Sheet      string // the name of the sheet of a workbook; "" means the first visible one

	// Columns names the fields in order if the file has no header. If the file has a header, the header must contain
	// these names.
	Columns []string
}

// A Label defines the column to predict and its outcomes (classes), in one of these ways:
//   - Positive and Negative list the values of two outcomes.
//   - Numbers that are at least AtLeast have the positive outcome, and smaller numbers the negative one.
//   - Values, Groups or Cuts define the outcomes like the categories of an attribute.
//
// A record whose label has any other value is a null record.
type Label struct {
	Column             string
	Positive, Negative []string
	AtLeast            Decimal // "" if values are given

	Values []string
	Groups []Group
	Cuts   []Decimal

	Described
	Spelling
	Writing
}

// MostOutcomes is the maximum number of outcomes of a label.
const MostOutcomes = 64

// Len returns the number of outcomes of the label.
func (l *Label) Len() int {
	if many := l.many(); many != nil {
		return many.Len()
	}
	return 2
}

// Outcomes returns the names of the outcomes in the order of their codes. It returns nil for a label with a positive
// outcome, which has code 1, and a negative one, which has code 0.
func (l *Label) Outcomes() []string {
	if many := l.many(); many != nil {
		return many.Categories()
	}
	return nil
}

// many returns the label as an attribute whose categories are the outcomes. It returns nil if the label defines a
// positive and a negative outcome instead.
func (l *Label) many() *Attribute {
	if len(l.Values)+len(l.Groups)+len(l.Cuts) == 0 {
		return nil
	}
	return &Attribute{Column: l.Column, Values: l.Values, Groups: l.Groups, Cuts: l.Cuts, Spelling: l.Spelling}
}

// An Attribute divides the values of a column into categories. Exactly one of Values, Groups and Cuts is given. If
// Other is given, there is one more category, with the last code, for all other values and for missing values.
type Attribute struct {
	Name   string // unique in the schema; the default is Column, followed by the part of dates or "age" if one is used
	Column string

	Values []string  // a category for each value, compared byte by byte
	Groups []Group   // a category for each group of values
	Cuts   []Decimal // increasing boundaries of len(Cuts)+1 right-open intervals of numbers

	Other string // "" means that there is no such category: a record with another value is a null record

	// Ordered states whether adjacent categories are similar to each other, which improves synthetic data, Newton steps
	// and gradient descent. nil means that they are similar if they are intervals or increasing numbers. Gradient descent
	// uses the order of numbers only if Ordered is true.
	Ordered *bool
	Dates
	Described
	Spelling
	Writing
}

// A Group is a category that contains several listed values.
type Group struct {
	Name   string
	Values []string
}

// MaxCategories is the maximum number of categories of an attribute.
const MaxCategories = 65535

// Len returns the number of categories of the attribute.
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

// Categories returns the names of the categories in the order of their codes. Intervals have names such as "<26",
// "[26,36)" and "≥36".
func (a *Attribute) Categories() []string {
	names := make([]string, 0, a.Len())
	names = append(names, a.Values...)
	for _, g := range a.Groups {
		names = append(names, g.Name)
	}
	names = append(names, intervals(a.CutTexts())...)
	if a.Other != "" {
		names = append(names, a.Other)
	}
	return names
}

// intervals returns the names of the intervals between the given cuts, such as "<26". It returns nil if there are no
// cuts.
func intervals(cuts []string) (names []string) {
	if len(cuts) == 0 {
		return nil
	}
	for i := range len(cuts) + 1 {
		names = append(names, IntervalName(cuts, i, i))
	}
	return names
}

// IntervalName returns the name of a union of adjacent intervals, such as "[26,36)". The cuts define the intervals, and
// the parameters first and last are the indices of the first and the last interval of the union. The union must not
// contain all intervals.
func IntervalName(cuts []string, first, last int) string {
	switch {
	case first == 0:
		return "<" + cuts[last]
	case last == len(cuts):
		return "≥" + cuts[first-1]
	}
	return "[" + cuts[first-1] + "," + cuts[last] + ")"
}

// Outcomes returns the number of outcomes of the label, or 2 if the schema has no label.
func (s *Schema) Outcomes() int {
	if s.Label == nil {
		return 2
	}
	return s.Label.Len()
}

// Sizes returns the number of categories of each attribute, in schema order.
func (s *Schema) Sizes() []int {
	sizes := make([]int, len(s.Attributes))
	for j := range s.Attributes {
		sizes[j] = s.Attributes[j].Len()
	}
	return sizes
}

// Records returns the number of different records that the schema allows, or the parameter most if there are more.
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

// Columns returns the names of the columns that the schema uses: those of the attributes in order, without duplicates,
// and then the column of the label.
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

// NewSchema returns a copy of s with defaults filled in and decimals in canonical form. It returns an error of one
// sentence if s is invalid.
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
		label.Spelling, label.Writing = label.Spelling.clone(), label.Writing.clone()
		c.Label = &label
	}
	c.Attributes = append([]Attribute(nil), s.Attributes...)
	for j := range c.Attributes {
		a := &c.Attributes[j]
		cloneDomain(&a.Values, &a.Groups, &a.Cuts)
		a.Spelling, a.Writing = a.Spelling.clone(), a.Writing.clone()
	}
	c.Rules, c.Profiles = cloneRules(s.Rules), cloneProfiles(s.Profiles)
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

// fill sets missing fields of the schema to their defaults, and converts its decimals to canonical form.
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
			switch {
			case a.Part != "":
				a.Name += " " + a.Part
			case a.AgeAt != "":
				a.Name += " age"
			}
		}
		fillCuts(a.Cuts)
		a.Writing.fill()
	}
}

// fillCuts converts the cuts to canonical decimals.
func fillCuts(cuts []Decimal) {
	for i, cut := range cuts {
		if d, ok := ParseDecimal(string(cut)); ok {
			cuts[i] = d
		}
	}
}

// enumerate joins words to a list for a message: "a", "a and b" or "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
