package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Table Schema and Data Package are the formats of https://datapackage.org, in versions 1 and 2.

// An object is a JSON object. Its methods return the zero value if a key is missing or its value has another type.
type object map[string]any

func (o object) text(key string) string { s, _ := o[key].(string); return s }
func (o object) list(key string) []any  { l, _ := o[key].([]any); return l }

func (o object) object(key string) object {
	m, _ := o[key].(map[string]any)
	return m
}

// is reports whether the value of the key is the given truth value.
func (o object) is(key string, value bool) bool { b, ok := o[key].(bool); return ok && b == value }

// texts returns the value of the key as a list of texts. The value may be a string, a number, a truth value, or a
// list of these.
func (o object) texts(key string) (all []string) {
	if s, ok := scalar(o[key]); ok {
		return []string{s}
	}
	for _, v := range o.list(key) {
		if s, ok := scalar(v); ok {
			all = append(all, s)
		}
	}
	return all
}

// scalar returns the text of a JSON value that is a string, a number or a truth value.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return fmt.Sprint(v), true
	}
	return "", false
}

// frictionless drafts a schema from the text of a Table Schema, or from the resource with the given name in a Data
// Package.
func frictionless(text []byte, resource string) (*Draft, error) {
	if err := strictjson.Check(text); err != nil {
		return nil, fmt.Errorf("the file is not JSON: %w", err)
	}
	var root object
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		return nil, errors.New("the file must be a JSON object: a Table Schema with the key \"fields\", or datapackage.json with the key \"resources\"")
	}
	switch {
	case root.list("resources") != nil:
		r, err := chooseResource(root.list("resources"), resource)
		if err != nil {
			return nil, err
		}
		return draftOfResource(r)
	case root["fields"] != nil:
		if resource != "" {
			return nil, parameter.Errorf("{table} cannot be used here: a Table Schema describes one table; leave {table} out")
		}
		return draftOfTableSchema(root, nil)
	case root["schema"] != nil:
		return draftOfResource(root) // a Data Resource
	}
	return nil, errors.New("the file has neither the key \"fields\" of a Table Schema nor the key \"resources\" of datapackage.json; name a file of one of these formats")
}

func chooseResource(resources []any, name string) (object, error) {
	var names, all []string
	var found []object
	for i, v := range resources {
		r, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("resource %d of the data package must be a JSON object", i+1)
		}
		o := object(r)
		all = append(all, quote.Word(o.text("name")))
		if name == "" && o["schema"] != nil || name != "" && o.text("name") == name {
			found, names = append(found, o), append(names, all[i])
		}
	}
	switch {
	case len(found) == 0 && name != "":
		return nil, parameter.Errorf("{table}: the data package has no resource %s; its resources are %s", quote.Word(name), strings.Join(all[:min(len(all), 20)], ", "))
	case len(found) == 0:
		return nil, errors.New("no resource of the data package has a schema; add a schema to one, or name a file that contains a Table Schema")
	case len(found) > 1 && name != "":
		return nil, parameter.Errorf("{table}: two resources of the data package are named %s; rename one of them", quote.Word(name))
	case len(found) > 1:
		return nil, parameter.Errorf("the data package describes %d tables; choose one with {table}: %s", len(found), strings.Join(names[:min(len(names), 20)], ", "))
	}
	return found[0], nil
}

func draftOfResource(r object) (*Draft, error) {
	s := r.object("schema")
	if s == nil {
		if path := r.text("schema"); path != "" {
			return nil, fmt.Errorf("the schema of resource %s is in another file, %s; import that file", quote.Word(r.text("name")), quote.Word(path))
		}
		return nil, fmt.Errorf("resource %s of the data package has no schema; add one, or choose another resource", quote.Word(r.text("name")))
	}
	file := &table.File{Decimal: '.'} // the default of the standard
	d, err := draftOfTableSchema(s, file)
	if err != nil {
		return nil, err
	}
	d.Name = r.text("title")
	if d.Name == "" {
		d.Name = r.text("name")
	}
	path := r.text("path")
	if strings.HasSuffix(strings.ToLower(path), ".parquet") {
		return d, nil
	}
	d.File = file
	dialect := r.object("dialect")
	if c := dialect.text("delimiter"); len(c) == 1 {
		file.Delimiter = c[0]
	} else if strings.HasSuffix(strings.ToLower(path), ".tsv") {
		file.Delimiter = '\t'
	}
	file.Comment, file.Trim = dialect.text("commentChar"), dialect.is("skipInitialSpace", true)
	if dialect.is("header", false) {
		file.Headerless, file.Columns = true, d.names()
	}
	if q := dialect.text("quoteChar"); q != "" && q != `"` {
		d.Notes = append(d.Notes, "The metadata has the quote character "+quote.Word(q)+`; only " can be read.`)
	}
	if e := strings.ToLower(r.text("encoding")); e != "utf-8" && e != "utf8" {
		file.Encoding = e
	}
	if err := file.Check(); err != nil {
		d.Notes = append(d.Notes, fmt.Sprintf("The metadata describes delimited text that cannot be read, so [file] has defaults: %v.", err))
		d.File = &table.File{Headerless: file.Headerless, Columns: file.Columns}
	}
	return d, nil
}

