package cells

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Pair groups the pooled values of the columns a and b into the cells over which their joint counts are measured. It
// returns one axis for each of the two columns. The slice of holds the poolings of all columns, and variance is the
// variance of the noise of a joint count.
//
// More cells mean more noise in total, but fewer cells hide the dependence of the columns within a cell. So Pair
// limits the number of cells: at the limit, the mean count of a cell is about perCell standard deviations of the
// noise. The limit is between 100 and MostCells/2.
//
// While there are more cells than the limit, Pair merges two cells of the axis with more cells (the longer axis):
//
//   - If the longer axis is ordered, it merges the two adjacent cells with the fewest rows together.
//   - If the longer axis has no order, its values may depend on the other column in different ways. Pair merges its two rarest
//     cells only while there are more than twice as many cells as the limit. After that, it merges cells of the
//     other axis instead, as long as that axis is ordered and has more than fewCells cells.
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

// MostCells is the maximum number of cells of the contingency table of a pair of columns.
const MostCells = 800

// perCell is the mean count of a cell at which Pair stops to merge cells, in standard deviations of the noise of a
// count.
const perCell = 4

// fewCells is the minimum number of cells to which Pair shortens an ordered axis in place of a longer axis without an
// order.
const fewCells = 6

// mostCells returns the maximum number of cells of the joint counts of a pair of columns (see Pair). The slice rows
// holds the counts of the values of one of the two columns, which sum to the number of rows. The parameter variance
// is the variance of the noise of a joint count.
func mostCells(rows []float64, variance float64) int {
	total := 0.0
	for _, n := range rows {
		total += n
	}
	cells := total / (perCell * math.Sqrt(max(variance, 1)))
	return int(min(max(cells, 100), MostCells/2))
}

// axis returns an axis with one cell for each pooled value of the given column.
func (p *Pooling) axis(column int) table.Axis {
	a := table.Axis{Column: column, Size: p.Size, Cells: make([]uint16, p.Size)}
	for v := range a.Cells {
		a.Cells[v] = uint16(v)
	}
	return a
}

// merge merges two cells of the axis a: the two adjacent cells with the fewest rows together if ordered is true, and
// otherwise the two cells with the fewest rows. The slice mass holds the number of rows of each cell. merge returns
// these numbers for the cells that remain.
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
