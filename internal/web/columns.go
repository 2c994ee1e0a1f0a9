package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A formColumn is a column of a schema, as the form that edits the schema shows it. Each field is the text of an
// input.
type formColumn struct {
	Name  string // the name of the column in the table
	Kind  string // "?", number, category, date, label, person or drop
	Least string
	Most  string
	Whole string // "yes" if numbers are integers, or the number of digits after the decimal point; "" if neither is stated
	Cuts  string // cuts, separated by commas; those of a date column are dates in ISO 8601 if Use is ""

	Format string // the format of dates
	Use    string // the number that is derived from a date: a part of the date, ageUse, or "" for the date itself
	AgeAt  string // the date at which the age is computed
	First  string // the first possible date, in ISO 8601
	Last   string // the last possible date

	Values  string // categories, one on each line: VALUE, or NAME := VALUE | VALUE
	Ordered string // "yes" if the values are ordered

	Other   string // the category of all other values
	Missing string // texts that mean a missing value, one on each line

	Positive, Negative string // values of the label, one on each line
	Rows               string // the maximum number of rows of a person that count
	Open               string // what must be added to complete the column
}

// ageUse is the value of formColumn.Use for a column of dates from which an age is computed.
const ageUse = "age"

// These kinds of columns exist only in the form. All other kinds are those of package table.
const (
	labelKind  = "label"
	personKind = "person"
	dropKind   = "drop"
)

// These constants are the separators in the text of a category with several values: NAME := VALUE | VALUE.
const (
	groupSign = " := "
	valueSign = " | "
)

// fields returns pointers to the fields of a column, by the names of the inputs without the number of the column.
func (c *formColumn) fields() map[string]*string {
	return map[string]*string{
		"name": &c.Name, "kind": &c.Kind, "least": &c.Least, "most": &c.Most, "whole": &c.Whole, "cuts": &c.Cuts,
		"format": &c.Format, "use": &c.Use, "age-at": &c.AgeAt, "first": &c.First, "last": &c.Last,
		"values": &c.Values, "ordered": &c.Ordered, "other": &c.Other, "missing": &c.Missing,
		"positive": &c.Positive, "negative": &c.Negative, "rows": &c.Rows,
	}
}

// mostColumns is the maximum number of columns of a schema that a form shows.
const mostColumns = 1000

// formColumns reads the columns that a form describes. It returns false if the form does not state a valid number
// of columns.
func formColumns(form url.Values) (all []formColumn, ok bool) {
	n, err := strconv.Atoi(form.Get("columns"))
	if err != nil || n < 0 || n > mostColumns {
		return nil, false
	}
	for i := range n {
		var c formColumn
		for end, field := range c.fields() {
			*field = strings.ReplaceAll(form.Get(fmt.Sprintf("c%d.%s", i, end)), "\r\n", "\n")
		}
		all = append(all, c)
	}
	return all, true
}

// columnsOf returns the columns of the draft d as the form shows them. The result whole reports whether the form can
// represent everything in the draft.
func columnsOf(d *schema.Draft) (all []formColumn, whole bool) {
	open := map[string]string{}
	for _, o := range d.Open() {
		open[o.Column] = o.Needs
	}
	if l := d.Label; l != nil {
		c := formColumn{Name: l.Name, Kind: labelKind, Positive: lines(l.Positive), Negative: lines(l.Negative), Values: categories(&l.Column), Cuts: cuts(&l.Column), Missing: lines(l.Missing)}
		all = append(all, c)
	}
	if p := d.Person; p != nil {
		rows := ""
		if p.Most > 0 {
			rows = strconv.Itoa(p.Most)
		}
		all = append(all, formColumn{Name: p.Column, Kind: personKind, Rows: rows})
	}
	for i := range d.Columns {
		k := &d.Columns[i]
		c := formColumn{
			Name: k.Name, Kind: k.Kind, Cuts: cuts(k),
			Format: k.Format, Use: k.Part, AgeAt: k.AgeAt,
			Values: categories(k), Other: k.Other, Missing: lines(k.Missing),
		}
		if k.Kind == table.DateKind {
			c.First, c.Last = k.RangeTexts()
		} else {
			c.Least, c.Most = k.RangeTexts()
		}
		switch {
		case k.Places > 0:
			c.Whole = strconv.Itoa(k.Places)
		case k.Integers || c.Least != "":
			c.Whole = "yes"
		}
		if k.AgeAt != "" {
			c.Use = ageUse
		}
		if k.Ordered {
			c.Ordered = "yes"
		}
		all = append(all, c)
	}
	form := url.Values{"columns": {strconv.Itoa(len(all))}, "title": {d.Name}, "public": {d.Source}}
	for i := range all {
		for end, field := range all[i].fields() {
			form.Set(fmt.Sprintf("c%d.%s", i, end), *field)
		}
	}
	again, err := draftOf(form, d)
	for i := range all {
		all[i].Open = open[all[i].Name]
	}
	if err != nil || len(all) > mostColumns {
		return all, false
	}
	one, err := d.TOML()
	two, failed := again.TOML()
	return all, err == nil && failed == nil && reflect.DeepEqual(one, two)
}

