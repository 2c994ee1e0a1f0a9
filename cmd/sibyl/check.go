package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

func newCheck() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check --data F --schema S",
		Short: "Count the values outside the schema's domain, for the curator",
		Long: `Check reads all of the data and counts the values outside the schema's domain. If the
attribute has a category "other", such a value belongs to it. Otherwise the value makes
its row null: null rows have no influence on what is learned. Check fails if more than
half of the rows are null, because the schema then does not fit the data. It also fails if
the file is malformed; the error names the place. For columns of numbers, check counts
the values that are not empty and cannot be read as numbers, with the first place and a
remedy. It also counts numbers and dates outside the range from "least" to "most" in the
schema, and texts that differ from a listed value only in upper and lower case, in spaces
around them, in the digits of a number (1.0 and 1), or in the Unicode form (é with a separate
accent). For a workbook, it counts the cells with error values and the formulas without stored
values, with the first cell.

The schema may have open columns. So check a schema before sibyl schema profile consumes
privacy budget for columns whose numbers or dates cannot be read.

The output is not private. It is for the curator of the data.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	cli.PathVar(cmd.Flags(), &f.schema, "schema", "the schema, a TOML `file` that lists the columns and their possible values")
	must(cmd.MarkFlagRequired("schema"))
	return cmd
}

type checkFlags struct {
	data   dataFlags
	schema string
}

// checked is the output of the command sibyl check with --json.
type checked struct {
	Rows       int64   `json:"rows"`
	Null       int64   `json:"null"`
	Places     string  `json:"places"` // the unit in which positions in the data are counted: "line" or "row"
	Attributes []field `json:"attributes"`
	Label      *field  `json:"label,omitempty"` // nil if the schema has no label
	Person     *person `json:"person,omitempty"`
	Sheet      string  `json:"sheet,omitempty"`            // the sheet that was read, if the data are a workbook
	Cells      []cells `json:"unreadable_cells,omitempty"` // counts of the cells of the sheet whose value cannot be read
}

// cells counts the unreadable cells in one column of a workbook that cannot be read for the same reason, Why.
type cells struct {
	Column string `json:"column"`
	Cells  int64  `json:"cells"`
	First  string `json:"first"` // the name of the first of these cells, such as C17
	Why    string `json:"why"`
	Remedy string `json:"remedy"`
}

// newCells counts the unreadable cells in the report r by column and reason, and adds a remedy for each reason.
func newCells(r *source.Report) (all []cells) {
	for _, c := range r.Cells {
		why, remedy := c.Explain()
		all = append(all, cells{c.Column, c.Count, r.Letters[c.Column] + fmt.Sprint(c.First), why, remedy})
	}
	return all
}

// person counts the persons in the data, and the rows without a value in the schema's person column.
type person struct {
	Column  string `json:"column"`
	Persons int64  `json:"persons,omitempty"` // 0 if there are none, or too many to count
	Without int64  `json:"without"`
	First   int64  `json:"first_without,omitempty"` // the first of these lines or rows, counted from 1; 0 if there is none
}

// field counts those values of an attribute, or of the label, that the schema does not list.
type field struct {
	Name         string `json:"name"`
	Column       string `json:"column"`
	Outside      int64  `json:"outside"`                 // the number of values that make their record null
	FirstOutside int64  `json:"first_outside,omitempty"` // the line or row of the first one, counted from 1; 0 if there is none
	Other        int64  `json:"other"`                   // the number of values that belong to the category other
	FirstOther   int64  `json:"first_other,omitempty"`

	Unreadable []explained `json:"unreadable,omitempty"` // values that are not read as numbers
	Doubtful   []explained `json:"doubtful,omitempty"`   // values that the schema may misread
	Open       bool        `json:"open,omitempty"`       // the schema has no categories of the attribute yet

	number bool // the values are read as numbers or dates
}

// explained counts values that are unreadable, or that may be misread, for the reason Why.
type explained struct {
	Values int64  `json:"values"`
	First  int64  `json:"first"`          // the line or row of the first of these values, counted from 1
	Cell   string `json:"cell,omitempty"` // the cell of this value, such as C17, if the data are a workbook
	Why    string `json:"why"`
	Remedy string `json:"remedy"`
}

// newField returns the counts for one field f of the report r on the data. The field contains the values of the
// attribute a.
func newField(f source.Field, a *table.Attribute, s *table.Schema, r *source.Report) field {
	c := field{Name: f.Name, Column: f.Column, Outside: f.Outside, FirstOutside: f.FirstOutside, Other: f.Other, FirstOther: f.FirstOther, number: len(a.Cuts) > 0 || a.IsDate()}
	explain := func(count, first int64, why, remedy string) explained {
		cell := ""
		if r.Sheet != "" {
			cell = r.Letters[f.Column] + fmt.Sprint(first)
		}
		return explained{count, first, cell, why, remedy}
	}
	for _, u := range f.Unreadable {
		why, remedy := r.Explain(u.Why, s)
		c.Unreadable = append(c.Unreadable, explain(u.Count, u.First, why, remedy))
	}
	for _, d := range f.Doubtful {
		why, remedy := r.ExplainDoubt(d.Why, s)
		c.Doubtful = append(c.Doubtful, explain(d.Count, d.First, why, remedy))
	}
	return c
}

func (f *checkFlags) run(cmd *cobra.Command) error {
	schema, open, err := release.ReadOpen(f.schema)
	if err != nil {
		return err
	}
	if _, err := claimInputs(cmd, &f.data, f.schema); err != nil {
		return err
	}
	b := newBar(cmd)
	r, err := f.data.from(cmd, b).Check(cmd.Context(), schema)
	b.erase()
	if err != nil {
		return err
	}
	noteCurator(cmd)
	hintOfPersons(cmd, schema, r.Columns)
	c := checked{Rows: r.Rows, Null: r.Nulls, Places: "row"}
	if r.Label != nil {
		outcomes := schema.Label.Attribute()
		label := newField(*r.Label, &outcomes, schema, r)
		c.Label = &label
	}
	if p := r.Person; p != nil {
		c.Person = &person{p.Column, r.Persons, p.Outside, p.FirstOutside}
	}
	if r.Lines {
		c.Places = "line"
	}
	c.Sheet, c.Cells = r.Sheet, newCells(r)
	for j, counted := range r.Attributes {
		a := newField(counted, &schema.Attributes[j], schema, r)
		if a.Open = open[j]; a.Open && !a.number {
			a.Other, a.FirstOther = 0, 0 // without categories, every value counts as other
		}
		c.Attributes = append(c.Attributes, a)
	}
	if err := cli.Print(cmd, c, c.write); err != nil {
		return err
	}
	if 2*c.Null > c.Rows {
		return c.mostlyNull(schema)
	}
	return nil
}

// fields returns the counts of all attributes, and of the label if there is one.
func (c checked) fields() []field {
	if c.Label == nil {
		return c.Attributes
	}
	return append(slices.Clone(c.Attributes), *c.Label)
}

// mostlyNull returns the error for a table in which most rows are null. It says, for each column, how many rows are
// null because of this column, and states a remedy.
func (c checked) mostlyNull(s *table.Schema) error {
	outside := make(map[string]int64)
	numbers, doubtful := false, ""
	for j, f := range c.fields() {
		if f.Outside > 0 {
			outside[f.Column] = max(outside[f.Column], f.Outside)
		}
		if !f.number && 2*f.Outside > c.Rows && len(f.Doubtful) > 0 {
			doubtful = f.Doubtful[0].Remedy
		}
		numbers = numbers || j < len(s.Attributes) && len(s.Attributes[j].Cuts) > 0 && 2*f.Outside > c.Rows
	}
	columns := slices.SortedFunc(maps.Keys(outside), func(a, b string) int {
		return cmp.Or(cmp.Compare(outside[b], outside[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, column := range columns {
		parts = append(parts, fmt.Sprintf("column %s makes %d null", quote.Word(column), outside[column]))
	}
	hint := cmp.Or(doubtful, "add the missing values to the schema, or give its attributes an other")
	if numbers && (c.Places == "line" || c.Sheet != "") && s.File.Decimal == '.' {
		hint = `if numbers have a decimal comma, set decimal = "," in the schema's [file]`
	}
	return fmt.Errorf("most rows (%d of %d) would be null, because a value is outside the schema's domain: %s; %s", c.Null, c.Rows, strings.Join(parts, ", "), hint)
}

