package pushdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Moments is an SQL statement that computes some of the weighted sums that a table.Moments describes. Its result
// is one row. Sums of coordinates (first moments) precede sums of products (second moments).
type Moments struct {
	Statement string
	Sums      int
}

// Moments returns statements that together compute all sums that m describes: one statement after another, the
// first moments and then the second moments. The statements have nested subqueries, named a to d, which select:
//
//	a  the points p of each attribute, the outcome y, and the weight w of persons
//	b  also the total t of the points and their norm n
//	c  the points, the factor f, and the weights g and h of first and second moments
//	d  the coordinates z, their products q with h, and the weights g and h
//
// All values are 64-bit integers, except the sums, for which databases use more bits if necessary.
func (r *Relation) Moments(m table.Moments) []Moments {
	d, from := r.dialect, r.records()
	var points, a, c, coordinates []string
	for j, of := range m.Points {
		p := fmt.Sprintf("p%d", j)
		points = append(points, p)
		a = append(a, wide(d, from.cell(j, of))+" AS "+p)
		z := d.Apply("*", "f", p)
		coordinates = append(coordinates, fmt.Sprintf("%s AS z%d, %s AS q%d", z, j, d.Apply("*", "h", z), j))
	}
	y := from.axis(table.Axis{Column: len(r.schema.Attributes), Size: r.schema.Outcomes()})
	a, c = append(a, wide(d, y)+" AS y"), append(c, points...)
	first, second := byOutcome(d, "t", m.First), steps(d, "t", m.Second)
	weight := ""
	if from.weight != "" {
		a, weight = append(a, from.weight), ", "+from.weight
		first, second = d.Apply("*", first, from.weight), d.Apply("*", second, from.weight)
	}
	c = append(c, wide(d, steps(d, "n", m.Factor))+" AS f", wide(d, first)+" AS g", wide(d, second)+" AS h")
	norms := make([]string, len(points))
	for j, p := range points {
		if norms[j] = d.Apply("*", p, p); !m.Squares {
			norms[j] = d.Call("abs", p)
		}
	}
	of := "SELECT " + strings.Join(a, ", ") + " FROM " + from.from + " WHERE " + from.inside()
	of = r.within(fmt.Sprintf("%s, y%s, %s AS t, %s AS n", strings.Join(points, ", "), weight, added(d, points), added(d, norms)), of, "a")
	of = r.within(strings.Join(c, ", "), of, "b")
	of = r.within(strings.Join(append(coordinates, "g", "h"), ", "), of, "c")
	var sums []string
	sum := func(e string) { sums = append(sums, "COALESCE("+wide(d, d.Call("sum", e))+", 0)") }
	for j := range m.Points {
		sum(d.Apply("*", "g", fmt.Sprintf("z%d", j)))
	}
	sum("g")
	for j := range m.Points {
		for k := range j + 1 {
			sum(d.Apply("*", fmt.Sprintf("q%d", j), fmt.Sprintf("z%d", k)))
		}
	}
	for j := range m.Points {
		sum(fmt.Sprintf("q%d", j))
	}
	sum("h")
	var all []Moments
	for part := range slices.Chunk(sums, d.Conditions) {
		all = append(all, Moments{r.within(strings.Join(part, ", "), of, "d"), len(part)})
	}
	return all
}

// added returns an SQL expression for the sum of the terms. There must be at least one term.
func added(d *database.Dialect, terms []string) string {
	sum := terms[0]
	for _, e := range terms[1:] {
		sum = d.Apply("+", sum, e)
	}
	return sum
}

// steps returns an SQL expression for the value of a step function at the operand.
func steps(d *database.Dialect, operand string, of table.Steps) string {
	return tree(d, operand, wholes(of.From), of.Values)
}

// byOutcome returns an SQL expression for the value of a step function at the operand. There is one step function
// for each outcome, and the record's outcome, the column y, selects it.
func byOutcome(d *database.Dialect, operand string, functions []table.Steps) string {
	e, equals := d.Case("y")
	for outcome, s := range functions {
		e += " WHEN " + equals(whole(int64(outcome))) + " THEN " + steps(d, operand, s)
	}
	return e + " END"
}

// within returns a query that selects the given columns from a subquery, which receives the given name. The
// database computes the columns of the subquery only once per row.
func (r *Relation) within(columns, subquery, name string) string {
	return "SELECT " + columns + " FROM (" + subquery + " " + r.dialect.Fence + ") AS " + name
}
