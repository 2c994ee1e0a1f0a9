package loglinear

// An index computes the cells of rows in a factor: the sum of a number for each column's value.
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

// apart divides an index into the index of one column and the index of the others.
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

// add adds to each cell the numbers for the values of a row, for the len(cells) rows from a row on.
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

// count adds the number of rows in each cell to counts.
func (x *index) count(r *rows, counts []float64) {
	x.each(r, 0, r.n, func(_ int, cells []int32) {
		for _, k := range cells {
			counts[k]++
		}
	})
}

// each calls see for the rows from..to-1, a block at a time, with the index of the first row of the
// block and the cells of its rows.
func (x *index) each(r *rows, from, to int, see func(at int, cells []int32)) {
	scratch := make([]int32, min(block, max(0, to-from)))
	for at := from; at < to; at += block {
		cells := scratch[:min(block, to-at)]
		clear(cells)
		x.add(cells, r.column, at)
		see(at, cells)
	}
}
