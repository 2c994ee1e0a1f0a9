package loglinear

import "sync"

// An index computes the number of the cell of a factor that contains a row. This number is a sum over the columns of
// the factor: each value of a column contributes a fixed number (its step).
type index struct {
	columns []int
	steps   [][]int32 // for each column, the number to add for each value
}

func (f *Fit) index(g *factor) *index {
	x := &index{}
	for i, a := range g.axes {
		x.columns = append(x.columns, a.Column)
		x.steps = append(x.steps, f.stepsOf(g, i))
	}
	return x
}

// apart splits the index into the part for the given column and the part for all other columns. The number of a cell
// is the sum of both parts.
func (x *index) apart(column int) (own, others *index) {
	own, others = &index{}, &index{}
	for i, c := range x.columns {
		part := others
		if c == column {
			part = own
		}
		part.columns, part.steps = append(part.columns, c), append(part.steps, x.steps[i])
	}
	return own, others
}

// add adds, to each entry of cells, the number of the cell of the corresponding row: the sum, over the index's
// columns, of the steps of the row's values. The first entry belongs to the row with the number from.
func (x *index) add(cells []int32, column [][]uint16, from int) {
	i := 0
	for ; i+2 <= len(x.columns); i += 2 {
		a, b := column[x.columns[i]][from:][:len(cells)], column[x.columns[i+1]][from:][:len(cells)]
		ofA, ofB := x.steps[i], x.steps[i+1]
		for r := range cells {
			cells[r] += ofA[a[r]] + ofB[b[r]]
		}
	}
	if i < len(x.columns) {
		of := x.steps[i]
		for r, v := range column[x.columns[i]][from:][:len(cells)] {
			cells[r] += of[v]
		}
	}
}

// count adds the number of rows of r in each cell to the slice counts.
func (x *index) count(r *rows, counts []float64) {
	x.each(r, 0, r.n, func(_ int, cells []int32) {
		for _, k := range cells {
			counts[k]++
		}
	})
}

// blocks holds reusable buffers for the method each, which is called very often.
var blocks = sync.Pool{New: func() any { return new([block]int32) }}

// each computes the cells of the rows from..to-1 in blocks. For each block, it calls the function see with the number
// of the block's first row and the cells of its rows.
func (x *index) each(r *rows, from, to int, see func(at int, cells []int32)) {
	scratch := blocks.Get().(*[block]int32)
	defer blocks.Put(scratch)
	for at := from; at < to; at += block {
		cells := scratch[:min(block, to-at)]
		clear(cells)
		x.add(cells, r.column, at)
		see(at, cells)
	}
}
