package cells

import (
	"slices"

	"github.com/sibyl-dp/sibyl/synth/loglinear"
)

// Pair returns the axes over which two pooled columns are counted together, if the
// noise of each count has the variance.
func Pair(a, b int, of []*Pooling, variance float64) [2]loglinear.Axis {
	x, y := of[a].axis(a), of[b].axis(b)
	mx, my := of[a].Marginal(a).Counts, of[b].Marginal(b).Counts
	for x.Size*y.Size > mostCells && x.Size*y.Size > 4 {
		if x.Size >= y.Size {
			mx = merge(&x, mx, of[a].Ordered)
		} else {
			my = merge(&y, my, of[b].Ordered)
		}
	}
	return [2]loglinear.Axis{x, y}
}

// mostCells is how many cells a pair has at most.
const mostCells = 120

func (p *Pooling) axis(column int) loglinear.Axis {
	a := loglinear.Axis{Column: column, Size: p.Size, Cells: make([]uint16, p.Size)}
	for v := range a.Cells {
		a.Cells[v] = uint16(v)
	}
	return a
}

// merge puts the two cells together that have the fewest rows, neighbours if ordered.
func merge(a *loglinear.Axis, mass []float64, ordered bool) []float64 {
	i, j := 0, 1
	if ordered {
		for k := range a.Size - 1 {
			if mass[k]+mass[k+1] < mass[i]+mass[j] {
				i, j = k, k+1
			}
		}
	} else {
		order := make([]int, a.Size)
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int {
			if mass[a] < mass[b] {
				return -1
			}
			if mass[a] > mass[b] {
				return 1
			}
			return 0
		})
		i, j = min(order[0], order[1]), max(order[0], order[1])
	}
	for v, c := range a.Cells {
		if int(c) == j {
			a.Cells[v] = uint16(i)
		} else if int(c) > j {
			a.Cells[v]--
		}
	}
	a.Size--
	mass = slices.Clone(mass)
	mass[i] += mass[j]
	return slices.Delete(mass, j, j+1)
}
