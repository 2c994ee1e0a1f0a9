package pushdown

import (
	"cmp"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A database scans its rows once for each set of axes that it counts. So it is cheaper to count a few sets with more
// axes, and to sum their cells in Go, as long as the sets have few cells. The choice of the sets depends only on the
// queries, not on the data.

// mostCells is the maximum number of joint cells of a set of axes to which the function cover adds axes, so that
// more marginals can be computed from the set.
const mostCells = 1 << 13

// A sub is a requested marginal that is computed from a larger set of axes: each of its counts is a sum of counts of
// the set's cells.
type sub struct {
	at   int // the index of the marginal
	axes []int
}

// A set is a set of axes whose joint cells the database counts. Each axis is given by its index among the distinct
// axes of all marginals, and the indices are increasing.
type set struct {
	axes  []int
	cells int64
	of    []sub // the marginals that are computed from the set
}

// distinct returns the distinct axes of all marginals and, for each marginal, the indices of its axes in this list.
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

// cover chooses sets of axes for the database to count, so that each marginal can be computed from one of the sets,
// which contains all axes of the marginal.
func cover(axes []table.Axis, marginals [][]int) []*set {
	order := make([]int, len(marginals))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(marginals[b]), len(marginals[a])) })
	var sets []*set
	for _, m := range order {
		own := slices.Sorted(slices.Values(marginals[m]))
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
		best.of = append(best.of, sub{m, marginals[m]})
	}
	return sets
}

// with returns the union of the set's axes with further axes, and the number of joint cells of this union.
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
