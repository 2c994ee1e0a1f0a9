package risk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Grading assigns a grade to each record, such as a range of totals of points or a leaf of a tree (see Grade). It
// depends on a hypothesis, but must not depend on the graded rows in any other way. If the hypothesis was learned from
// these rows, its release must have a guarantee, which is added to that of the counts.
type Grading struct {
	Scale Scale
	Of    func(table.Record) int // the value of a record, which Scale.Place maps to a grade
	Value func(grade int) int    // converts a grade of the rule to a value for Scale.Place; nil without a rule

	// If the value of a record is a total without a bonus, it is Start plus the points of Card. Otherwise Card is empty.
	Start int64
	Card  table.Card

	// If each grade consists of the records that satisfy a conjunction, Leaves has the terms of the
	// conjunction of each grade, over Axes. A conjunction without terms is satisfied by all records. If the
	// grades have another form, Leaves is nil.
	Axes   []table.Axis
	Leaves [][]table.Term
}

// GradingOf returns the grading that follows from the rule b:
//   - If b is a sum of points, the grade of a record is its total.
//   - If b is a list, the grade is the first rule that applies.
//   - If b is a tree, the grade is the leaf.
//   - Otherwise, or if there would be more than MostGrades rules or leaves, the grade is the prediction.
//
// The parameter sizes holds the number of categories of each attribute, and outcomes is the number of outcomes of the
// label.
func GradingOf(b rule.Body, sizes []int, outcomes int) Grading {
	g := Grading{Scale: Predictions(outcomes), Value: b.Predicts}
	same := func(grade int) int { return grade }
	switch b := b.(type) {
	case rule.Points:
		g = Grading{Scale: Totals(b.Start, b.Terms(), b.Threshold), Value: same}
		if b.If == nil {
			g.Start, g.Card = int64(b.Start), cardOf(b.Of)
		}
	case rule.List:
		predicted := make([]bool, 0, len(b.Steps)+1)
		for _, step := range b.Steps {
			predicted = append(predicted, step.Predict == 1)
		}
		if scale, err := Rules(append(predicted, b.Otherwise == 1)); err == nil {
			g = Grading{Scale: scale, Value: func(grade int) int {
				if grade > 0 {
					return grade - 1
				}
				return len(b.Steps)
			}}
		}
	case *rule.Tree:
		var predicted []int
		for _, leaf := range b.Leaves() {
			predicted = append(predicted, leaf.Predict)
		}
		if scale, err := Leaves(outcomes, predicted); err == nil {
			g = Grading{Scale: scale, Value: same}
			g.leaves(b, sizes, map[string]int{}, nil)
		}
	}
	g.Of = func(r table.Record) int { return g.Value(b.Grade(r)) }
	return g
}

// cardOf converts points, given by attribute and category code, to a table.Card.
func cardOf(points [][]int) (c table.Card) {
	for _, own := range points {
		of := make([]int64, len(own))
		for code, p := range own {
			of[code] = int64(p)
		}
		c.Points = append(c.Points, of)
	}
	return c
}

// leaves appends the leaves of the subtree t to g.Leaves. Each leaf is a conjunction of terms, and the parameter terms
// holds those of the conditions above t. A condition is represented by an axis with two cells: cell 1 contains the
// accepted categories, and cell 0 all others. The parameter axes maps the text of a condition to the index of its axis
// in g.Axes.
func (g *Grading) leaves(t *rule.Tree, sizes []int, axes map[string]int, terms []table.Term) {
	if t.Leaf() {
		g.Leaves = append(g.Leaves, terms)
		return
	}
	key := fmt.Sprint(t.If)
	at, known := axes[key]
	if !known {
		a := table.Axis{Column: t.If.Attribute, Cells: make([]uint16, sizes[t.If.Attribute]), Size: 2}
		for _, code := range t.If.Accepts {
			a.Cells[code] = 1
		}
		at = len(g.Axes)
		axes[key], g.Axes = at, append(g.Axes, a)
	}
	g.leaves(t.Yes, sizes, axes, append(slices.Clip(terms), table.Term{Axis: at, Cell: 1}))
	g.leaves(t.No, sizes, axes, append(slices.Clip(terms), table.Term{Axis: at}))
}

