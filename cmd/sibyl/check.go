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
remedy. For a workbook, it counts the cells with error values and the formulas without
stored values, with the first cell.

The output is not private. It is for the curator of the data.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	cli.PathVar(cmd.Flags(), &f.schema, "schema", "the schema, a TOML `file`")
	must(cmd.MarkFlagRequired("schema"))
	return cmd
}

type checkFlags struct {
	data   dataFlags
	schema string
}

// checked is the output of check --json.
type checked struct {
	Rows       int64   `json:"rows"`
	Null       int64   `json:"null"`
	Places     string  `json:"places"` // "line" or "row"
	Attributes []field `json:"attributes"`
	Label      *field  `json:"label,omitempty"` // nil if the schema has none
	Person     *person `json:"person,omitempty"`
	Sheet      string  `json:"sheet,omitempty"`            // the sheet that was read, if the data are a workbook
	Cells      []cells `json:"unreadable_cells,omitempty"` // counts of the cells of the sheet whose value cannot be read
}

// cells counts unreadable cells in one column of a workbook. Why is the reason that these cells cannot be read.
type cells struct {
	Column string `json:"column"`
	Cells  int64  `json:"cells"`
	First  string `json:"first"` // the name of the first of these cells, such as C17
	Why    string `json:"why"`
	Remedy string `json:"remedy"`
}

// newCells returns the counts of unreadable cells in the report r, with a remedy for each reason.
func newCells(r *source.Report) (all []cells) {
	for _, c := range r.Cells {
		why, remedy := c.Explain()
		all = append(all, cells{c.Column, c.Count, r.Letters[c.Column] + fmt.Sprint(c.First), why, remedy})
	}
	return all
}

// person counts the rows without a value in the schema's person column.
type person struct {
	Column  string `json:"column"`
	Without int64  `json:"without"`
	First   int64  `json:"first_without,omitempty"` // the first of these lines or rows, counted from 1; 0 if there is none
}

// field counts the values of an attribute, or of the label, that the schema does not list.
type field struct {
	Name         string `json:"name"`
	Column       string `json:"column"`
	Outside      int64  `json:"outside"`                 // the number of values that make their record null
	FirstOutside int64  `json:"first_outside,omitempty"` // the line or row of the first one, counted from 1; 0 if there is none
	Other        int64  `json:"other"`                   // the number of values that belong to the category other
	FirstOther   int64  `json:"first_other,omitempty"`

	Unreadable []unreadable `json:"unreadable,omitempty"` // values that are not read as numbers
}

// unreadable counts values of a numeric column that cannot be read as numbers. Why is the reason.
type unreadable struct {
	Values int64  `json:"values"`
	First  int64  `json:"first"`          // the line or row of the first of these values, counted from 1
	Cell   string `json:"cell,omitempty"` // the cell of this value, such as C17, if the data are a workbook
	Why    string `json:"why"`
	Remedy string `json:"remedy"`
}

// newField returns the counts of one field of a report.
func newField(f source.Field, s *table.Schema, r *source.Report) field {
	c := field{f.Name, f.Column, f.Outside, f.FirstOutside, f.Other, f.FirstOther, nil}
	for _, u := range f.Unreadable {
		why, remedy := r.Explain(u.Why, s)
		cell := ""
		if r.Sheet != "" {
			cell = r.Letters[f.Column] + fmt.Sprint(u.First)
		}
		c.Unreadable = append(c.Unreadable, unreadable{u.Count, u.First, cell, why, remedy})
	}
	return c
}

func (f *checkFlags) run(cmd *cobra.Command) error {
	schema, err := release.ReadDomain(f.schema)
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
		label := newField(*r.Label, schema, r)
		c.Label = &label
	}
	if p := r.Person; p != nil {
		c.Person = &person{p.Column, p.Outside, p.FirstOutside}
	}
	if r.Lines {
		c.Places = "line"
	}
	c.Sheet, c.Cells = r.Sheet, newCells(r)
	for _, a := range r.Attributes {
		c.Attributes = append(c.Attributes, newField(a, schema, r))
	}
	if err := cli.Print(cmd, c, c.write); err != nil {
		return err
	}
	if 2*c.Null > c.Rows {
		return c.mostlyNull(schema)
	}
	return nil
}

// fields returns the counts of the attributes, and of the label if there is one.
func (c checked) fields() []field {
	if c.Label == nil {
		return c.Attributes
	}
	return append(slices.Clone(c.Attributes), *c.Label)
}

// mostlyNull returns the error for a table in which most rows are null. It states a remedy and, for each column, how
// many rows are null because of this column.
func (c checked) mostlyNull(s *table.Schema) error {
	outside := make(map[string]int64)
	numbers := false
	for j, f := range c.fields() {
		if f.Outside > 0 {
			outside[f.Column] = max(outside[f.Column], f.Outside)
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
	hint := "add the missing values to the schema, or give its attributes an other"
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
	if _, err := fmt.Fprintf(w, "%d rows, %s.\n\n", c.Rows, null); err != nil {
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
	if err := c.writeUnreadable(w); err != nil {
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

// writeUnreadable lists the values of numeric columns that cannot be read as numbers.
func (c checked) writeUnreadable(w io.Writer) error {
	var b strings.Builder
	columns := make(map[string]bool)
	for _, f := range c.fields() {
		if columns[f.Column] {
			continue
		}
		columns[f.Column] = true
		for _, u := range f.Unreadable {
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
	_, err := io.WriteString(w, "\nThese values are not read as numbers or dates. They count as missing values.\n"+b.String())
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

// place formats the number of a line or row. It returns "" for the number 0, which means unknown.
func place(at int64) string {
	if at == 0 {
		return ""
	}
	return fmt.Sprint(at)
}
