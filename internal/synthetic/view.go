package synthetic

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A view is the free columns of data of a layout's schema, with the same rows: records that are
// null in any column are null.
type view struct {
	table.Counts
	free  []int // columns of the data, ascending, the outcome last
	sizes []int // of the attributes among them
}

// View returns the free columns of data of the schema.
func (l *Layout) View(d table.Counts) table.Counts {
	if len(l.free) == len(l.Flat.Attributes) {
		return d
	}
	v := &view{Counts: d, free: slices.Clone(l.free)}
	if !l.Domain.Outcome {
		v.free = append(v.free, len(d.Sizes()))
	}
	for _, j := range v.free[:len(v.free)-1] {
		v.sizes = append(v.sizes, d.Sizes()[j])
	}
	return v
}

// Asks returns what is asked of data of the schema where so much is asked of its view.
func (l *Layout) Asks(of table.Asks) table.Asks {
	var columns [][]int
	for _, list := range of.Columns {
		var own []int
		for _, k := range list {
			own = append(own, l.free[k])
		}
		columns = append(columns, own)
	}
	of.Columns = columns
	return of
}

// Sizes are those of the free attributes.
func (v *view) Sizes() []int { return v.sizes }

// axes returns axes of the data.
func (v *view) axes(of []table.Axis) []table.Axis {
	own := make([]table.Axis, len(of))
	for i, a := range of {
		own[i] = a
		own[i].Column = v.free[a.Column]
	}
	return own
}

// Marginals asks the data for its own columns.
func (v *view) Marginals(ctx context.Context, of [][]table.Axis) ([][]int64, error) {
	own := make([][]table.Axis, len(of))
	for m, axes := range of {
		own[m] = v.axes(axes)
	}
	return v.Counts.Marginals(ctx, own)
}

// Supports asks the data for its own columns.
func (v *view) Supports(ctx context.Context, axes []table.Axis, of [][]table.Term) ([]int64, error) {
	return v.Counts.Supports(ctx, v.axes(axes), of)
}

// Totals gives the other attributes no points.
func (v *view) Totals(ctx context.Context, c table.Card) (map[int64][]int64, error) {
	points := make([][]int64, len(v.Counts.Sizes()))
	for j, size := range v.Counts.Sizes() {
		points[j] = make([]int64, size)
	}
	for k := range v.sizes {
		points[v.free[k]] = c.Points[k]
	}
	return v.Counts.Totals(ctx, table.Card{Points: points})
}
