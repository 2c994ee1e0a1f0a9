package cells

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Pair returns the axes over which two pooled columns are counted together, if the noise of
// each count has the variance. The finer the cells, the more noise is in all of them
// together; the coarser, the more dependence is lost within them. There may be as many as
// have perCell standard deviations of rows each in the mean, within limits. The axis
// of more cells gives way if it is ordered: its two neighbours of fewest rows become one.
// Values without order may each depend on the other column in its own way, so that of
// these the two rarest become one only where there are twice as many cells.
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

// MostCells is how many cells a pair has at most.
const MostCells = 800

// perCell is how many standard deviations of noise the mean cell has in rows.
const perCell = 6

// fewCells is how many an ordered axis keeps beside a wider one without order.
const fewCells = 6

func mostCells(rows []float64, variance float64) int {
	total := 0.0
	for _, n := range rows {
		total += n
	}
	cells := total / (perCell * math.Sqrt(max(variance, 1)))
	return int(min(max(cells, 100), MostCells/2))
}

// axis is that of the pooled column, each value by itself.
func (p *Pooling) axis(column int) table.Axis {
	a := table.Axis{Column: column, Size: p.Size, Cells: make([]uint16, p.Size)}
	for v := range a.Cells {
		a.Cells[v] = uint16(v)
	}
	return a
}

// merge puts the two cells together that have the fewest rows, neighbours if ordered.
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