// names returns the names of the draft's columns.
func (d *Draft) names() (names []string) {
	for _, c := range d.Columns {
		names = append(names, c.Name)
	}
	return names
}

// checkNames returns an error if a schema cannot contain the names of the draft's columns.
func (d *Draft) checkNames() error { return checkNames(d.names(), func(string) bool { return false }) }

// draftOfTableSchema drafts a schema from the given Table Schema. If file is not nil, it also sets the decimal
// mark of the file.
func draftOfTableSchema(s object, file *table.File) (*Draft, error) {
	d := &Draft{Source: "Frictionless Table Schema"}
	fields := s.list("fields")
	if len(fields) == 0 {
		return nil, errors.New("fields of the Table Schema must be a list with an entry for each column")
	}
	missing, stated := missingValues(s)
	if !stated {
		missing = []string{""}
	}
	marks, commas := make(map[string]bool), []int(nil)
	for i, v := range fields {
		f, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("field %d of the Table Schema must be a JSON object with a name and a type", i+1)
		}
		c, mark, err := columnOfField(f, missing)
		if err != nil {
			return nil, fmt.Errorf("field %d: %w", i+1, err)
		}
		if c.Kind == table.NumberKind && object(f).text("type") == "number" {
			if marks[mark] = true; mark == "," {
				commas = append(commas, i)
			}
		}
		d.Columns = append(d.Columns, c)
	}
	if marks[","] && len(marks) == 1 && file != nil {
		file.Decimal = ','
	} else {
		for _, i := range commas {
			d.Columns[i].Decimal = ','
		}
	}
	if err := d.checkNames(); err != nil {
		return nil, err
	}
	d.keys(s)
	return d, nil
}

// keys adds notes to the columns that the Table Schema s states as primary or foreign keys.
func (d *Draft) keys(s object) {
	primary := s.texts("primaryKey")
	for _, name := range primary {
		if i := d.find(name); i >= 0 && len(primary) == 1 {
			d.Columns[i].Drop = "the primary key, which identifies a row"
		} else if i >= 0 {
			d.Columns[i].Notes = append(d.Columns[i].Notes, "Part of the primary key. If it identifies persons, name it in [person].")
		}
	}
	for _, v := range s.list("foreignKeys") {
		key := object{}
		if m, ok := v.(map[string]any); ok {
			key = m
		}
		for _, name := range key.texts("fields") {
			if i := d.find(name); i >= 0 {
				d.Columns[i].Notes = append(d.Columns[i].Notes, fmt.Sprintf("Refers to table %s. If it identifies persons, name it in [person].", quote.Word(key.object("reference").text("resource"))))
			}
		}
	}
}

// missingValues returns the texts that mean a missing value, as the object lists them. The result stated reports
// whether the object has a list of them. In version 2 of the format, these texts may have labels, which are
// ignored.
func missingValues(o object) (codes []string, stated bool) {
	for _, v := range o.list("missingValues") {
		if s, ok := scalar(v); ok {
			codes = append(codes, s)
		} else if m, ok := v.(map[string]any); ok {
			codes = append(codes, object(m).text("value"))
		}
	}
	return codes, o["missingValues"] != nil
}