func (c checked) write(w io.Writer) error {
	null := fmt.Sprintf("%d of them null, since they have a value outside the schema's domain", c.Null)
	if c.Null == 0 {
		null = "none of them null: no value lies outside the schema's domain"
	}
	persons := ""
	if c.Person != nil && c.Person.Persons > 0 {
		persons = fmt.Sprintf("%s. If this number is public, releases take it as --rows.\n", several(int(c.Person.Persons), "person"))
	}
	if _, err := fmt.Fprintf(w, "%s, %s.\n%s\n", several(int(c.Rows), "row"), null, persons); err != nil {
		return err
	}
	rows := [][]string{{"attribute", "column", "outside", "first " + c.Places, "other", "first " + c.Places}}
	for j, f := range c.fields() {
		name := f.Name
		if j == len(c.Attributes) {
			name = "(label)"
		}
		rows = append(rows, []string{name, f.Column, fmt.Sprint(f.Outside), place(f.FirstOutside), fmt.Sprint(f.Other), place(f.FirstOther)})
	}
	if err := report.WriteTable(w, rows, "llrrrr"); err != nil {
		return err
	}
	if slices.ContainsFunc(c.fields(), func(f field) bool { return f.Outside+f.Other > 0 }) {
		if _, err := io.WriteString(w, "\noutside: values that make their row null. other: unlisted values that belong to the category other.\n"); err != nil {
			return err
		}
	}
	if err := c.writeOpen(w); err != nil {
		return err
	}
	if err := c.writeExplained(w, "These values are not read as numbers or dates. They count as missing values.", func(f field) []explained { return f.Unreadable }); err != nil {
		return err
	}
	if err := c.writeExplained(w, "The schema may misread these values.", func(f field) []explained { return f.Doubtful }); err != nil {
		return err
	}
	if err := c.writeCells(w); err != nil {
		return err
	}
	if c.Person == nil || c.Person.Without == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nRows without a person in column %s: %d, the first in %s %d. They are ignored.\n", quote.Word(c.Person.Column), c.Person.Without, c.Places, c.Person.First)
	return err
}

