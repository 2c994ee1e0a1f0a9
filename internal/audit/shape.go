package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/privacy"
)

// A Shape describes a table on which an audit runs: the number of values of each column and of the label, and the
// counts of its records. Audits run on many different Shapes, because some defects have no effect on a tiny balanced
// table. They show only for columns with many values, many candidates, unbalanced labels or zero counts.
type Shape struct {
	Name   string
	Sizes  []int // the number of values of each column
	Labels int   // the number of values of the label
	Rows   []Rows
	Null   int64 // the number of null records
}

// Rows describes several equal records: their values, their label, and their number.
type Rows struct {
	X     []uint16
	Label int
	Count int64
}

// Shapes returns descriptions of different tables; equal seeds give equal lists. The tables have from one to six columns,
// with from one to nine values each, and a label with from two to five values. In some tables the values of columns are
// unequally frequent, columns are constant, or a column is a function of another one. One table has no rows, and one has
// large counts.
func Shapes(seed uint64) []Shape {
	r := rand.New(rand.NewPCG(seed, 20))
	uniform := func(n int) int { return r.IntN(n) }
	skewed := func(n int) int { // three of four rows have the first value, three of four others the second
		v := 0
		for v < n-1 && r.IntN(4) == 0 {
			v++
		}
		return v
	}
	make := func(name string, sizes []int, labels, rows int, value func(n int) int, shape func(x []uint16, label *int)) Shape {
		s := Shape{Name: name, Sizes: sizes, Labels: labels, Null: int64(r.IntN(3))}
		for range rows {
			x, label := []uint16{}, value(labels)
			for _, n := range sizes {
				x = append(x, uint16(value(n)))
			}
			if shape != nil {
				shape(x, &label)
			}
			s.Add(x, label, 1)
		}
		return s
	}
	return []Shape{
		make("one column", []int{3}, 2, 12, uniform, nil),
		make("two bits", []int{2, 2}, 2, 9, uniform, nil),
		make("wide pair", []int{2, 9}, 2, 60, uniform, nil),
		make("large square, skewed", []int{7, 8}, 2, 200, skewed, nil),
		make("nearly all of one label", []int{4, 3}, 2, 150, skewed, func(x []uint16, label *int) { *label = 1; x[1] = uint16(r.IntN(3)) }),
		make("a column that follows from another", []int{5, 5, 2}, 3, 90, uniform, func(x []uint16, label *int) {
			x[1] = x[0]
			*label = int(x[0]) % 3
		}),
		make("constant columns", []int{1, 4, 1}, 4, 50, skewed, nil),
		make("many bits", []int{2, 2, 2, 2, 2, 2}, 2, 120, uniform, func(x []uint16, _ *int) { x[3] = x[0]; x[5] = 1 - x[1] }),
		make("many values, many labels", []int{6, 5, 3, 4}, 5, 400, skewed, nil),
		make("empty", []int{3, 4, 2}, 3, 0, uniform, nil),
		{Name: "large counts", Sizes: []int{3, 3}, Labels: 2, Null: 1000, Rows: []Rows{
			{[]uint16{0, 0}, 1, 1 << 20}, {[]uint16{2, 1}, 0, 40_000}, {[]uint16{1, 2}, 1, 1}}},
	}
}

// Add adds a number of equal records to the shape.
func (s *Shape) Add(x []uint16, label int, count int64) {
	for i := range s.Rows {
		if slices.Equal(s.Rows[i].X, x) && s.Rows[i].Label == label {
			s.Rows[i].Count += count
			return
		}
	}
	s.Rows = append(s.Rows, Rows{x, label, count})
}

// Neighbours returns shapes that are neighbours of s, with names that describe the change. Each change concerns one
// row:
//
//   - Under add-remove, a record with the last value of each column or a null record is added, or a row of the first
//     or the last record of s is removed.
//   - Under replace-one, a row of the first or the last record of s is replaced by a null record, or by a row that
//     differs in all columns and the label, in the label only, or in one column only. If s has null records, one of
//     them is replaced by a row.
func (s Shape) Neighbours(r privacy.Relation) []Shape {
	var all []Shape
	neighbour := func(name string, change func(*Shape)) {
		n := s
		n.Name = fmt.Sprintf("%s, %s", s.Name, name)
		n.Rows = slices.Clone(s.Rows)
		change(&n)
		all = append(all, n)
	}
	last := make([]uint16, len(s.Sizes))
	for j, n := range s.Sizes {
		last[j] = uint16(n - 1)
	}
	if !r.Replaces() {
		neighbour("the last record added", func(n *Shape) { n.Add(last, s.Labels-1, 1) })
		neighbour("null added", func(n *Shape) { n.Null++ })
		for i, rows := range []int{0, len(s.Rows) - 1} {
			if rows >= 0 && rows < len(s.Rows) && (i == 0 || rows > 0) {
				neighbour(fmt.Sprintf("record %d removed", rows+1), func(n *Shape) { n.Rows[rows].Count-- })
			}
		}
		return all
	}
	replace := func(name string, at int, by func(n *Shape, of Rows)) {
		neighbour(fmt.Sprintf("record %d replaced by %s", at+1, name), func(n *Shape) {
			n.Rows[at].Count--
			by(n, n.Rows[at])
		})
	}
	for i, at := range []int{0, len(s.Rows) - 1} {
		if at < 0 || at >= len(s.Rows) || i == 1 && at == 0 {
			continue
		}
		other := func(x []uint16, columns ...int) []uint16 {
			x = slices.Clone(x)
			for _, j := range columns {
				x[j] = (x[j] + 1) % uint16(s.Sizes[j])
			}
			return x
		}
		every := make([]int, len(s.Sizes))
		for j := range every {
			every[j] = j
		}
		replace("null", at, func(n *Shape, _ Rows) { n.Null++ })
		replace("one with other values", at, func(n *Shape, of Rows) { n.Add(other(of.X, every...), (of.Label+1)%s.Labels, 1) })
		replace("one with another label", at, func(n *Shape, of Rows) { n.Add(of.X, (of.Label+1)%s.Labels, 1) })
		widest := slices.Index(s.Sizes, slices.Max(s.Sizes))
		replace("one with another value", at, func(n *Shape, of Rows) { n.Add(other(of.X, widest), of.Label, 1) })
	}
	if s.Null > 0 {
		neighbour("null replaced", func(n *Shape) { n.Null--; n.Add(last, 0, 1) })
	}
	return all
}
