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
	groupCells   = 1 << 18 // the maximum number of cells of a group of several marginals
	groupColumns = 16      // columns are divided into sets of 16; the pairs of columns in a group have their columns in the same two sets
)

// Marginals implements Counts: it returns the counts of each marginal. The only possible error is that of the
// context.
func (t *Table) Marginals(ctx context.Context, of [][]Axis) ([][]int64, error) {
	counts := make([][]int64, len(of))
	if err := t.narrow(ctx, of, counts); err != nil {
		return nil, err
	}
	var wide []int
	for m, axes := range of {
		if !isNarrow(axes) {
			wide = append(wide, m)
		}
	}
	groups := group(of, wide)
	parts := max(t.parts(), 1)
	locks := make([]sync.Mutex, len(groups))
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), len(groups)*parts, func() func(int) {
		return func(task int) {
			g, from := task/parts, task%parts*partRecords
			c := newCounter(groups[g], of)
			c.add(t, from, min(from+partRecords, t.Len()))
			locks[g].Lock()
			defer locks[g].Unlock()
			c.addTo(counts)
		}
	})
	return counts, err
}

// group divides marginals into groups whose members have columns in common, so that one pass over the records can
// count a whole group. The parameter order lists the indices of the marginals, and is sorted by the call.
func group(of [][]Axis, order []int) [][]int {
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

// A counter computes the counts of a group of marginals from blocks of records.
type counter struct {
	group  []int      // the indices of the marginals
	counts [][]int64  // by marginal, the counts so far
	axes   []Axis     // the distinct axes of the group
	own    [][]int    // by marginal, the indices of its axes in axes
	cells  [][]uint16 // by axis, the cell of each record of the block
	units  []int64    // the units of the block's records
	index  []int      // the cell of each record of the block on all axes of a marginal but the last
}

func newCounter(group []int, of [][]Axis) *counter {
	c := &counter{group: group, units: make([]int64, blockRecords), index: make([]int, blockRecords)}
	for _, m := range group {
		own := make([]int, len(of[m]))
		for k, a := range of[m] {
			own[k], c.axes = Enter(c.axes, a)
		}
		c.own, c.counts = append(c.own, own), append(c.counts, make([]int64, Cells(of[m])))
	}
	for range c.axes {
		c.cells = append(c.cells, make([]uint16, blockRecords))
	}
	return c
}

func (c *counter) add(r records, from, to int) {
	for ; from < to; from += blockRecords {
		n := min(blockRecords, to-from)
		r.units(from, c.units[:n])
		for k, a := range c.axes {
			cells(r, a, from, c.cells[k][:n])
		}
		for i, axes := range c.own {
			c.enter(axes, c.counts[i], c.units[:n])
		}
	}
}

// addTo adds the counts of the counter's marginals to the given counts, a list with one element for each marginal. An
// element that is nil is replaced.
func (c *counter) addTo(counts [][]int64) {
	for i, m := range c.group {
		if counts[m] == nil {
			counts[m] = c.counts[i]
			continue
		}
		addTo(counts[m], c.counts[i])
	}
}

// enter adds the records of a block to the counts of one marginal. The parameter axes holds the indices of the
// marginal's axes in c.axes, into holds the counts of the marginal's cells, and counts holds the number of units (see
// Counts) of each record of the block.
func (c *counter) enter(axes []int, into, counts []int64) {
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
	index := c.index[:len(counts)]
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