// writeOpen lists the attributes without categories.
func (c checked) writeOpen(w io.Writer) error {
	var names []string
	for _, a := range c.Attributes {
		if a.Open {
			names = append(names, quote.Name(a.Name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nThe schema has no categories yet for %s. Of these columns, check only reads numbers, and dates whose format the schema states.\n", strings.Join(names, ", "))
	return err
}

// writeExplained lists counts of values for each column, below a heading. The function of returns the counts of a
// column.
func (c checked) writeExplained(w io.Writer, heading string, of func(field) []explained) error {
	var b strings.Builder
	written := make(map[[2]string]bool) // by column and reason, since several attributes may read a column
	for _, f := range c.fields() {
		for _, u := range of(f) {
			if written[[2]string{f.Column, u.Why}] {
				continue
			}
			written[[2]string{f.Column, u.Why}] = true
			first := fmt.Sprint(c.Places, " ", u.First)
			if u.Cell != "" {
				first = "cell " + u.Cell
			}
			fmt.Fprintf(&b, "Column %s, values: %d, the first in %s: %s; %s.\n", quote.Word(f.Column), u.Values, first, u.Why, u.Remedy)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s\n%s", heading, b.String())
	return err
}

// writeCells lists the cells of a workbook whose values cannot be read.
func (c checked) writeCells(w io.Writer) error {
	if len(c.Cells) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\nThe values of these cells in sheet %s cannot be read. They count as missing values.\n", quote.Word(c.Sheet)); err != nil {
		return err
	}
	for _, f := range c.Cells {
		if _, err := fmt.Fprintf(w, "Column %s, cells: %d, the first is %s: %s; %s.\n", quote.Word(f.Column), f.Cells, f.First, f.Why, f.Remedy); err != nil {
			return err
		}
	}
	return nil
}

// place formats the number of a line or row for a message. It returns "" for 0, which means that the number is
// unknown.
func place(at int64) string {
	if at == 0 {
		return ""
	}
	return fmt.Sprint(at)
}
