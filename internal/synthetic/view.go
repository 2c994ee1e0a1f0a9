package synthetic

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A view restricts data to the free columns of a layout: it answers queries about these columns only. A record
// that is null in any column, free or not, is null in the view.
type view struct {
	table.Counts
	free  []int // columns of the data, ascending, the label last
	sizes []int // numbers of categories of the free attributes, without the label
}

// View returns the data d restricted to the free columns.
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

// Queries translates queries about the free columns to queries about all columns of the data.
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

// Sizes returns the numbers of categories of the free attributes, without the label.
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

// Marginals returns marginals of the data. The axes refer to the free columns.
func (v *view) Marginals(ctx context.Context, of [][]table.Axis) ([][]int64, error) {
	own := make([][]table.Axis, len(of))
	for m, axes := range of {
		own[m] = v.axes(axes)
	}
	return v.Counts.Marginals(ctx, own)
}

// Supports returns, for each conjunction, the number of rows that satisfy it. The axes refer to the free columns.
func (v *view) Supports(ctx context.Context, axes []table.Axis, of [][]table.Term) ([]int64, error) {
	return v.Counts.Supports(ctx, v.axes(axes), of)
}

// Totals returns the distribution of the total points that a card gives to the rows. The card has points for the
// free attributes only; all other attributes get 0 points.
func (v *view) Totals(ctx context.Context, c table.Card) (map[int64][]int64, error) {
	return v.Counts.Totals(ctx, table.Card{Points: v.points(c.Points)})
}

// Weighted returns weighted sums of the data for each category of the given free attributes. The weights depend on
// points for the free attributes; all other attributes get 0 points.
func (v *view) Weighted(ctx context.Context, attributes []int, w table.Weights) ([][]int64, error) {
	own := make([]int, len(attributes))
	for i, j := range attributes {
		own[i] = v.free[j]
	}
	w.Points = v.points(w.Points)
	return v.Counts.Weighted(ctx, own, w)
}

// Moments returns the first and second moments of the data. They depend on points for the free attributes; all
// other attributes get 0 points.
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

// points extends points for the free attributes to all attributes of the data: the others get 0 points.
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
