package pushdown

import (
	"cmp"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Sub-tables are counted in groups: a database goes once over its rows for every set of axes, so
// that it is cheaper to count over a few sets of more axes and to add up cells here, as long as
// the sets have few cells. Which sets follows from what is asked, and not from data.

// mostCells are the cells of a set that is none of those asked for.
const mostCells = 1 << 13

// A sub is a sub-table that is asked for, on a set: where it lies among the answers, and its axes.
type sub struct {
	at   int
	axes []int
}

// A set of axes, by their places among the distinct ones, in order; and the sub-tables that are
// added up from it.
type set struct {
	axes  []int
	cells int64
	of    []sub
}

// distinct returns the axes that differ in column or cells, and the places of those of each
// sub-table.
func distinct(of [][]table.Axis) (axes []table.Axis, places [][]int) {
	places = make([][]int, len(of))
	for m, sub := range of {
		places[m] = make([]int, len(sub))
		for i, a := range sub {
			places[m][i], axes = table.Enter(axes, a)
		}
	}
	return axes, places
}

// cover returns sets such that each sub-table lies in one.
func cover(axes []table.Axis, of [][]int) []*set {
	order := make([]int, len(of))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(of[b]), len(of[a])) })
	var sets []*set
	for _, m := range order {
		own := slices.Sorted(slices.Values(of[m]))
		var best *set
		var union []int
		var cells int64
		for _, s := range sets {
			all, n := s.with(own, axes)
			if len(all) == len(s.axes) || n <= mostCells && (best == nil || n/s.cells < cells/best.cells) {
				if best, union, cells = s, all, n; len(all) == len(s.axes) {
					break
				}
			}
		}
		if best == nil {
			best = &set{cells: 1}
			union, cells = best.with(own, axes)
			sets = append(sets, best)
		}
		best.axes, best.cells = union, cells
		best.of = append(best.of, sub{m, of[m]})
	}
	return sets
}

// with returns the set with more axes, and its cells.
func (s *set) with(more []int, axes []table.Axis) (all []int, cells int64) {
	all, cells = slices.Clone(s.axes), s.cells
	for _, a := range more {
		if at, there := slices.BinarySearch(all, a); !there {
			all = slices.Insert(all, at, a)
			cells *= int64(axes[a].Size)
		}
	}
	return all, cells
}
