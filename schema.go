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

// A Schema is the public domain of a table: its columns, the categories of their values, and the
// label. It must not be derived from the private data. The zero value is invalid; use ReadSchema,
// ParseSchema or SchemaOf. It has no columns.
type Schema struct{ schema *table.Schema }

var errNoSchema = errors.New("the schema is missing; use ReadSchema, ParseSchema or SchemaOf")

// ReadSchema reads a schema from a TOML file, described in docs/reference/formats.md. A ParameterError
// states in one sentence what is wrong and where.
func ReadSchema(path string) (*Schema, error) {
	s, err := release.ReadDomain(path)
	if err != nil {
		return nil, parameterError("schema", err)
	}
	return &Schema{s}, nil
}

// ParseSchema reads a schema in TOML. The name is used like the name of a file: errors begin with
// it, and models use it as the title of the schema.
func ParseSchema(name string, r io.Reader) (*Schema, error) {
	s, err := table.ParseSchema(name, r)
	if err != nil {
		return nil, parameterError("schema", err)
	}
	return &Schema{s}, nil
}

// SchemaOf returns a schema with a column for each field of the struct T. The tags of the fields describe the
// columns:
//
//	type Visit struct {
//		Age   int    `sibyl:"age,cuts=18|60"`      // three intervals
//		Ward  string `sibyl:"ward,values=a|b"`     // a category for each value
//		Known bool   `sibyl:"known"`               // false and true
//		Sent  string `sibyl:"sent,values=x|y|z,label"`
//	}
//
// A tag begins with the name of the column. An empty name stands for the name of the field. Fields
// with the tag "-" and unexported fields are ignored. The options that follow are separated by
// commas:
//
//   - cuts=a|b are the boundaries of the intervals: below a, from a to below b, from b.
//   - values=a|b|c are the categories. A bool needs neither cuts nor values.
//   - other=NAME adds a category for all other values.
//   - label marks the column to predict. If it has two categories, the second is the positive one.
//   - person=N marks the column that identifies the person. At most N rows of a person are used.
//
// Other keys of schemas have no option. For example, Synthesize needs the key draw for columns with cuts, and dates need
// the key format. ParseSchema reads all keys. Its schemas fit the structs of Slice, too, if the columns have the same names.
func SchemaOf[T any]() (*Schema, error) {
	columns, err := columnsOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, parameterError("schema", err)
	}
	s := table.Schema{Name: reflect.TypeFor[T]().Name()}
	for _, c := range columns {
		if err := c.addTo(&s); err != nil {
			return nil, parameterError("schema", fmt.Errorf("field %s: %w", c.field, err))
		}
	}
	schema, err := table.NewSchema(s)
	if err != nil {
		return nil, parameterError("schema", err)
	}
	return &Schema{schema}, nil
}

// Columns returns the names of the columns that a release reads: those of the attributes, then that of the label.
func (s *Schema) Columns() []string {
	if s.schema == nil {
		return nil
	}
	return s.schema.Columns()
}

// addTo adds the column to the schema, according to the options of the struct field's tag.
func (c *column) addTo(s *table.Schema) error {
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
					return fmt.Errorf("cuts: %q must be a decimal number", text)
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
				return fmt.Errorf("the option person=%s must have an integer, the maximum number of rows per person, such as person=3", value)
			}
			person = n
		default:
			return fmt.Errorf("unknown option %q in the tag; the options are values, cuts, other, label and person", key)
		}
	}
	switch {
	case person != 0 && s.Person != nil, label && s.Label != nil:
		return errors.New("another field already has the option label or person; only one field may have each")
	case person != 0:
		s.Person = &table.Person{Column: c.name, Most: person}
	case !label:
		s.Attributes = append(s.Attributes, a)
	case a.Other != "":
		return errors.New("a label cannot have the option other; leave this option out")
	case len(a.Cuts) == 1:
		s.Label = &table.Label{Column: c.name, AtLeast: a.Cuts[0]}
	case len(a.Values) == 2:
		s.Label = &table.Label{Column: c.name, Negative: a.Values[:1], Positive: a.Values[1:]}
	default:
		s.Label = &table.Label{Column: c.name, Values: a.Values, Cuts: a.Cuts}
	}
	return nil
}

// A column describes a struct field that holds the values of a column.
type column struct {
	field   string       // the name of the field
	name    string       // the name of the column
	index   int          // the index of the field
	kind    reflect.Kind // the kind of the field's value, or of the value that it points to
	options []string
}

// columnsOf returns the columns that the fields of a struct type describe.
func columnsOf(t reflect.Type) (columns []column, err error) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("type %v must be a struct with a field for each column", t)
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
			return nil, fmt.Errorf("field %s has the unsupported type %v; it must be a string, a bool, a number or a pointer to one of these", f.Name, f.Type)
		}
		if slices.ContainsFunc(columns, func(d column) bool { return d.name == c.name }) {
			return nil, fmt.Errorf("two fields have the same column %q; rename one in its tag", c.name)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// text returns the column's value in a struct as text. Numbers have a decimal point. The text of a nil pointer is "".
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
