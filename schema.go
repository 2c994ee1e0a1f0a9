package sibyl

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Schema is the public domain of a table: which columns count, into which categories each is
// divided, and what the label is. It is written before the data is looked at. The zero value is
// not a schema; ReadSchema, ParseSchema and SchemaOf make one.
type Schema struct{ schema *table.Schema }

var errNoSchema = errors.New("there is no schema; make one by ReadSchema, ParseSchema or SchemaOf")

// ReadSchema reads a schema from a TOML file (docs/reference/formats.md). An error says in one sentence
// where and what is wrong.
func ReadSchema(path string) (*Schema, error) {
	s, err := release.ReadDomain(path)
	if err != nil {
		return nil, wrong("schema", err)
	}
	return &Schema{s}, nil
}

// ParseSchema reads a schema in TOML. The name stands for the file in errors, and in models as
// the schema's title.
func ParseSchema(name string, r io.Reader) (*Schema, error) {
	s, err := table.ParseSchema(name, r)
	if err != nil {
		return nil, wrong("schema", err)
	}
	return &Schema{s}, nil
}

// SchemaOf makes a schema of the fields of a struct T, whose tags describe the columns:
//
//	type Visit struct {
//		Age   int    `sibyl:"age,cuts=18|60"`      // three intervals
//		Ward  string `sibyl:"ward,values=a|b"`     // a category for each value
//		Known bool   `sibyl:"known"`               // false and true
//		Sent  string `sibyl:"sent,values=x|y|z,label"`
//	}
//
// A tag begins with the name of the column, by default that of the field; a field with the tag "-"
// and one that is not exported are none. Then follow cuts, values, or neither for a bool;
// other=NAME for one more category of all other values; and label for the column to predict, of
// whose two values the second is the positive one. person=N marks the column that says whose a
// row is, where at most N rows of a person count.
func SchemaOf[T any]() (*Schema, error) {
	columns, err := columnsOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, wrong("schema", err)
	}
	s := table.Schema{Name: reflect.TypeFor[T]().Name()}
	for _, c := range columns {
		if err := c.describe(&s); err != nil {
			return nil, wrong("schema", fmt.Errorf("field %s: %w", c.field, err))
		}
	}
	made, err := table.NewSchema(s)
	if err != nil {
		return nil, wrong("schema", err)
	}
	return &Schema{made}, nil
}

// Columns lists the columns that the schema reads: those of the attributes and then the label's.
func (s *Schema) Columns() []string { return s.schema.Columns() }

// describe enters a column into a schema.
func (c *column) describe(s *table.Schema) error {
	a := table.Attribute{Column: c.name}
	label, person := false, 0
	if c.kind == reflect.Bool {
		a.Values = []string{"false", "true"}
	}
	for _, option := range c.options {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "values":
			a.Values = strings.Split(value, "|")
		case "cuts":
			for _, text := range strings.Split(value, "|") {
				cut, ok := table.ParseDecimal(text)
				if !ok {
					return fmt.Errorf("%q is no number to cut at", text)
				}
				a.Cuts = append(a.Cuts, cut)
			}
		case "other":
			a.Other = value
		case "label":
			label = true
		case "person":
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("person=%s: write how many rows of a person count, such as person=3", value)
			}
			person = n
		default:
			return fmt.Errorf("the tag has %q; it may have values, cuts, other, label and person", key)
		}
	}
	switch {
	case person != 0 && s.Person != nil, label && s.Label != nil:
		return errors.New("another field is the label or the person already")
	case person != 0:
		s.Person = &table.Person{Column: c.name, Most: person}
	case !label:
		s.Attributes = append(s.Attributes, a)
	case a.Other != "":
		return errors.New("a label has no other values; leave other out")
	case len(a.Cuts) == 1:
		s.Label = &table.Label{Column: c.name, AtLeast: a.Cuts[0]}
	case len(a.Values) == 2:
		s.Label = &table.Label{Column: c.name, Negative: a.Values[:1], Positive: a.Values[1:]}
	default:
		s.Label = &table.Label{Column: c.name, Values: a.Values, Cuts: a.Cuts}
	}
	return nil
}

// A column is a field of a struct that holds the values of a column.
type column struct {
	field   string // its name in Go
	name    string
	index   int
	kind    reflect.Kind // of the value, or of what a pointer points to
	options []string
}

// columnsOf returns the columns of a struct type.
func columnsOf(t reflect.Type) (columns []column, err error) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is no struct with a field for each column", t)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("sibyl")
		if !f.IsExported() || tag == "-" {
			continue
		}
		c := column{field: f.Name, index: i, kind: f.Type.Kind()}
		if c.kind == reflect.Pointer {
			c.kind = f.Type.Elem().Kind()
		}
		c.name, tag, _ = strings.Cut(tag, ",")
		if c.name == "" {
			c.name = f.Name
		}
		if tag != "" {
			c.options = strings.Split(tag, ",")
		}
		switch {
		case c.kind == reflect.String, c.kind == reflect.Bool, reflect.Int <= c.kind && c.kind <= reflect.Float64 && c.kind != reflect.Uintptr:
		default:
			return nil, fmt.Errorf("field %s has the type %v; it may be a string, a bool, a number or a pointer to one", f.Name, f.Type)
		}
		if slices.ContainsFunc(columns, func(d column) bool { return d.name == c.name }) {
			return nil, fmt.Errorf("two fields are column %q", c.name)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// text returns the plain text of a column's value in a struct, empty for a nil pointer.
func (c *column) text(row reflect.Value) string {
	v := row.Field(c.index)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	}
	return strconv.FormatFloat(v.Float(), 'f', -1, v.Type().Bits())
}
