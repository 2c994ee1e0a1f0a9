package pushdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Marginals is an SQL statement that counts the cells of several marginals at once. Each row of its result consists
// of the number of a cell and the number of units (see table.Counts) of the records in this cell. The method Add adds
// this row to the counts of the marginals.
type Marginals struct {
	Statement string
	axes      []table.Axis
	sets      []*set
	first     []int64 // by set, the number of its first cell
	places    []int64 // the coordinates of a cell, reused by Add
}

// Add processes one row of the statement's result: it adds the units of the cell to the counts of every marginal that
// is computed from the cell's set of axes.
func (m *Marginals) Add(counts [][]int64, cell, units int64) {
	at, found := slices.BinarySearch(m.first, cell)
	if !found {
		at--
	}
	s := m.sets[at]
	cell -= m.first[at]
	m.places = slices.Grow(m.places[:0], len(s.axes))[:len(s.axes)]
	for i := len(s.axes) - 1; i >= 0; i-- {
		size := int64(m.axes[s.axes[i]].Size)
		m.places[i] = cell % size
		cell /= size
	}
	for _, sub := range s.of {
		into := int64(0)
		for _, a := range sub.axes {
			i, _ := slices.BinarySearch(s.axes, a)
			into = into*int64(m.axes[a].Size) + m.places[i]
		}
		counts[sub.at][into] += units
	}
}

// Marginals returns statements that together count the cells of all given marginals. The caller runs each statement,
// and passes each row of its result to the method Add of the statement.
func (r *Relation) Marginals(marginals [][]table.Axis) []*Marginals {
	return r.records().marginals(marginals)
}

func (r records) marginals(of [][]table.Axis) []*Marginals {
	axes, places := distinct(of)
	var all []*Marginals
	for sets := range slices.Chunk(cover(axes, places), r.dialect.Groupings) {
		m := &Marginals{axes: axes, sets: sets}
		first := int64(0)
		for _, s := range sets {
			m.first = append(m.first, first)
			first += s.cells
		}
		if r.dialect.Materialized == "" {
			m.Statement = r.crossed(m)
		} else {
			m.Statement = r.united(m)
		}
		all = append(all, m)
	}
	return all
}

// axis returns an SQL expression for the index of the axis's cell that contains a record.
func (r records) axis(a table.Axis) string {
	if a.Column == len(r.attributes) { // no label: the outcome is 0
		return whole(int64(a.Cell(0)))
	}
	to := make([]int64, r.attributes[a.Column].Len())
	for code := range to {
		to[code] = int64(a.Cell(code))
	}
	return r.cell(a.Column, to)
}

// cells returns a query with one row per record, except null records. Its columns are the cells of the record on the
// wanted axes, which are given by their indices.
func (r records) cells(axes []table.Axis, wanted []int) string {
	var columns []string
	for _, a := range wanted {
		columns = append(columns, fmt.Sprintf("CAST(%s AS %s) AS a%d", r.axis(axes[a]), r.dialect.TypeBelow(axes[a].Size), a))
	}
	if r.weight != "" {
		columns = append(columns, r.weight)
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + r.from + " WHERE " + r.inside()
}

// used returns, in increasing order, the indices of the axes that occur in at least one of the sets.
func used(sets []*set) []int {
	var all []int
	for _, s := range sets {
		all = append(all, s.axes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// number returns an SQL expression for the number of the cell that contains a record, for the set of axes with the
// index i. The number is a 64-bit integer, and cells of different sets have different numbers.
func (m *Marginals) number(d *database.Dialect, i int) string {
	e := ""
	for k, a := range m.sets[i].axes {
		if k == 0 {
			e = wide(d, fmt.Sprintf("a%d", a))
		} else {
			e = d.Apply("+", d.Apply("*", e, strconv.Itoa(m.axes[a].Size)), fmt.Sprintf("a%d", a))
		}
	}
	return d.Apply("+", whole(m.first[i]), e)
}

// united returns a statement for dialects with materialized common table expressions. One such expression computes
// the cells of all records once, a grouping query for each set of axes reads it, and UNION ALL combines the results.
//
// The expression has a name that does not occur in the relation's query. Otherwise, if the query used a table of this
// name, SQLite would read the expression instead of the table.
func (r records) united(m *Marginals) string {
	cells, query := "cells", strings.ToLower(r.query)
	for strings.Contains(query, cells) {
		cells += "_"
	}
	groupings := make([]string, len(m.sets))
	for i := range m.sets {
		groupings[i] = r.grouping(m.number(r.dialect, i), cells)
	}
	return "WITH " + cells + " AS " + r.dialect.Materialized + " (" + r.cells(m.axes, used(m.sets)) + ") " + strings.Join(groupings, " UNION ALL ")
}

// crossed returns a statement for dialects without materialized common table expressions. It computes the cells of
// each record once, repeats each record for every set of axes by a cross join, and groups the result once.
func (r records) crossed(m *Marginals) string {
	numbers, sets := "CASE s", make([]string, len(m.sets))
	for i := range m.sets {
		numbers += fmt.Sprintf(" WHEN %d THEN %s", i, m.number(r.dialect, i))
		sets[i] = fmt.Sprintf("SELECT %d AS s", i)
	}
	cells := "(" + r.cells(m.axes, used(m.sets)) + " " + r.dialect.Fence + ") AS a"
	return r.grouping(numbers+" END", cells+" CROSS JOIN ("+strings.Join(sets, " UNION ALL ")+") AS n")
}

// grouping returns a query that sums the units (see table.Counts) of the records in each cell. The parameter number
// is an expression for the number of the cell that contains a record, and from is a subquery of records.
func (r records) grouping(number, from string) string {
	more := ""
	if r.weight != "" {
		more = ", " + r.weight
	}
	return "SELECT k, " + r.units() + " FROM (SELECT " + number + " AS k" + more + " FROM " + from + ") AS b GROUP BY k"
}
