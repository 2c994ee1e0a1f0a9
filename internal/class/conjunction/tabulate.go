package conjunction

import (
	"fmt"
	"math/big"
	"runtime"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// mostTabulated is the size of the largest class that At and Tabulate serve.
const mostTabulated = 1 << 26

// A layout is the order of the formulas in a table: by their options on the
// axes in some order, the first the most significant, without those of too many
// literals. That is the order of the leaves of a tree. Axes with more atoms than
// options come first, as the others can be transformed in place.
type layout struct {
	order  []int
	counts *counts
}

// newLayout returns the layout, or nil where the class is too large for a table.
func (c *Class) newLayout() *layout {
	if c.size.Cmp(big.NewInt(mostTabulated)) > 0 {
		return nil
	}
	l := &layout{}
	for _, inPlace := range []bool{false, true} {
		for j := range c.axes {
			if c.axes[j].inPlace() == inPlace {
				l.order = append(l.order, j)
			}
		}
	}
	axes := make([]axis, len(l.order))
	for level, j := range l.order {
		axes[level] = c.axes[j]
	}
	l.counts = newCounts(axes, c.most())
	return l
}

// size returns the number of formulas from a level on with at most r literals.
func (l *layout) size(level, r int) int { return int(l.counts.of(level, r).Int64()) }

// At returns formula number i of the order that Tabulate has. It panics where
// the class is too large for a table.
func (c *Class) At(i int) Formula {
	h := Formula{make([]int, len(c.axes))}
	r := c.most()
	for level := 0; r > 0 && level < len(h.Tests); level++ {
		unused := c.layout.size(level+1, r)
		if i < unused {
			continue
		}
		used := c.layout.size(level+1, r-1)
		h.Tests[c.layout.order[level]] = 1 + (i-unused)/used
		i = (i - unused) % used
		r--
	}
	return h
}

// Tabulate returns the costs of all formulas. Records are merged axis by axis,
// as in a tree, until what is left of the table fits a cache; there a transform
// makes the sums of all tests, an axis at a time. It takes some additions for
// each formula and uses GOMAXPROCS threads; the table does not depend on how
// many they are. It refuses a class of more than 2^26 formulas.
func (c *Class) Tabulate(p class.Problem[[]uint16]) ([]int64, error) {
	if c.layout == nil {
		return nil, fmt.Errorf("conjunction: %v formulas are more than %d, too many for a table", c.size, mostTabulated)
	}
	if !c.inRange(p) {
		return nil, class.ErrRange
	}
	r := c.newRecords(p.Points)
	t := &tabulation{layout: c.layout, axes: c.axes, patterns: newPatterns(c.axes, r, c.layout.order)}
	t.levy(c.tolls(p))
	t.newBlock(c.most() == len(c.axes))
	t.idle = make(chan *tabulator, runtime.GOMAXPROCS(0))
	for range cap(t.idle) {
		t.idle <- &tabulator{
			tabulation: t, flocks: make([]flock, len(t.order)+1), merger: newMerger(t.patterns.widest()),
			divisions: make([][]int32, len(t.order)), displaced: make([]int64, t.block.size),
		}
	}
	out := make([]int64, t.size(0, c.most()))
	(<-t.idle).fill(0, c.most(), t.patterns.gather(r.d), r.base, out)
	t.busy.Wait()
	return out, nil
}

// A tabulation is the work on one table.
type tabulation struct {
	*layout
	axes     []axis
	patterns *patterns
	tolls    [][]int64 // by level and option, that of no literal 0
	free     bool      // there are no tolls
	block    block

	busy parallel.Group
	idle chan *tabulator
}

// levy sets the tolls.
func (t *tabulation) levy(tolls [][]int64) {
	t.tolls, t.free = make([][]int64, len(t.order)), true
	for level, j := range t.order {
		t.tolls[level] = tolls[j]
		t.free = t.free && !slices.ContainsFunc(t.tolls[level], func(v int64) bool { return v != 0 })
	}
}

// A tabulator is what one thread works with.
type tabulator struct {
	*tabulation
	flocks    []flock   // of each level
	divisions [][]int32 // of these, by the atom on the next axis
	merger    *merger
	displaced []int64
}

// leastShared is the size of the smallest part of a table that is worth another
// thread.
const leastShared = 1 << 16

// fill computes the part of the table from a level on, for at most r literals
// and the given flock; settled is what has been decided.
func (w *tabulator) fill(level, r int, f flock, settled int64, out []int64) {
	switch {
	case len(f.ids) == 0 && w.free:
		for i := range out {
			out[i] = settled
		}
		return
	case level == w.block.level:
		w.transform(f, settled, out)
		return
	case level == len(w.order):
		out[0] = settled + f.total()
		return
	}
	x, next := &w.axes[w.order[level]], w.patterns.next[level]
	w.merger.add(f, next)
	w.merger.drain(&w.flocks[level+1])
	unused := w.size(level+1, r)
	w.share(level+1, r, settled, out[:unused])
	if len(x.tests) == 0 {
		return
	}
	w.divisions[level] = f.divide(w.patterns.starts[level], w.divisions[level][:0])
	from := w.divisions[level]
	if r == 1 {
		for t, test := range x.tests {
			cost := settled + w.tolls[level][1+t]
			for _, a := range test {
				cost += f.slice(from[a], from[a+1]).total()
			}
			out[unused+t] = cost
		}
		return
	}
	used := w.size(level+1, r-1)
	for t, test := range x.tests {
		for _, a := range test {
			w.merger.add(f.slice(from[a], from[a+1]), next)
		}
		w.merger.drain(&w.flocks[level+1])
		w.share(level+1, r-1, settled+w.tolls[level][1+t], out[unused+t*used:][:used])
	}
}

// share fills a part of the table whose flock is that of the level, on another
// thread if one is idle.
func (w *tabulator) share(level, r int, settled int64, out []int64) {
	if len(out) >= leastShared {
		select {
		case other := <-w.idle:
			f := w.flocks[level].clone()
			w.busy.Go(func() {
				other.fill(level, r, f, settled, out)
				w.idle <- other
			})
			return
		default:
		}
	}
	w.fill(level, r, w.flocks[level], settled, out)
}
