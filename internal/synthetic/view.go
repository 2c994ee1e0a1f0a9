package synthetic

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A view of data answers queries about the free columns of a layout only. A record that is null in any column,
// free or not, is null in the view.
type view struct {
	table.Counts
	free  []int // columns of the data, ascending, the label last
	sizes []int // numbers of categories of the free attributes, without the label
}

// View returns the data d of the schema restricted to the free columns.
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

// Queries translates queries about the free columns, as a view answers them, to queries about the columns of the
// whole data.
func (l *Layout) Queries(of table.Queries) table.Queries {
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

// Sizes returns the sizes of the free attributes.
func (v *view) Sizes() []int { return v.sizes }

// axes translates axes of the view to axes of the data.
func (v *view) axes(of []table.Axis) []table.Axis {
	own := make([]table.Axis, len(of))
	for i, a := range of {
		own[i] = a
		own[i].Column = v.free[a.Column]
	}
	return own
}

// Marginals returns the marginals of the data over the free columns.
func (v *view) Marginals(ctx context.Context, of [][]table.Axis) ([][]int64, error) {
	own := make([][]table.Axis, len(of))
	for m, axes := range of {
		own[m] = v.axes(axes)
	}
	return v.Counts.Marginals(ctx, own)
}

// Supports returns the supports of conjunctions over the free columns.
func (v *view) Supports(ctx context.Context, axes []table.Axis, of [][]table.Term) ([]int64, error) {
	return v.Counts.Supports(ctx, v.axes(axes), of)
}

// Totals returns the totals of the data for a card with points for the free attributes. All other attributes get 0
// points.
func (v *view) Totals(ctx context.Context, c table.Card) (map[int64][]int64, error) {
	return v.Counts.Totals(ctx, table.Card{Points: v.points(c.Points)})
}

// Weighted returns the weighted sums by category of free attributes. All other attributes get 0 points.
func (v *view) Weighted(ctx context.Context, attributes []int, w table.Weights) ([][]int64, error) {
	own := make([]int, len(attributes))
	for i, j := range attributes {
		own[i] = v.free[j]
	}
	w.Points = v.points(w.Points)
	return v.Counts.Weighted(ctx, own, w)
}

// Moments returns the moments of the data for points of the free attributes. All other attributes get 0 points.
func (v *view) Moments(ctx context.Context, m table.Moments) (first, second []int64, err error) {
	m.Points = v.points(m.Points)
	all, products, err := v.Counts.Moments(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	own := append(slices.Clone(v.free[:len(v.sizes)]), len(all)-1)
	for i, j := range own {
		first = append(first, all[j])
		for _, k := range own[:i+1] {
			second = append(second, products[j*(j+1)/2+k])
		}
	}
	return first, second, nil
}

// points returns points for all attributes of the data: the given points for the free attributes, and 0 points for
// all others.
func (v *view) points(of [][]int64) [][]int64 {
	points := make([][]int64, len(v.Counts.Sizes()))
	for j, size := range v.Counts.Sizes() {
		points[j] = make([]int64, size)
	}
	for k := range v.sizes {
		points[v.free[k]] = of[k]
	}
	return points
}