// columnOfField converts a field of a Table Schema to a column. The result mark is the decimal mark of the field's
// numbers, or "".
func columnOfField(f object, missing []string) (c Column, mark string, err error) {
	c = Column{Name: f.text("name"), Title: firstOf(f.text("title"), f.text("description"))}
	if c.Name == "" {
		return c, "", errors.New("it has no name; give it the key \"name\", with the name of the column")
	}
	constraints := f.object("constraints")
	if own, stated := missingValues(f); stated {
		missing = own
	}
	kind := f.text("type")
	switch kind {
	case "number", "integer", "year":
		c.Kind = table.NumberKind
	case "date", "datetime", "time", "yearmonth", "duration":
		c.Kind = table.DateKind
	case "boolean":
		c.Kind = table.CategoryKind
		for _, side := range [][]string{{"false", "falseValues", "False", "FALSE", "0"}, {"true", "trueValues", "True", "TRUE", "1"}} {
			values := f.texts(side[1])
			if len(values) == 0 {
				values = append([]string{side[0]}, side[2:]...)
			}
			if len(values) > 0 {
				c.Groups = append(c.Groups, table.Group{Name: side[0], Values: values})
			}
		}
		if !disjoint(c.Groups) {
			return c, "", fmt.Errorf("trueValues and falseValues of %s must not contain empty texts, and must have no text in common", quote.Word(c.Name))
		}
	case "string", "":
		c.Kind = table.TextKind
		if format := f.text("format"); format == "email" || format == "uuid" {
			c.Drop = "its format is " + format + ", which identifies persons or rows"
		}
	case "any":
		c.Kind = table.UnknownKind
	case "object", "array", "list", "geojson", "geopoint":
		c.Kind, c.Drop = table.UnknownKind, "its values are of type "+kind
	default:
		c.Kind = table.UnknownKind
		c.Notes = append(c.Notes, "The metadata has the unknown type "+quote.Word(kind)+".")
	}
	c.enumerate(f, constraints, missing)
	mark = firstOf(f.text("decimalChar"), ".")
	if c.Kind == table.NumberKind {
		c.limits(f, constraints)
	}
	if constraints.is("unique", true) {
		c.Drop = "its values are unique, so they identify rows"
	}
	if !constraints.is("required", true) {
		c.mayBeMissing(missing)
	}
	return c, mark, nil
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// disjoint reports whether the groups can be categories of one column: no value is empty or occurs twice.
func disjoint(groups []table.Group) bool {
	seen := make(map[string]bool)
	for _, g := range groups {
		for _, v := range g.Values {
			if v == "" || seen[v] || strings.ContainsRune(v, 0) {
				return false
			}
			seen[v] = true
		}
	}
	return true
}

// enumerate sets the column's categories to the values that the field f lists, except those that mean a missing
// value. Version 1 of the format lists values under the key "enum" of the field's constraints, and version 2 under
// the key "categories" of the field. If the field has labels for the values, enumerate adds them.
func (c *Column) enumerate(f, constraints object, missing []string) {
	labels := f.object("enumLabels")
	add := func(v any, label string) {
		if text, ok := scalar(v); ok && !slices.Contains(missing, text) {
			c.addCategory(text, firstOf(label, labels.text(text), text))
		}
	}
	values, from := f.list("categories"), "categories"
	if values == nil {
		values, from = constraints.list("enum"), "enum"
	}
	if len(values) == 0 || c.Kind == table.DateKind {
		return
	}
	c.Groups = nil
	for _, v := range values {
		if m, ok := v.(map[string]any); ok {
			add(m["value"], object(m).text("label"))
		} else {
			add(v, "")
		}
	}
	if len(c.Groups) == 0 {
		c.Notes = append(c.Notes, "The metadata lists no usable value in "+from+".")
		return
	}
	c.Kind, c.Ordered = table.CategoryKind, f.is("categoriesOrdered", true)
	c.simplify()
}

// limits sets the range of a numeric column according to the constraints of the field f.
func (c *Column) limits(f, constraints object) {
	places := 0
	if f.text("type") == "number" {
		places = table.UsualPlaces
	}
	limit := func(key string) table.Decimal {
		text, stated := scalar(constraints[key])
		d, ok := exact(text)
		if stated && !ok {
			c.Notes = append(c.Notes, "The metadata has the "+key+" "+quote.Word(text)+", which is not a number.")
		}
		return d
	}
	c.setRange(limit("minimum"), limit("maximum"), places)
	for _, key := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
		if text, stated := scalar(constraints[key]); stated {
			c.Notes = append(c.Notes, "The metadata has the "+key+" "+quote.Word(text)+".")
		}
	}
	switch group := f.text("groupChar"); {
	case group == "":
	case slices.Contains([]string{",", ".", "'", " ", "_"}, group) && group != firstOf(f.text("decimalChar"), "."):
		c.Thousands = group
	default:
		c.Notes = append(c.Notes, "Its digits are grouped by "+quote.Word(group)+", which cannot be read; write the numbers without it.")
	}
	if f.is("bareNumber", false) {
		c.Notes = append(c.Notes, "Its numbers stand among other text, such as a percent sign or a currency symbol; name that text in unit.")
	}
}
