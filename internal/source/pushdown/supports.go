package pushdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Supports is an SQL statement that counts the records that satisfy conjunctions. Its result is one row, with a
// column for each conjunction that contains the number of units (see table.Counts) of the records that satisfy
// it.
type Supports struct {
	Statement    string
	Conjunctions int
}

// Supports returns statements that together count the records that satisfy each conjunction, in the order of the
// conjunctions. Each term of a conjunction refers to its axis by the index in the list axes.
func (r *Relation) Supports(axes []table.Axis, conjunctions [][]table.Term) []Supports {
	from := r.records()
	var all []Supports
	for part := range slices.Chunk(conjunctions, r.dialect.Conditions) {
		var wanted []int
		columns := make([]string, len(part))
		for i, terms := range part {
			var conditions []string
			for _, t := range terms {
				wanted = append(wanted, t.Axis)
				conditions = append(conditions, r.dialect.Apply("=", fmt.Sprintf("a%d", t.Axis), strconv.Itoa(int(t.Cell))))
			}
			columns[i] = from.satisfying(strings.Join(conditions, " AND "))
		}
		slices.Sort(wanted)
		cells := from.cells(axes, slices.Compact(wanted)) + " " + r.dialect.Fence
		all = append(all, Supports{"SELECT " + strings.Join(columns, ", ") + " FROM (" + cells + ") AS a", len(part)})
	}
	return all
}

// satisfying returns an SQL expression for the total number of units (see table.Counts) of the records that
// satisfy an SQL condition.
func (r records) satisfying(condition string) string {
	d := r.dialect
	if r.weight == "" {
		return d.Call("count", "CASE WHEN "+condition+" THEN 1 END")
	}
	return "COALESCE(" + wide(d, d.Call("sum", "CASE WHEN "+condition+" THEN "+r.weight+" END")) + ", 0)"
}

// Totals returns a statement that counts records by their total of points on the card and by their outcome. Each
// row of its result consists of a total, an outcome, and the number of units (see table.Counts) of the records
// with both.
func (r *Relation) Totals(c table.Card) string {
	from := r.records()
	sum := make([]string, len(c.Points))
	for j, points := range c.Points {
		sum[j] = wide(from.dialect, from.cell(j, points))
	}
	outcome := from.axis(table.Axis{Column: len(r.schema.Attributes), Size: r.schema.Outcomes()})
	columns := []string{added(r.dialect, sum) + " AS total", wide(from.dialect, outcome) + " AS y"}
	if from.weight != "" {
		columns = append(columns, from.weight)
	}
	return fmt.Sprintf("SELECT total, y, %s FROM (SELECT %s FROM %s WHERE %s) AS b GROUP BY total, y",
		from.units(), strings.Join(columns, ", "), from.from, from.inside())
}
