package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
		Long: `Check reads all of the data and counts the values outside the schema's domain.
Such a value is no error: where the attribute has an "other" it belongs there,
and elsewhere it makes its record null, which costs every hypothesis nothing. It
is an error if most rows are null: then little or nothing can be learned, and the
schema is at fault. An ill-formed file is refused, with the place. Nothing here is
private.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	pathVar(cmd.Flags(), &f.schema, "schema", "the schema, a TOML `file`")
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
	Label      *field  `json:"label,omitempty"` // nil where the schema has none
	Person     *nobody `json:"person,omitempty"`
}

// nobody counts the rows without a person in the schema's person column.
type nobody struct {
	Column  string `json:"column"`
	Without int64  `json:"without"`
	First   int64  `json:"first_without,omitempty"`
}

type field struct {
	Name         string `json:"name"`
	Column       string `json:"column"`
	Outside      int64  `json:"outside"` // values that make their record null
	FirstOutside int64  `json:"first_outside,omitempty"`
	Other        int64  `json:"other"` // values that fall under other
	FirstOther   int64  `json:"first_other,omitempty"`
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
	r, err := source.Check(cmd.Context(), f.data.location, schema, f.data.from(cmd, b).Options)
	b.erase()
	if err != nil {
		return err
	}
	noteCurator(cmd)
	hintOfPersons(cmd, schema, r.Columns)
	c := checked{Rows: r.Rows, Null: r.Nulls, Places: "row"}
	if r.Label != nil {
		label := field(*r.Label)
		c.Label = &label
	}
	if p := r.Person; p != nil {
		c.Person = &nobody{p.Column, p.Outside, p.FirstOutside}
	}
	if r.Lines {
		c.Places = "line"
	}
	for _, a := range r.Attributes {
		c.Attributes = append(c.Attributes, field(a))
	}
	if err := printing(cmd, c, c.write); err != nil {
		return err
	}
	if 2*c.Null > c.Rows {
		return c.misfit(schema)
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

// misfit reports that most rows are null, and how many rows each column makes null.
func (c checked) misfit(s *table.Schema) error {
	spoilt := make(map[string]int64)
	numbers := false
	for j, f := range c.fields() {
		if f.Outside > 0 {
			spoilt[f.Column] = max(spoilt[f.Column], f.Outside)
		}
		numbers = numbers || j < len(s.Attributes) && len(s.Attributes[j].Cuts) > 0 && 2*f.Outside > c.Rows
	}
	columns := slices.SortedFunc(maps.Keys(spoilt), func(a, b string) int {
		return cmp.Or(cmp.Compare(spoilt[b], spoilt[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, column := range columns {
		parts = append(parts, fmt.Sprintf("column %s makes %d null", quote.Word(column), spoilt[column]))
	}
	hint := "mend the schema's lists of values, or give attributes an other"
	if numbers && c.Places == "line" && s.File.Decimal == '.' {
		hint = `where numbers have a decimal comma, set decimal = "," in the schema's [file]`
	}
	return fmt.Errorf("most rows (%d of %d) have a value outside the schema's domain and would be null: %s; %s", c.Null, c.Rows, strings.Join(parts, ", "), hint)
}

func (c checked) write(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%d rows, %d of them null: they have a value outside the schema's domain.\n\n", c.Rows, c.Null); err != nil {
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
	if err := report.WriteTable(w, rows, "llrrrr"); err != nil || c.Person == nil || c.Person.Without == 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d rows have no person in column %s, the first of them %s %d; they are not counted.\n", c.Person.Without, quote.Word(c.Person.Column), c.Places, c.Person.First)
	return err
}

// place formats a place, nothing for 0.
func place(at int64) string {
	if at == 0 {
		return ""
	}
	return fmt.Sprint(at)
}
