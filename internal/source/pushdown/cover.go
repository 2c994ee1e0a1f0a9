package pushdown

import (
	"cmp"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A database scans its rows once for each set of axes that it counts. So it is cheaper to count a few sets with more
// axes, and to sum their cells in Go, as long as the sets have few cells. The choice of the sets depends only on the
// queries, not on the data.

// mostCells is the maximum number of cells of a set that has more axes than each of its marginals.
const mostCells = 1 << 13

// A sub is a requested marginal that is computed from a set.
type sub struct {
	at   int // the index of the marginal
	axes []int
}

// A set is a set of axes, given by their indices in the list of distinct axes, in increasing order.
type set struct {
	axes  []int
	cells int64
	of    []sub // the marginals that are computed from the set
}

// distinct returns the distinct axes of all marginals, and for each marginal the indices of its axes.
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

// cover returns sets of axes. For each marginal, at least one set contains all axes of the marginal. The parameter of
// lists the marginals.
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

// with returns the axes of the set together with the axes in more, and their number of cells.
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
