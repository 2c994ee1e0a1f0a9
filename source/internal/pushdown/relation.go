package pushdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/database"
	"github.com/sibyl-dp/sibyl/table"
)

// A Relation is a query whose rows are records of a schema.
type Relation struct {
	dialect    *database.Dialect
	query      string
	schema     *table.Schema
	types      map[string]database.Type // of the columns
	attributes []table.Attribute        // the label last, where there is one
	coded      []bool                   // whether SQL can code it
	scattered  bool                     // over several servers
	part       string                   // a column whose values are grouped apart, or empty
}

// New returns the relation of a query, whose result has columns of these types.
func New(d *database.Dialect, query string, s *table.Schema, types map[string]database.Type) *Relation {
	r := &Relation{dialect: d, query: query, schema: s, types: types, attributes: slices.Clone(s.Attributes)}
	if s.Label != nil {
		r.attributes = append(r.attributes, s.Label.Attribute())
	}
	size := 0 // of expressions, which a statement may have twice
	for j := range r.attributes {
		e, ok := r.code(j, identity(r.attributes[j].Len()))
		if ok = ok && size+len(e) <= d.Statement/4; ok {
			size += len(e)
		}
		r.coded = append(r.coded, ok)
	}
	return r
}

// Scatter has groupings stand alone, so that each server can group what it has.
func (r *Relation) Scatter() { r.scattered = true }

// Part has rows with other values of a column grouped apart, so that servers that have theirs
// each group what they have: units of the same cell come in several rows then. It does nothing
// where rows have persons, which may be on several servers.
func (r *Relation) Part(column string) {
	if r.schema.Person == nil {
		r.part = column
	}
}

// Coded tells whether SQL can code all attributes, and the label.
func (r *Relation) Coded() bool { return !slices.Contains(r.coded, false) }

func identity(n int) []int64 {
	to := make([]int64, n)
	for i := range to {
		to[i] = int64(i)
	}
	return to
}

// code writes an expression on the query's columns for attribute j: to[code], or NULL for a value
// outside the domain.
func (r *Relation) code(j int, to []int64) (string, bool) {
	a := &r.attributes[j]
	return newCoder(r.dialect, a, to).coded(r.dialect.Identifier(a.Column), r.types[a.Column])
}

// records is what records are taken from.
type records struct {
	*Relation
	from   string // with codes of attributes where persons are bounded, else the query
	weight string // a column, empty where each row weighs 1
}

// records returns the rows of the query, or those of persons that count.
func (r *Relation) records() records {
	if r.schema.Person != nil {
		return records{r, "(" + r.bounded() + ") AS t", "w"}
	}
	return records{r, "(" + r.query + "\n) AS t", ""}
}

// cell writes an expression for attribute j: to[code], or NULL for a value outside the domain.
func (r records) cell(j int, to []int64) string {
	if r.weight == "" {
		e, _ := r.code(j, to)
		return e
	}
	entries := make([]entry, len(to))
	for code := range to {
		entries[code] = entry{whole(int64(code)), to[code]}
	}
	slices.SortStableFunc(entries, byNumber)
	return choose(r.dialect, codeColumn(j), entries, nothing)
}

// wide writes an expression as a whole number of 64 bits.
func wide(d *database.Dialect, e string) string { return "CAST(" + e + " AS " + d.Whole + ")" }

// parted adds the column whose values are grouped apart.
func (r records) parted(columns []string) []string {
	if r.part == "" {
		return columns
	}
	return append(columns, r.dialect.Identifier(r.part)+" AS part")
}

// by writes a grouping.
func (r records) by(columns ...string) string {
	if r.part != "" {
		columns = append(columns, "part")
	}
	if len(columns) == 0 {
		return ""
	}
	return " GROUP BY " + strings.Join(columns, ", ")
}

func codeColumn(j int) string { return fmt.Sprintf("c%d", j) }

// inside writes the condition that a record is no null record.
func (r records) inside() string {
	var all []string
	for j := range r.attributes {
		a := &r.attributes[j]
		switch {
		case a.Other != "":
		case r.weight != "":
			all = append(all, codeColumn(j)+" IS NOT NULL")
		default:
			e, _ := newInside(r.dialect, a).coded(r.dialect.Identifier(a.Column), r.types[a.Column])
			all = append(all, "("+e+")")
		}
	}
	if len(all) == 0 {
		return r.dialect.True
	}
	return strings.Join(all, " AND ")
}

// units writes the number of units of the rows of a group.
func (r records) units() string {
	if r.weight == "" {
		return r.dialect.Call("count", "*")
	}
	return wide(r.dialect, r.dialect.Call("sum", r.weight))
}

// Sizes returns a statement whose rows add up to the units of all records, and those of null
// ones.
func (r *Relation) Sizes() string {
	from := r.records()
	all := from.satisfying(r.dialect.True)
	group := ""
	if r.part != "" {
		group = " GROUP BY " + r.dialect.Identifier(r.part)
	}
	nulls := r.dialect.Apply("-", all, from.satisfying(from.inside()))
	return fmt.Sprintf("SELECT %s, %s FROM %s%s", all, nulls, from.from, group)
}
