package pushdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Relation is the curator's SQL query, whose rows are records of a schema. Its methods generate SQL statements that
// count these records.
type Relation struct {
	dialect    *database.Dialect
	query      string
	schema     *table.Schema
	columns    []string                 // the columns that are read
	types      map[string]database.Type // the types of the columns
	attributes []table.Attribute        // the schema's attributes and then the label, if there is one
	coded      []bool                   // by attribute, whether SQL can code it
}

// New returns the Relation of a query in the SQL dialect d, whose rows are records of the schema s. The parameter types
// holds the type of each column of the query's result.
func New(d *database.Dialect, query string, s *table.Schema, types map[string]database.Type) *Relation {
	r := &Relation{dialect: d, query: query, schema: s, types: types, attributes: slices.Clone(s.Attributes)}
	if s.Label != nil {
		r.attributes = append(r.attributes, s.Label.Attribute())
	}
	r.columns = s.Columns()
	if s.Person != nil && !slices.Contains(r.columns, s.Person.Column) {
		r.columns = append(r.columns, s.Person.Column)
	}
	size := 0 // the total size of the expressions, each of which may occur twice in a statement
	for j := range r.attributes {
		e, ok := r.code(j, identity(r.attributes[j].Len()))
		if ok = ok && size+len(e) <= d.Statement/4 && (d.Expression == 0 || len(e) <= d.Expression); ok {
			size += len(e)
		}
		r.coded = append(r.coded, ok)
	}
	return r
}

// Coded reports whether SQL can compute the codes of all attributes and of the label.
func (r *Relation) Coded() bool { return !slices.Contains(r.coded, false) }

func identity(n int) []int64 {
	to := make([]int64, n)
	for i := range to {
		to[i] = int64(i)
	}
	return to
}

// code returns an SQL expression that maps the category code of the attribute with index j to a number. The parameter
// to lists the number for each code. The expression is NULL for a value outside the domain. The boolean result is false
// if SQL cannot compute the code.
func (r *Relation) code(j int, to []int64) (string, bool) {
	a := &r.attributes[j]
	return newCoder(r.dialect, a, to).coded(r.operand(a.Column), r.types[a.Column])
}

// An operand represents a column of the data in SQL expressions. It names two columns of a subquery: the values of the
// data's column, and the plain texts of these values, if SQL can compute them.
type operand struct{ value, text string }

func (r *Relation) operand(column string) operand {
	i := slices.Index(r.columns, column)
	return operand{fmt.Sprintf("v%d", i), fmt.Sprintf("t%d", i)}
}

// operands returns the query from which all statements select. It selects the schema's columns from the relation's
// query, and computes their plain texts. If the dialect has an optimization barrier, the query includes it, because the
// database might otherwise move comparisons into the relation's query, where the server of a foreign table could
// evaluate them with other operators.
func (r *Relation) operands() string {
	d := r.dialect
	var named, all []string
	for _, column := range r.columns {
		o := r.operand(column)
		named, all = append(named, d.Identifier(column)+" AS "+o.value), append(all, o.value)
		if t := r.types[column]; t.Text != "" {
			all = append(all, database.In(t.Text, o.value)+" AS "+o.text)
		}
	}
	return "SELECT " + strings.Join(all, ", ") + " FROM (SELECT " + strings.Join(named, ", ") + " FROM (" + r.query + "\n) AS t" + d.Barrier + ") AS t" + d.Barrier
}

// A records is a Relation together with the subquery that returns its records.
type records struct {
	*Relation
	from   string // a subquery: if the schema has a Person, the used rows with their codes, otherwise operands
	weight string // the column with the weight of a row, or "" if each row has weight 1
}

// records returns the Relation with the subquery of its records. These are all rows or, if the schema has a Person, the
// selected rows of each person.
func (r *Relation) records() records {
	if r.schema.Person != nil {
		return records{r, "(" + r.bounded() + ") AS t", "w"}
	}
	return records{r, "(" + r.operands() + ") AS t", ""}
}

// cell returns an SQL expression that maps the category code of the attribute with index j in a record to a number. The
// parameter to lists the number for each code. The expression is NULL for a value outside the domain.
func (r records) cell(j int, to []int64) string {
	if r.weight == "" {
		e, _ := r.code(j, to)
		return e
	}
	return Numbers(r.dialect, codeColumn(j), to)
}

// wide returns an SQL expression that converts the expression e to a 64-bit integer.
func wide(d *database.Dialect, e string) string { return "CAST(" + e + " AS " + d.Whole + ")" }

func codeColumn(j int) string { return fmt.Sprintf("c%d", j) }

// inside returns the SQL condition that all values of a record are in their domains.
func (r records) inside() string {
	var all []string
	for j := range r.attributes {
		a := &r.attributes[j]
		switch {
		case a.Other != "":
		case r.weight != "":
			all = append(all, codeColumn(j)+" IS NOT NULL")
		default:
			e, _ := newInside(r.dialect, a).coded(r.operand(a.Column), r.types[a.Column])
			all = append(all, "("+e+")")
		}
	}
	if len(all) == 0 {
		return r.dialect.True
	}
	return strings.Join(all, " AND ")
}

// units returns an SQL aggregate expression for the number of units (see table.Counts) of the records in a group.
func (r records) units() string {
	if r.weight == "" {
		return r.dialect.Call("count", "*")
	}
	return wide(r.dialect, r.dialect.Call("sum", r.weight))
}

// Rows returns an SQL statement whose result is the number of rows of the query.
func (r *Relation) Rows() string {
	return "SELECT " + r.dialect.Call("count", "*") + " FROM (" + r.query + "\n) AS t"
}

// Sizes returns an SQL statement whose result is one row with two numbers of units (see table.Counts): that of all
// records, and that of the null records, which have a value outside the domain.
func (r *Relation) Sizes() string {
	from := r.records()
	all := from.satisfying(r.dialect.True)
	nulls := r.dialect.Apply("-", all, from.satisfying(from.inside()))
	return "SELECT " + all + ", " + nulls + " FROM " + from.from
}
