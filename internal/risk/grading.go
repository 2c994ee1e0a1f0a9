package risk

import (
	"context"
	"errors"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Grading tells the grades of records by a hypothesis. It must not depend on the data that is
// graded, or be a release that is paid for.
type Grading struct {
	Scale Scale
	Of    func(table.Record) int // the value of a record, which a grade holds

	// Where the value is a total, Card has the points that are added to Start; else it has none.
	Start int64
	Card  table.Card

	// Where each grade is that of a conjunction, Leaves has its terms on Axes, none for every
	// record; else it is nil.
	Axes   []table.Axis
	Leaves [][]table.Term
}

// GradeTotals returns the grading by the totals that points of each attribute's categories have
// with a start (Totals).
func GradeTotals(start int, points [][]int, threshold int) Grading {
	g := Grading{Scale: Totals(start, points, threshold), Start: int64(start)}
	for _, own := range points {
		of := make([]int64, len(own))
		for code, p := range own {
			of[code] = int64(p)
		}
		g.Card.Points = append(g.Card.Points, of)
	}
	g.Of = func(x table.Record) int {
		total := start
		for j, code := range x {
			total += points[j][code]
		}
		return total
	}
	return g
}

// ErrRecords reports data that answers for counts only, where grades are neither totals nor
// conjunctions.
var ErrRecords = errors.New("risk: the grades of records are not told by counts")

// Asks is what Count asks of data over so many attributes, with an outcome as the next column.
func (g Grading) Asks(attributes int) table.Asks {
	var of table.Asks
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

// Count returns the numbers of rows, or units, in the cells, as Scale.Count does. Replacing a row of the data moves at most two of them by
// one, adding or removing one moves one. It fails as the data does, or with ErrRecords.
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
