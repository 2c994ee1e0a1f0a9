package schema

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Draft is a schema that may be incomplete, with comments for the person who completes it. A column of the draft is
// called open if its cuts or categories are still missing.
type Draft struct {
	Name   string
	Source string // who asserts that the names of the columns are public
	File   *table.File
	Label  *Label
	Person *table.Person
	// Columns has the columns that become attributes, in the order of the table.
	Columns []Column
	// Notes has comments on the whole schema, such as which columns were left out.
	Notes []string
}

// A Column describes a column of the table, with the facts that are known about its values.
type Column struct {
	Name  string // the name of the column
	Title string // a description for people, written as a comment
	Kind  string // as in table.Described

	Values  []string
	Groups  []table.Group
	Cuts    []table.Decimal // for numbers and dates, as in table.Attribute
	Other   string          // the name of the category for missing values, if there may be any
	Ordered bool

	// Least and Most are the range of the possible numbers, or of the possible dates, as in table.Attribute. Places is
	// the number of digits after the point; it is 0 for integers.
	Least, Most table.Decimal
	Places      int
	Integers    bool // whether all numbers are integers; a range with no Places implies it

	table.Dates    // the format of dates, if Cuts or the values refer to dates
	table.Spelling // the format of numbers and of missing values in text

	Source string   // who asserts that these facts are public
	Notes  []string // comments: guesses, and facts that the schema cannot express
	Drop   string   // the reason why the column does not become an attribute, unless a person names it; otherwise ""
}

// A Label describes the column to predict. It is open if it lists no outcomes, so that a person must still complete it.
type Label struct {
	Column
	Positive, Negative []string
}

// An Open describes a part of the schema that a person still has to complete.
type Open struct {
	Column string `json:"column"`
	Kind   string `json:"kind"`  // as in the schema, or "person"
	Needs  string `json:"needs"` // the missing keys
}

// closed reports whether the column has categories: values, groups or cuts.
func (c *Column) closed() bool { return len(c.Values)+len(c.Groups)+len(c.Cuts) > 0 }

// CutTexts returns the texts of the column's cuts: numbers, or dates such as 2020-01-31.
func (c *Column) CutTexts() []string { return c.attribute().CutTexts() }

// RangeTexts returns the texts of the column's least and greatest value: numbers, or dates such as 2020-01-31. The
// texts are empty if the column has no range.
func (c *Column) RangeTexts() (least, most string) { return c.attribute().RangeTexts() }

// attribute returns a table.Attribute that has only the cuts and the range of the column.
func (c *Column) attribute() *table.Attribute {
	return &table.Attribute{Cuts: c.Cuts, Dates: c.Dates, Writing: table.Writing{Least: c.Least, Most: c.Most}}
}

// numeric reports whether the schema describes the column by numbers: the column has cuts, or it has no categories yet
// and the kind "number". The parameter outcomes is true for a label whose outcomes are listed, which is therefore not
// numeric.
func (c *Column) numeric(outcomes bool) bool {
	return c.Kind == table.NumberKind && len(c.Values)+len(c.Groups) == 0 && !outcomes
}

// Open lists the parts of the draft that a person still has to complete, in the order of the schema.
func (d *Draft) Open() (all []Open) {
	if d.Person != nil && d.Person.Most == 0 {
		all = append(all, Open{d.Person.Column, "person", "most"})
	}
	if l := d.Label; l != nil && !l.closed() && l.Positive == nil {
		all = append(all, Open{l.Name, l.Kind, "positive and negative, values, groups or cuts"})
	}
	for i := range d.Columns {
		if c := &d.Columns[i]; !c.closed() {
			all = append(all, Open{c.Name, c.Kind, c.needs()})
		}
	}
	return all
}

// MayHaveCommas reports whether the numbers of the file may have a decimal comma that the draft does not state. This is
// likely if semicolons separate the columns.
func (d *Draft) MayHaveCommas() bool {
	return d.File != nil && d.File.Delimiter == ';' && d.File.Decimal == 0
}