func lines(values []string) string { return strings.Join(values, "\n") }

func cuts(c *schema.Column) string { return strings.Join(c.CutTexts(), ", ") }

// categories returns the text that describes the categories of a column, one on each line.
func categories(c *schema.Column) string {
	parts := slices.Clone(c.Values)
	for _, g := range c.Groups {
		parts = append(parts, g.Name+groupSign+strings.Join(g.Values, valueSign))
	}
	return lines(parts)
}

// listed splits a text into its lines, of which each non-empty one is a value.
func listed(text string) (values []string) {
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSuffix(line, "\r"); strings.TrimSpace(line) != "" {
			values = append(values, line)
		}
	}
	return values
}

// draftOf returns the draft of a schema that the form describes. Properties that the form does not show are copied
// from the draft before, which the form was made from.
func draftOf(form url.Values, before *schema.Draft) (*schema.Draft, error) {
	columns, ok := formColumns(form)
	if !ok {
		return nil, fmt.Errorf("the form must have 1 to %d columns", mostColumns)
	}
	d := &schema.Draft{Name: strings.TrimSpace(form.Get("title")), Source: strings.TrimSpace(form.Get("public")), File: before.File}
	if mark := form.Get("decimal"); mark == "." || mark == "," {
		file := table.File{}
		if before.File != nil {
			file = *before.File
		}
		file.Decimal, file.Encoding = mark[0], strings.TrimSpace(form.Get("encoding"))
		d.File = &file
	}
	for i := range columns {
		if err := columns[i].add(d, before); err != nil {
			return nil, fmt.Errorf("column %s: %w", quote.Word(columns[i].Name), err)
		}
	}
	return d, nil
}

// add adds the column to the draft d of a schema.
func (c *formColumn) add(d, before *schema.Draft) error {
	if c.Name == "" {
		return fmt.Errorf("a column has no name; write its name")
	}
	known := c.before(before)
	switch c.Kind {
	case dropKind:
		return nil
	case personKind:
		return c.addPerson(d)
	case labelKind:
		return c.addLabel(d, known)
	case table.NumberKind, table.CategoryKind, table.DateKind, table.TextKind, table.UnknownKind:
	default:
		return fmt.Errorf("choose its kind")
	}
	k := schema.Column{Name: c.Name, Kind: c.Kind, Spelling: known.Spelling, Source: known.Source}
	if err := c.domain(&k); err != nil {
		return err
	}
	if k.Other = strings.TrimSpace(c.Other); c.Kind == table.TextKind || c.Kind == table.UnknownKind {
		k.Other = ""
	}
	if k.Missing = listed(c.Missing); len(k.Missing) > 0 && k.Other == "" {
		return fmt.Errorf("name the category for the codes of missing values, for example missing")
	}
	d.Columns = append(d.Columns, k)
	return nil
}

// before returns the column of the draft d with the same name as c, or an empty column if there is none.
func (c *formColumn) before(d *schema.Draft) schema.Column {
	if d.Label != nil && d.Label.Name == c.Name {
		return d.Label.Column
	}
	for _, k := range d.Columns {
		if k.Name == c.Name {
			return k
		}
	}
	return schema.Column{}
}

// domain sets the properties of the column k that depend on its kind: for numbers, the cuts and the range; for
// categories, the categories; and for dates, the format, the use and the range of the dates.
func (c *formColumn) domain(k *schema.Column) (err error) {
	switch c.Kind {
	case table.NumberKind:
		if k.Cuts, err = decimals(c.Cuts); err != nil {
			return fmt.Errorf("cuts: %w", err)
		}
		if k.Least, err = decimal(c.Least); err != nil {
			return fmt.Errorf("least: %w", err)
		}
		if k.Most, err = decimal(c.Most); err != nil {
			return fmt.Errorf("most: %w", err)
		}
		if (k.Least == "") != (k.Most == "") {
			return fmt.Errorf("give both the least and the greatest number of the range, or neither")
		}
		switch k.Integers = c.Whole == "yes"; {
		case c.Whole == "" && k.Least != "":
			return fmt.Errorf("a column with a range needs a choice of how its numbers are written: as whole numbers or with digits after the point")
		case c.Whole != "" && !k.Integers:
			if k.Places, err = strconv.Atoi(c.Whole); err != nil || k.Places < 1 || k.Places > table.MostPlaces {
				return fmt.Errorf("the number of digits after the point must be 1 to %d", table.MostPlaces)
			}
		}
	case table.CategoryKind:
		c.categories(k)
	case table.DateKind:
		return c.dates(k)
	}
	return nil
}

