package table

import (
	"context"
	"slices"
)

// A narrow marginal has two columns and few cells. Its counts are computed on bit sets, as numbers of records that
// satisfy conjunctions. This is faster than counting record by record. Only two kinds of counts are needed: those of
// the cells whose indices on both axes are not 0, and the row and column totals. The other counts follow by
// subtraction.

// fewCells bounds the size of a narrow marginal, which is counted by conjunctions instead of record by record. It is
// the maximum number of cells whose indices on both axes are not 0; the other cells follow by subtraction. Counting
// one cell as a conjunction takes about a twentieth of the time of counting the whole marginal record by record.
const fewCells = 4

// isNarrow reports whether a marginal has two axes and at most fewCells cells whose indices on both axes are not 0.
func isNarrow(axes []Axis) bool {
	return len(axes) == 2 && (axes[0].Size-1)*(axes[1].Size-1) <= fewCells
}

// narrow computes the counts of all narrow marginals (see fewCells), and stores them in the list counts at the index
// of the marginal.
func (t *Table) narrow(ctx context.Context, of [][]Axis, counts [][]int64) error {
	var tables []int
	var lines lines
	var pairs [][]Term // by narrow marginal, row-major
	for m, axes := range of {
		if !isNarrow(axes) {
			continue
		}
		tables = append(tables, m)
		a, b := lines.axis(axes[0]), lines.axis(axes[1])
		for x := 1; x < axes[0].Size; x++ {
			for y := 1; y < axes[1].Size; y++ {
				pairs = append(pairs, []Term{{a, uint16(x)}, {b, uint16(y)}})
			}
		}
	}
	units, err := t.Supports(ctx, lines.axes, append(slices.Clip(lines.terms), pairs...))
	if err != nil {
		return err
	}
	lone, both := units[:len(lines.terms)], units[len(lines.terms):]
	for _, m := range tables {
		a, b := of[m][0], of[m][1]
		c := make([]int64, a.Size*b.Size)
		left := lone[lines.first[lines.axis(b)]:]
		copy(c[1:], left[:b.Size-1])
		c[0] = t.rows*t.weight - t.nulls
		for _, n := range c[1:b.Size] {
			c[0] -= n
		}
		left = lone[lines.first[lines.axis(a)]:]
		for x := 1; x < a.Size; x++ {
			row := c[x*b.Size:][:b.Size]
			row[0] = left[x-1]
			c[0] -= row[0]
			for y := 1; y < b.Size; y++ {
				row[y], both = both[0], both[1:]
				row[0] -= row[y]
				c[y] -= row[y]
				c[0] += row[y]
			}
		}
		counts[m] = c
	}
	return nil
}

// A lines is a list of distinct axes, with a condition for each cell of each axis except cell 0: that a record lies
// in this cell. The conditions are conjunctions of one term.
type lines struct {
	axes  []Axis
	terms [][]Term
	first []int // by axis, the index of its first term
}

// axis returns the index of an axis in the list, after adding the axis to the list if necessary.
func (l *lines) axis(a Axis) int {
	at, axes := Enter(l.axes, a)
	if len(axes) > len(l.axes) {
		l.axes, l.first = axes, append(l.first, len(l.terms))
		for cell := 1; cell < a.Size; cell++ {
			l.terms = append(l.terms, []Term{{at, uint16(cell)}})
		}
	}
	return at
}