// LacksRanges reports whether a column of numbers has neither categories nor a range. Without a range, numbers of the
// column can usually not be sampled for synthetic rows.
func (d *Draft) LacksRanges() bool {
	return slices.ContainsFunc(d.Columns, func(c Column) bool { return c.Kind == table.NumberKind && !c.closed() && c.Least == "" })
}

// needs maps the kind of a column without categories to the names of the keys that it lacks, for messages.
var needs = map[string]string{
	table.UnknownKind:  "values, groups or cuts",
	table.NumberKind:   "cuts",
	table.CategoryKind: "values or groups",
	table.DateKind:     "format with cuts, values or groups, or for a profile draw, least and most",
	table.TextKind:     "values or groups",
}

// needs returns the names of the keys that a column without categories lacks, for messages.
func (c *Column) needs() string {
	switch {
	case c.Kind == table.DateKind && c.Least != "":
		return "cuts"
	case c.Kind == table.DateKind && c.Format != "":
		return "cuts, or for a profile draw, least and most"
	}
	return needs[c.Kind]
}

// TOML returns the text of the schema, which table.ParseOpenSchema can read.
func (d *Draft) TOML() ([]byte, error) {
	w := &writer{}
	w.comment("This schema was drafted from public facts alone: no row of the table was read.")
	if open := d.Open(); len(open) > 0 {
		w.comment("Open columns: %d. Complete each from public knowledge, never from the table, or delete it.", len(open))
	}
	for _, note := range d.Notes {
		w.comment("%s", note)
	}
	w.line("")
	if d.Name != "" {
		w.text("name", d.Name)
	}
	if d.Source != "" {
		w.text("public", d.Source)
	}
	w.file(d)
	if p := d.Person; p != nil {
		w.line("\n[person]")
		w.text("column", p.Column)
		if p.Most == 0 {
			w.line(`most = "?"                # the maximum number of rows counted per person, 1 to %d`, table.MostOfPerson)
		} else {
			w.line("most = %d", p.Most)
		}
		w.source(p.Public, d.Source)
	}
	if l := d.Label; l != nil {
		w.line("\n[label]")
		w.column(&l.Column, l.Positive != nil, d.Source)
		if l.Positive != nil {
			w.texts("positive", l.Positive)
			w.texts("negative", l.Negative)
		}
	}
	for i := range d.Columns {
		w.line("\n[[attribute]]")
		w.column(&d.Columns[i], false, d.Source)
	}
	if _, err := table.ParseOpenSchema("the drafted schema", bytes.NewReader(w.Bytes())); err != nil {
		return nil, err
	}
	return w.Bytes(), nil
}

// A writer writes the text of a schema in TOML.
type writer struct{ bytes.Buffer }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// comment writes a comment line to the schema. The text is escaped, because it may come from untrusted metadata.
func (w *writer) comment(format string, args ...any) {
	w.line("# %s", quote.Line(fmt.Sprintf(format, args...)))
}

func (w *writer) text(key, value string) { w.line("%s = %s", key, tomlString(value)) }

func (w *writer) texts(key string, values []string) { w.line("%s = %s", key, tomlList(values)) }

// source writes the key "public", which states who asserts that the facts about a column are public. It writes nothing
// if this person (who) is unknown, or is the same as for the whole schema (all).
func (w *writer) source(who, all string) {
	if who != "" && who != all {
		w.text("public", who)
	}
}

// file writes the format of the text file. Settings that equal the default are left out.
func (w *writer) file(d *Draft) {
	f := d.File
	if f == nil {
		return
	}
	w.line("\n[file]")
	w.line("header = %v", !f.Headerless)
	if f.Delimiter != 0 && f.Delimiter != ',' {
		w.text("delimiter", string(rune(f.Delimiter)))
	}
	switch {
	case f.Decimal != 0 && f.Decimal != '.':
		w.text("decimal", string(rune(f.Decimal)))
	case d.MayHaveCommas():
		w.comment(`If the numbers of the file have a decimal comma, add: decimal = ","`)
	}
	if f.Encoding != "" {
		w.text("encoding", f.Encoding)
	}
	if f.Comment != "" {
		w.text("comment", f.Comment)
	}
	if f.Sheet != "" {
		w.text("sheet", f.Sheet)
	}
	if f.Trim {
		w.line("trim = true")
	}
	if len(f.Columns) > 0 {
		w.texts("columns", f.Columns)
	}
}

