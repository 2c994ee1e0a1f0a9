package table

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// A table is counted in one pass over its distinct records for each group of sub-tables, in
// blocks of records whose cells are kept by column; threads share groups and parts of the records. Counts are exact; those of a sub-table add
// up to at most the table's units, which fit into 64 bits.

const (
	blockRecords = 1 << 10 // so that a block's columns stay in the nearest cache
	groupCells   = 1 << 18 // that a group of sub-tables counts into at a time
	groupColumns = 16      // pairs of so many columns with so many are a group
)

// Marginals returns the counts of each sub-table. It fails only with the context's error.
func (t *Table) Marginals(ctx context.Context, of [][]Axis) ([][]int64, error) {
	counts := make([][]int64, len(of))
	if err := t.narrow(ctx, of, counts); err != nil {
		return nil, err
	}
	groups := group(of)
	parts := max(t.parts(), 1)
	locks := make([]sync.Mutex, len(groups))
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), len(groups)*parts, func() func(int) {
		c := counter{table: t}
		return func(task int) {
			g, from := task/parts, task%parts*partRecords
			own := c.count(groups[g], of, from, min(from+partRecords, t.Len()))
			locks[g].Lock()
			defer locks[g].Unlock()
			for i, m := range groups[g] {
				if counts[m] == nil {
					counts[m] = own[i]
					continue
				}
				for cell, n := range own[i] {
					counts[m][cell] += n
				}
			}
		}
	})
	return counts, err
}

// group divides the sub-tables that are not narrow so that those of a group share columns.
func group(of [][]Axis) [][]int {
	var order []int
	for m, axes := range of {
		if !isNarrow(axes) {
			order = append(order, m)
		}
	}
	tile := func(m int) [2]int {
		axes := of[m]
		return [2]int{axes[0].Column / groupColumns, axes[len(axes)-1].Column / groupColumns}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := tile(a), tile(b)
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
	var groups [][]int
	cells := 0
	for i, m := range order {
		cells += Cells(of[m])
		if i == 0 || cells > groupCells || tile(m) != tile(order[i-1]) {
			groups = append(groups, nil)
			cells = Cells(of[m])
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], m)
	}
	return groups
}

// A counter counts group after group.
type counter struct {
	table  *Table
	axes   []Axis     // the distinct ones of the group
	cells  [][]uint16 // of each axis, the cells of the block's records
	counts []int64    // of the block's records
	index  []int
}

// count returns the counts of a group's sub-tables in the records from..to-1.
func (c *counter) count(group []int, of [][]Axis, from, to int) [][]int64 {
	c.axes = c.axes[:0]
	own := make([][]int, len(group)) // of each sub-table, its axes among the distinct ones
	counts := make([][]int64, len(group))
	for i, m := range group {
		counts[i] = make([]int64, Cells(of[m]))
		own[i] = make([]int, len(of[m]))
		for k, a := range of[m] {
			own[i][k], c.axes = Enter(c.axes, a)
		}
	}
	for len(c.cells) < len(c.axes) {
		c.cells = append(c.cells, make([]uint16, blockRecords))
	}
	for ; from < to; from += blockRecords {
		c.load(from, min(from+blockRecords, to))
		for i := range group {
			c.add(own[i], counts[i])
		}
	}
	return counts
}

// load reads the records from..to-1.
func (c *counter) load(from, to int) {
	c.counts = slices.Grow(c.counts[:0], blockRecords)[:to-from]
	c.table.units(from, c.counts)
	for k, a := range c.axes {
		c.table.cells(a, from, c.cells[k][:to-from])
	}
}

// add counts the block into the cells of a sub-table.
func (c *counter) add(axes []int, into []int64) {
	counts := c.counts
	size, last := c.axes[axes[len(axes)-1]].Size, c.cells[axes[len(axes)-1]][:len(counts)]
	if len(axes) == 1 {
		for i, n := range counts {
			into[last[i]] += n
		}
		return
	}
	first := c.cells[axes[0]][:len(counts)]
	if len(axes) == 2 {
		for i, n := range counts {
			into[int(first[i])*size+int(last[i])] += n
		}
		return
	}
	index := slices.Grow(c.index[:0], blockRecords)[:len(counts)]
	c.index = index
	for i, cell := range first {
		index[i] = int(cell)
	}
	for _, a := range axes[1 : len(axes)-1] {
		size, cells := c.axes[a].Size, c.cells[a][:len(counts)]
		for i := range index {
			index[i] = index[i]*size + int(cells[i])
		}
	}
	for i, n := range counts {
		into[index[i]*size+int(last[i])] += n
	}
}
