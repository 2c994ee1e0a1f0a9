package dectree

import (
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// Layout and Work do not decrease with the number of records or the depth.
func TestLayout(t *testing.T) {
	last, work := mustNew(t, []Attribute{{900, 0}, {60, 60}}, 1, 2).Layout(0), int64(0)
	for depth := 1; depth <= MostDepth; depth++ {
		c := mustNew(t, []Attribute{{900, 0}, {60, 60}}, depth, 2)
		for _, records := range []int64{0, 1, 1000, 1 << 31, math.MaxInt64} {
			l := c.Layout(records)
			if records > 0 && (l.Cells < last.Cells || l.Bytes < last.Bytes) || l.Tabulated {
				t.Errorf("depth %d, %d records: %+v after %+v", depth, records, l, last)
			}
			last = l
		}
		if last.Cells != math.MaxInt64 || c.Work(1<<20) < work || c.Work(0) > c.Work(1<<20) {
			t.Errorf("depth %d: %+v, and %d steps after %d", depth, last, c.Work(1<<20), work)
		}
		last, work = c.Layout(0), c.Work(1<<20)
	}
}

// For a hundred million records of few bytes, the layout is within the limit.
func TestLayoutOfRecords(t *testing.T) {
	for depth := 1; depth <= MostDepth; depth++ {
		for _, outcomes := range []int{2, 5} {
			c := mustNew(t, []Attribute{{5, 0}, {300, 0}, {2, 0}, {2, 0}}, depth, outcomes)
			all := make(records, 1000)
			for i := range all {
				all[i] = class.Charged[[]uint16]{X: make([]uint16, 4), Costs: make([]int64, outcomes)}
			}
			m, n := newMass(c, all, decayOf(1), portable[int64]()), int64(len(all))
			kept := int64(len(m.rows)+len(m.differences)) + (3+int64(c.recordBuffers()))*n
			// The layout of n more records is what the mass keeps of n, less its one additional record.
			each := c.Layout(2*n).Cells - c.Layout(n).Cells
			if kept > c.Layout(n).Cells || each > kept || kept-each > each/n {
				t.Errorf("depth %d, %d outcomes: %d records keep %d entries, and more would have %d in the layout", depth, outcomes, n, kept, each)
			}
		}
	}
	// A node of depth 3 uses a buffer on each thread, one of depth 4 the buffers of a worker, and
	// each greater depth one more.
	for depth, want := range []int{1: 0, 2: 0, 3: mostThreads, 4: mostThreads * len(worker[int64]{}.buffers), 5: mostThreads*len(worker[int64]{}.buffers) + 1, 6: mostThreads*len(worker[int64]{}.buffers) + 2} {
		if depth == 0 || depth > MostDepth {
			continue
		}
		if got := mustNew(t, []Attribute{{2, 0}}, depth, 2).recordBuffers(); got != want {
			t.Errorf("depth %d: %d rooms, not %d", depth, got, want)
		}
	}
	narrow := make([]Attribute, 8)
	for j := range narrow {
		narrow[j] = Attribute{12, 0}
	}
	for depth := 1; depth <= 4; depth++ {
		if l := mustNew(t, narrow, depth, 2).Layout(100_000_000); l.Cells > class.MostCells {
			t.Errorf("depth %d: %d cells", depth, l.Cells)
		}
	}
}

// From depth 4 on, the layout includes the tables of the workers and a matrix for each test.
func TestLayoutOfWorkers(t *testing.T) {
	attributes := []Attribute{{20, 0}, {3, 0}}
	c := mustNew(t, attributes, 4, 2)
	m := newMass(c, records{}, decayOf(1), portable[int64]())
	w := (&pairTables[int64]{mass: m}).worker()
	cells := len(w.sum) + len(w.sums)
	for _, tables := range [][][]int64{w.parts, w.below} {
		for _, table := range tables {
			cells += len(table)
		}
	}
	for _, matrix := range w.matrices {
		cells += len(matrix.entries)
	}
	tests, matrix := len(c.tests), len(w.matrices[0].entries)
	least := tests*matrix + mostThreads*cells + 2*tests*tests - tests
	if got := c.Layout(0).Cells - mustNew(t, attributes, 3, 2).Layout(0).Cells; got < int64(least) {
		t.Errorf("depth 4 has %d cells more than depth 3, but its tables have %d", got, least)
	}
}