// column writes the keys that attributes and labels have in common. The parameter outcomes is true for a label with
// outcomes. The parameter all is the person who asserts that the whole schema is public.
func (w *writer) column(c *Column, outcomes bool, all string) {
	if c.Title != "" {
		w.comment("%s", c.Title)
	}
	w.text("column", c.Name)
	switch {
	case c.Format != "" && (c.closed() || c.Least != ""):
		w.line(`kind = "date"`)
	case len(c.Cuts) > 0:
		w.line(`kind = "number"`)
	case c.closed() || outcomes:
		w.line(`kind = "category"`)
	default:
		w.line("kind = %-18s # missing: %s", tomlString(c.Kind), c.needs())
	}
	for _, note := range c.Notes {
		w.comment("%s", note)
	}
	w.source(c.Source, all)
	w.dates(&c.Dates)
	if len(c.Values) > 0 {
		w.texts("values", c.Values)
	}
	if len(c.Groups) > 0 {
		var parts []string
		for _, g := range c.Groups {
			parts = append(parts, tomlString(g.Name)+" = "+tomlList(g.Values))
		}
		w.line("groups = { %s }", strings.Join(parts, ", "))
	}
	if len(c.Cuts) > 0 {
		w.line("cuts = [%s]", strings.Join(c.CutTexts(), ", "))
	}
	if c.numeric(outcomes) {
		if c.Decimal != 0 {
			w.text("decimal", string(rune(c.Decimal)))
		}
		if c.Thousands != "" {
			w.text("thousands", c.Thousands)
		}
	}
	if c.Ordered && len(c.Values)+len(c.Groups) > 0 {
		w.line("ordered = true")
	}
	if dates := c.Format != ""; dates || c.numeric(outcomes) {
		least, most := c.RangeTexts()
		ranged := least != "" && most != ""
		switch {
		case dates && ranged:
			w.line(`draw = "day"`)
		case dates:
		case ranged && c.Places > 0:
			w.line("draw = \"uniform\"\nplaces = %d", c.Places)
		case ranged || c.Integers:
			w.line(`draw = "integer"`)
		}
		if ranged {
			w.line("least = %s\nmost = %s", least, most)
		}
	}
	if c.Other != "" {
		w.text("other", c.Other)
		switch {
		case len(c.Missing) == 1:
			w.text("missing", c.Missing[0])
		case len(c.Missing) > 1:
			w.texts("missing", c.Missing)
		}
	}
}

// dates writes the keys that describe dates: the format in which they are written, and the number that is derived from
// them.
func (w *writer) dates(d *table.Dates) {
	if d.Format != "" {
		w.text("format", d.Format)
	}
	if d.Part != "" {
		w.text("part", d.Part)
	}
	if d.AgeAt != "" {
		w.line("age_at = %s", d.AgeAt)
	}
}

func tomlList(values []string) string {
	var parts []string
	for _, v := range values {
		parts = append(parts, tomlString(v))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// tomlString returns a text as a basic string of TOML. Characters that are not printable, such as marks that change the
// writing direction, are escaped.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsGraphic(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// find returns the index of the column with this name, or -1.
func (d *Draft) find(name string) int {
	return slices.IndexFunc(d.Columns, func(c Column) bool { return c.Name == name })
}

// checkNames returns an error if a schema cannot contain one of the names, because it is empty, is not UTF-8, or occurs
// twice. It ignores names for which the function leftOut returns true. The error states the position of the name in the
// list, but not the name, which may be private.
func checkNames(names []string, leftOut func(name string) bool) error {
	first := make(map[string]int)
	for i, name := range names {
		if leftOut(name) {
			continue
		}
		place := strconv.Itoa(i + 1)
		before, twice := first[name]
		switch {
		case !utf8.ValidString(name):
			return fmt.Errorf("the name of column %s is not UTF-8 text; rename it", place)
		case name == "":
			return fmt.Errorf("column %s has an empty name; name it", place)
		case twice:
			return fmt.Errorf("columns %d and %s have the same name; rename one of them", before, place)
		}
		first[name] = i + 1
	}
	return nil
}
