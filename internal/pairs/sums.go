package pairs

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// The sums of a block are computed from the marginal of its columns by the Walsh-Hadamard transform, in integer
// arithmetic.

// Queries returns the queries of a release: the marginals of all columns with more than one value, and of all pairs of
// such columns.
func (m *Mechanism) Queries() table.Queries {
	var of table.Queries
	for _, axes := range m.axes() {
		var list []int
		for _, a := range axes {
			list = append(list, a.Column)
		}
		of.Columns = append(of.Columns, list)
	}
	return of
}

// axes returns the axes of the marginals from which the sums are computed: one marginal for each column with more
// than one value, and one for each pair of such columns.
func (m *Mechanism) axes() (of [][]table.Axis) {
	m.blocks(func(j, k, size int) {
		if j < 0 || size == 0 {
			return
		}
		axes := []table.Axis{{Column: j, Size: m.attributes[j].size}}
		if k >= 0 {
			axes = append(axes, table.Axis{Column: k, Size: m.attributes[k].size})
		}
		of = append(of, axes)
	})
	return of
}

// sums returns the exact sums, which are private. The absolute value of each sum is at most the total weight of the
// data, so no sum overflows. sums returns an error if reading the data fails.
func (m *Mechanism) sums(ctx context.Context, d table.Counts) ([]int64, error) {
	counts, err := d.Marginals(ctx, m.axes())
	if err != nil {
		return nil, err
	}
	sums := make([]int64, 0, m.Len())
	m.blocks(func(j, k, size int) {
		switch {
		case j < 0:
			sums = append(sums, d.Rows()*d.Weight()-d.Nulls())
			return
		case size == 0:
			return
		}
		a, b := m.attributes[j], attribute{size: 1, full: 1}
		if k >= 0 {
			b = m.attributes[k]
		}
		v := make([]int64, a.full*b.full)
		for x := range a.size {
			copy(v[x*b.full:], counts[0][x*b.size:][:b.size])
		}
		counts = counts[1:]
		transformPair(v, a.full, b.full)
		first := 0 // the first sign of the second column; the constant sign if there is no second column
		if k >= 0 {
			first = 1
		}
		for s := 1; s < a.full; s++ {
			sums = append(sums, v[s*b.full+first:(s+1)*b.full]...)
		}
	})
	return sums, nil
}
