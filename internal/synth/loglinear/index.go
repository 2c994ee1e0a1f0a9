package loglinear

// An index tells the cells of rows in a factor: what the values of each column add to them.
type index struct {
	columns []int
	steps   [][]int32 // of each of these, by value
}

func (f *Fit) index(g *factor) *index {
	x := &index{}
	for i, a := range g.axes {
		x.columns = append(x.columns, a.Column)
		x.steps = append(x.steps, f.stepsOf(g, i))
	}
	return x
}

// apart divides an index into that of one column and that of the others.
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

// add adds to cells what rows from a row on add to them.
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

// count adds to the counts of cells how many rows lie in each.
func (x *index) count(r *rows, counts []float64) {
	x.each(r, 0, r.n, func(_ int, cells []int32) {
		for _, k := range cells {
			counts[k]++
		}
	})
}

// each calls see with the cells of rows from..to-1, some at a time, and the number of the first.
func (x *index) each(r *rows, from, to int, see func(at int, cells []int32)) {
	scratch := make([]int32, min(block, max(0, to-from)))
	for at := from; at < to; at += block {
		cells := scratch[:min(block, to-at)]
		clear(cells)
		x.add(cells, r.column, at)
		see(at, cells)
	}
}
