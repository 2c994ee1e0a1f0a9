package conjunction

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// records holds the distinct records of a problem as tuples of atoms (see axis). Each has a cost
// difference d: its cost if it stays live under all literals of a formula, minus its cost if it
// does not. Records with d = 0 are omitted.
type records struct {
	atoms [][]uint16 // atoms[axis][record]
	d     []int64
	base  int64 // the cost if no record stays live
}

// newRecords converts the points of the problem to records. If a record stays live under all
// literals, a conjunction predicts 1 for it and a disjunction predicts 0. Otherwise they predict
// the opposite.
func (c *Class) newRecords(points []class.Point[[]uint16]) records {
	live, dead := 1, 0
	if c.options.Disjunction {
		live, dead = 0, 1
	}
	r := records{atoms: make([][]uint16, len(c.axes)), d: make([]int64, len(points))}
	for j := range c.axes {
		r.atoms[j] = make([]uint16, len(points))
		atom := c.axes[j].atom
		for i := range points {
			r.atoms[j][i] = atom[points[i].X[j]]
		}
	}
	for i := range points {
		r.d[i] = points[i].Cost[live] - points[i].Cost[dead]
		r.base += points[i].Cost[dead]
	}
	return r.collapse(c.axes)
}

// collapse merges equal records. It sorts them by counting sort on their atoms, which takes half
// the time of class.Distinct on a wide table.
func (r records) collapse(axes []axis) records {
	order := make([]int, len(axes))
	for j := range order {
		order[j] = j
	}
	p := newPatterns(axes, r, order)
	out := records{atoms: make([][]uint16, len(axes)), base: r.base}
	d := make([]int64, p.size(0))
	first := slices.Repeat([]int32{-1}, p.size(0))
	for i, id := range p.root {
		d[id] += r.d[i]
		first[id] = int32(i)
	}
	for id, i := range first {
		if d[id] == 0 {
			continue
		}
		out.d = append(out.d, d[id])
		for j := range axes {
			out.atoms[j] = append(out.atoms[j], r.atoms[j][i])
		}
	}
	return out
}