// Exact returns the exact Counts of the rows of a table, which are only for the curator. If the grades are totals, it
// also counts the rows with each single total, so that the area under the curve (AUC) is computed from totals instead
// of ranges of totals.
func (g Grading) Exact(t *table.Table) (*Counts, error) {
	c, err := Exact(g.Scale, g.Scale.Count(t, g.Of))
	if err != nil || g.Scale.Kind != Total {
		return c, err
	}
	each := Scale{Kind: Total, Outcomes: g.Scale.Outcomes, Grades: g.singles(t)}
	c.each, err = Exact(each, each.Count(t, g.Of))
	return c, err
}

// singles returns one grade for each total that occurs in the table. These grades state no predictions.
func (g Grading) singles(t *table.Table) (grades []Grade) {
	var values []int
	var record table.Record
	for i := range t.Len() {
		record = t.Record(i, record)
		values = append(values, g.Of(record))
	}
	slices.Sort(values)
	for _, v := range slices.Compact(values) {
		grades = append(grades, Grade{Least: v, Most: v})
	}
	return grades
}

// ErrRecords is the error of Grading.Count if the grades can be computed only from records, but the data source answers
// only queries for counts. Counts suffice if the grades are totals of points without a bonus, or leaves that are given
// by conjunctions.
var ErrRecords = errors.New("risk: the grades of this model can be counted only from records, but the data source provides only counts")

// Queries returns the queries that Count sends to data with the given number of attributes. In a query, a column is the
// index of an attribute, and the next index is the outcome.
func (g Grading) Queries(attributes int) table.Queries {
	var of table.Queries
	switch {
	case g.Card.Points != nil:
		of.Columns = [][]int{append(g.Card.Columns(), attributes)}
	case g.Leaves != nil:
		for _, terms := range g.Leaves {
			columns := []int{attributes}
			for _, t := range terms {
				columns = append(columns, g.Axes[t.Axis].Column)
			}
			slices.Sort(columns)
			of.Columns = append(of.Columns, slices.Compact(columns))
		}
	default:
		of.Records = true
	}
	return of
}

// Count returns the number of rows, or of units (see learn.Units), with each grade (see Grade) and outcome, in the
// order of Scale.Count. Replacing a row of the data changes at most two of the numbers, by one each. Adding or removing
// a row changes one number by one. Count returns ErrRecords if the grades require records that the data source does not
// provide, and the errors of the data source.
func (g Grading) Count(ctx context.Context, d table.Counts) ([]int64, error) {
	cells := make([]int64, g.Scale.Cells())
	cells[len(cells)-1] = d.Nulls()
	switch {
	case g.Card.Points != nil:
		totals, err := d.Totals(ctx, g.Card)
		if err != nil {
			return nil, err
		}
		for total, units := range totals {
			at := g.Scale.Place(int(g.Start + total))
			cells[g.Scale.cell(at, 1)] += units[1]
			cells[g.Scale.cell(at, 0)] += units[0]
		}
	case g.Leaves != nil:
		outcome := len(g.Axes)
		var of [][]table.Term
		for _, terms := range g.Leaves {
			for y := g.Scale.Outcomes - 1; y >= 0; y-- {
				of = append(of, append(slices.Clip(terms), table.Term{Axis: outcome, Cell: uint16(y)}))
			}
		}
		axes := append(slices.Clip(g.Axes), table.Axis{Column: len(d.Sizes()), Size: g.Scale.Outcomes})
		units, err := d.Supports(ctx, axes, of)
		if err != nil {
			return nil, err
		}
		copy(cells, units)
	default:
		t, ok := d.(*table.Table)
		if !ok {
			return nil, ErrRecords
		}
		return g.Scale.Count(t, g.Of), ctx.Err()
	}
	return cells, nil
}
