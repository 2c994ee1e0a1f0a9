package table

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// Marginals are computed in groups that share columns. Each group needs one pass over the distinct records. The pass
// works on blocks of records, whose cells are stored by column. A parallel task computes one group on one part of the
// records. Counts are exact: their sum is at most the number of units of the table, which fits into 64 bits.

const (
	blockRecords = 1 << 10 // so small that the columns of a block stay in the first-level cache
	groupCells   = 1 << 18 // the maximum number of cells of a group that has several marginals
	groupColumns = 16      // the two columns of each pair in a group come from two fixed sets of 16 columns
)

// Marginals implements Counts. Its only error is the context's.
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

// group divides the marginals into groups that share columns. It leaves out the narrow ones (isNarrow).
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

// A counter computes the marginals of groups, one group at a time.
type counter struct {
	table  *Table
	axes   []Axis     // the distinct axes of the group
	cells  [][]uint16 // by axis, the cell of each record of the block
	counts []int64    // the counts of the block's records
	index  []int      // reused by add
}

// count returns the counts of the marginals of a group, restricted to the records from..to-1.
func (c *counter) count(group []int, of [][]Axis, from, to int) [][]int64 {
	c.axes = c.axes[:0]
	own := make([][]int, len(group)) // by marginal, the indices of its axes in c.axes
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

// load reads the cells and counts of the records from..to-1.
func (c *counter) load(from, to int) {
	c.counts = slices.Grow(c.counts[:0], blockRecords)[:to-from]
	c.table.units(from, c.counts)
	for k, a := range c.axes {
		c.table.cells(a, from, c.cells[k][:to-from])
	}
}

// add adds the counts of the block to the cells of a marginal with the given axes.
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
