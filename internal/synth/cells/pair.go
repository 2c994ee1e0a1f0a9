package cells

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Pair returns the axes over which two pooled columns, a and b, are counted together, given the
// variance of the noise of a count. More cells have more noise in total; fewer cells lose
// dependence within a cell. The limit on the number of cells is such that a cell has perCell
// standard deviations of noise in rows on average, within 100..MostCells/2.
//
// While there are more cells, Pair merges two cells of the axis with more cells. If this axis is
// ordered, it merges the adjacent cells with the fewest rows. Values without an order may depend on
// the other column in different ways, so the two rarest are merged only if there are more than
// twice as many cells as the limit; otherwise the other axis is merged if it is ordered and has
// more than fewCells cells.
func Pair(a, b int, of []*Pooling, variance float64) [2]table.Axis {
	axes := [2]table.Axis{of[a].axis(a), of[b].axis(b)}
	rows := [2][]float64{of[a].Marginal(a).Counts, of[b].Marginal(b).Counts}
	ordered := [2]bool{of[a].Ordered, of[b].Ordered}
	limit := mostCells(rows[0], variance)
	for axes[0].Size*axes[1].Size > limit {
		wide := 0
		if axes[1].Size > axes[0].Size {
			wide = 1
		}
		if !ordered[wide] && axes[0].Size*axes[1].Size <= 2*limit {
			if wide = 1 - wide; !ordered[wide] || axes[wide].Size <= fewCells {
				break
			}
		}
		rows[wide] = merge(&axes[wide], rows[wide], ordered[wide])
	}
	return axes
}

// MostCells is the maximum number of cells of a pair.
const MostCells = 800

// perCell is the mean count of a cell in standard deviations of the noise.
const perCell = 6

// fewCells is the number of cells that an ordered axis keeps if the other axis is wider and has no
// order.
const fewCells = 6

// mostCells returns the limit on the number of cells of a pair, given the counts of one column.
func mostCells(rows []float64, variance float64) int {
	total := 0.0
	for _, n := range rows {
		total += n
	}
	cells := total / (perCell * math.Sqrt(max(variance, 1)))
	return int(min(max(cells, 100), MostCells/2))
}

// axis returns the axis of the pooled column with one cell for each pooled value.
func (p *Pooling) axis(column int) table.Axis {
	a := table.Axis{Column: column, Size: p.Size, Cells: make([]uint16, p.Size)}
	for v := range a.Cells {
		a.Cells[v] = uint16(v)
	}
	return a
}

// merge merges the two cells of an axis with the fewest rows, among adjacent cells if ordered. It
// returns the counts of the remaining cells.
func merge(a *table.Axis, mass []float64, ordered bool) []float64 {
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