// dates sets the properties of the column k if it contains dates: the format of the dates, the number that is
// computed from them, and the cuts or categories of this number. If the dates themselves are used, dates also sets
// their range.
func (c *formColumn) dates(k *schema.Column) (err error) {
	if c.Format == "" {
		if c.Cuts+c.First+c.Last != "" {
			return fmt.Errorf("choose how its dates are written")
		}
		return nil
	}
	k.Format = c.Format
	switch c.Use {
	case "":
		for _, word := range words(c.Cuts) {
			cut, ok := table.ParseDay(word)
			if !ok {
				return fmt.Errorf("cuts: %s is not a date such as 2020-01-31", quote.Word(word))
			}
			k.Cuts = append(k.Cuts, cut)
		}
		return c.days(k)
	case ageUse:
		k.AgeAt = strings.TrimSpace(c.AgeAt)
		if _, ok := table.ParseDay(k.AgeAt); !ok {
			return fmt.Errorf("write the date at which the age is computed, such as 2026-01-01")
		}
	default:
		k.Part = c.Use
	}
	if k.Cuts, err = decimals(c.Cuts); err != nil {
		return fmt.Errorf("cuts: %w", err)
	}
	c.categories(k)
	return nil
}

// days sets the first and the last possible date of the column k, whose cuts must already be set.
func (c *formColumn) days(k *schema.Column) error {
	for _, end := range []struct {
		name, text string
		day        *table.Decimal
	}{{"first", c.First, &k.Least}, {"last", c.Last, &k.Most}} {
		text := strings.TrimSpace(end.text)
		day, ok := table.ParseDay(text)
		switch {
		case text == "":
		case !ok:
			return fmt.Errorf("the %s possible date is %s, but must be a date such as 2020-01-31", end.name, quote.Word(text))
		default:
			*end.day = day
		}
	}
	switch {
	case (k.Least == "") != (k.Most == ""):
		return fmt.Errorf("give both the first and the last date of the range, or neither")
	case k.Cuts == nil && k.Least == "":
		return fmt.Errorf("the dates have no cuts; write cuts such as 2020-01-31, or the first and last possible date to choose cuts with privacy, or use another part of the dates")
	}
	return nil
}

// categories sets the categories of the column k. If one of them has several values, all of them are stored as
// groups of values.
func (c *formColumn) categories(k *schema.Column) {
	k.Ordered = c.Ordered == "yes"
	for _, line := range listed(c.Values) {
		name, values, grouped := strings.Cut(line, groupSign)
		if !grouped {
			k.Values = append(k.Values, line)
			continue
		}
		k.Groups = append(k.Groups, table.Group{Name: name, Values: strings.Split(values, valueSign)})
	}
	if len(k.Groups) > 0 {
		var all []table.Group
		for _, v := range k.Values {
			all = append(all, table.Group{Name: v, Values: []string{v}})
		}
		k.Values, k.Groups = nil, append(all, k.Groups...)
	}
}

func (c *formColumn) addPerson(d *schema.Draft) (err error) {
	if d.Person != nil {
		return fmt.Errorf("only one column can identify persons")
	}
	most, err := strconv.Atoi(strings.TrimSpace(c.Rows))
	if err != nil || most < 1 || most > table.MostOfPerson {
		return fmt.Errorf("write the maximum number of rows counted per person, 1 to %d", table.MostOfPerson)
	}
	d.Person = &table.Person{Column: c.Name, Most: most}
	return nil
}

func (c *formColumn) addLabel(d *schema.Draft, known schema.Column) (err error) {
	if d.Label != nil {
		return fmt.Errorf("only one column can be the column to predict")
	}
	l := &schema.Label{Column: schema.Column{Name: c.Name, Kind: table.CategoryKind, Spelling: known.Spelling, Source: known.Source}, Positive: listed(c.Positive), Negative: listed(c.Negative)}
	l.Missing = listed(c.Missing)
	if (l.Positive == nil) != (l.Negative == nil) {
		return fmt.Errorf("write the positive and the negative values, or neither")
	}
	if l.Positive == nil {
		c.categories(&l.Column)
		l.Ordered = false
		if l.Cuts, err = decimals(c.Cuts); err != nil {
			return err
		}
	}
	d.Label = l
	return nil
}

// words splits a text at commas, semicolons and white space.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \t\r\n", r) })
}

// decimals parses a list of numbers, an input of the form.
func decimals(text string) (all []table.Decimal, err error) {
	for _, word := range words(text) {
		d, err := decimal(word)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// decimal parses a number, an input of the form. It returns "" for an empty text.
func decimal(text string) (table.Decimal, error) {
	if text = strings.TrimSpace(text); text == "" {
		return "", nil
	}
	d, ok := table.ParseDecimal(text)
	if !ok {
		return "", fmt.Errorf("%s is not a number such as 40 or 12.5", quote.Word(text))
	}
	return d, nil
}

// version returns a hash of the text of a file, by which changes of the file are detected.
func version(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// escape escapes a name for the query of a URL.
func escape(name string) string { return url.QueryEscape(name) }
