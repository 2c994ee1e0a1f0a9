package conjunction

import (
	"fmt"
	"math/big"
	"runtime"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// mostTabulated is the maximum size of a class that At and Tabulate support.
const mostTabulated = 1 << 26

// A layout is the order of the formulas in the table of all costs. Formulas are sorted
// lexicographically by their options on the axes order[0], order[1], …, like the leaves of a tree
// that decides the axes in this order. The table does not contain formulas with more literals than
// the class allows. The axes with at least as many options as atoms come last, because the
// transform of a block (see transform) can compute their sums in place.
type layout struct {
	order  []int
	counts *counts
}

// newLayout returns the order of the formulas in a table of all costs, or nil if the class is too large for a table.
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

// size returns the number of ways to choose the options of the axes from the given level on, with
// at most r literals.
func (l *layout) size(level, r int) int { return int(l.counts.of(level, r).Int64()) }

// At returns the formula whose cost Tabulate returns at index i. It panics if the class is too
// large for a table.
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

// Tabulate returns the costs of all formulas. It takes a few additions for each formula. It uses
// GOMAXPROCS threads, and its result does not depend on their number. It fails for a class of more
// than 2^26 formulas, and with class.ErrRange if costs are too large.
//
// Method: Tabulate merges records axis by axis, like a search tree, until the remaining part of the
// table fits into a cache. For this part, a transform computes the sums for all tests, one axis at
// a time.
func (c *Class) Tabulate(p class.Problem[[]uint16]) ([]int64, error) {
	if c.layout == nil {
		return nil, fmt.Errorf("conjunction: the class has %v formulas, but only classes of at most %d can be tabulated", c.size, mostTabulated)
	}
	if !c.inRange(p) {
		return nil, class.ErrRange
	}
	r := c.newRecords(p.Points)
	t := &tabulation{layout: c.layout, axes: c.axes, patterns: newPatterns(c.axes, r, c.layout.order)}
	t.setOptionCosts(c.optionCosts(p))
	t.newBlock(c.most() == len(c.axes))
	t.idle = make(chan *tabulator, runtime.GOMAXPROCS(0))
	for range cap(t.idle) {
		t.idle <- &tabulator{
			tabulation: t, liveSets: make([]liveSet, len(t.order)+1), merger: newMerger(t.patterns.widest()),
			divisions: make([][]int32, len(t.order)), displaced: make([]int64, t.block.size),
		}
	}
	out := make([]int64, t.size(0, c.most()))
	(<-t.idle).fill(0, c.most(), t.patterns.gather(r.d), r.base, out)
	t.busy.Wait()
	return out, nil
}

// A tabulation is the state of one call of Tabulate, which computes the costs of all formulas. The
// threads of the call share it.
type tabulation struct {
	*layout
	axes        []axis
	patterns    *patterns
	optionCosts [][]int64 // optionCosts[level][o]; the option without a literal has no cost other than terms
	free        bool      // whether all optionCosts are 0
	block       block

	busy parallel.Group
	idle chan *tabulator
}

// setOptionCosts sets t.optionCosts and t.free from the costs of options by attribute, which it
// sorts in the order of the layout.
func (t *tabulation) setOptionCosts(optionCosts [][]int64) {
	t.optionCosts, t.free = make([][]int64, len(t.order)), true
	for level, j := range t.order {
		t.optionCosts[level] = optionCosts[j]
		t.free = t.free && !slices.ContainsFunc(t.optionCosts[level], func(v int64) bool { return v != 0 })
	}
}

// A tabulator is the working memory of one thread that computes a part of the table of all costs.
type tabulator struct {
	*tabulation
	liveSets  []liveSet // one for each level
	divisions [][]int32 // for each level, the result of divide on its live set
	merger    *merger
	displaced []int64
}

// minParallel is the minimum number of formulas in a part of the table of costs that is computed on
// another thread.
const minParallel = 1 << 16

// fill computes a part of the table of costs and stores it in out. The formulas of this part have
// the same options on all axes before the given level, and at most r literals on the axes from the
// level on. The parameter f is the live set after these options, and settled is the cost that the
// options determine.
func (w *tabulator) fill(level, r int, f liveSet, settled int64, out []int64) {
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
	w.merger.drain(&w.liveSets[level+1])
	unused := w.size(level+1, r)
	w.fillParallel(level+1, r, settled, out[:unused])
	if len(x.tests) == 0 {
		return
	}
	w.divisions[level] = f.divide(w.patterns.starts[level], w.divisions[level][:0])
	from := w.divisions[level]
	if r == 1 {
		for t, test := range x.tests {
			cost := settled + w.optionCosts[level][1+t]
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
		w.merger.drain(&w.liveSets[level+1])
		w.fillParallel(level+1, r-1, settled+w.optionCosts[level][1+t], out[unused+t*used:][:used])
	}
}

// fillParallel computes the same as fill for the live set w.liveSets[level]. It uses another thread
// if one is idle and the part of the table is large enough.
func (w *tabulator) fillParallel(level, r int, settled int64, out []int64) {
	if len(out) >= minParallel {
		select {
		case other := <-w.idle:
			f := w.liveSets[level].clone()
			w.busy.Go(func() {
				other.fill(level, r, f, settled, out)
				w.idle <- other
			})
			return
		default:
		}
	}
	w.fill(level, r, w.liveSets[level], settled, out)
}
