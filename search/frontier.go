package search

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// A frontier is a set of nodes that partition the class: those where a
// depth-first walk turns back because their weight N·e^{-λ(L-ref)} is small, or
// all below cost the same. The root is no node of the frontier.
//
// It is not stored: what is kept is where each block of nodes begins, and how
// much its nodes weigh together. The walk is deterministic, so a block's nodes
// are found again by walking it again. Memory is a few bytes for each block,
// whatever the size of the class.
type frontier[H any] struct {
	w        class.Walker[H]
	massed   class.Massed[H]   // w, or nil where no child has a mass
	weighing class.Weighing[H] // w, or nil if it is none
	decay    *decay
	ref      int64 // the least cost known

	least int64 // 2^16·log₂ of the weight from which a node is split
	unit  int64 // weights are counted in 2^unit

	path   []int         // of the walker
	leaves []class.Upper // of the nodes on the path, the root first

	blocks blocks
	steps  int64 // that the walk took
	open   int64 // nodes below which costs may differ
}

// newFrontier returns a frontier still to be built. The walker is its own from
// now on.
func newFrontier[H any](w class.Walker[H], d *decay, ref int64, s scale) frontier[H] {
	massed, _ := w.(class.Massed[H])
	weighing, _ := w.(class.Weighing[H])
	return frontier[H]{
		w: w, massed: massed, weighing: weighing, decay: d, ref: ref,
		leaves: []class.Upper{class.UpperOf(w.Leaves())}, blocks: blocks{scale: s},
	}
}

// A leafSet is a node of the frontier. One with a mass is as one of f hypotheses that
// cost m.
type leafSet struct {
	bound  int64
	exact  bool
	massed bool
	tight  bool        // its mass is hardly more than the true sum
	weight class.Upper // at least N·e^{-λ(bound-ref)}
	units  uint64      // the weight in units of 2^unit, rounded up
}

// unitBelow is how many binary places the unit lies below the weight from
// which a node is split.
const unitBelow = 24

// sumBits is how many binary places the unit lies below the sum of all weights
// where that would leave 63 bits otherwise.
const sumBits = 60

// build walks the frontier for the given least weight. It reports false, and
// there is no frontier, where the walk takes more than the given number of
// steps.
func (f *frontier[H]) build(ctx context.Context, least, most int64) (fits bool, err error) {
	f.least = least
	f.unit = least>>16 - unitBelow
	for again := true; again && err == nil; {
		again, err = f.fill(ctx, most)
	}
	return f.steps <= most, err
}

// fill walks the frontier and sums up its blocks. It asks for another walk
// where it has found a lower cost to refer to, the lowest in its reach, or where
// the sum leaves 63 bits, for which it has then made the unit coarse enough.
func (f *frontier[H]) fill(ctx context.Context, most int64) (again bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	f.blocks.reset()
	f.open = 0
	ref, total, sums := f.ref, class.Upper{}, true
	yielded := 0
	f.steps = f.walk(nil, most, func(n leafSet, _ int, path []int) bool {
		yielded++
		if yielded&0xfff == 0 {
			err = ctx.Err()
		}
		if !n.exact && !n.tight {
			f.open++
		}
		switch {
		case n.exact && n.bound < f.ref:
			f.ref = n.bound
		case f.ref == ref:
			total = total.Plus(n.weight)
			sums = sums && f.blocks.add(n.units, path)
		}
		return err == nil
	})
	if f.ref == ref && !sums {
		f.unit = log(total)>>16 - sumBits
		return f.steps <= most, err
	}
	return f.ref < ref, err
}

// A place is a node of a block. Its path is that of the node before it up to a
// depth, there one child on, and from there the first child each time.
type place struct {
	bound       int64
	units       uint64
	kept, depth int
	massed      bool
}

// block returns the nodes of block b and their weights summed up.
func (f *frontier[H]) block(b int) (nodes []place, sums []uint64) {
	total := uint64(0)
	f.walk(f.blocks.start(b), math.MaxInt64, func(n leafSet, kept int, path []int) bool {
		nodes = append(nodes, place{n.bound, n.units, kept, len(path), n.massed})
		total += n.units
		sums = append(sums, total)
		return len(nodes) < f.blocks.size
	})
	if total != f.blocks.weight(b) {
		panic("search: a tree that is not the same at every visit")
	}
	return nodes, sums
}

// pathTo returns the path of the last of the nodes, which begin block b.
func (f *frontier[H]) pathTo(b int, nodes []place) []int {
	path := f.blocks.start(b)
	for _, n := range nodes[1:] {
		path = path[:n.kept+1]
		path[n.kept]++
		for len(path) < n.depth {
			path = append(path, 0)
		}
	}
	return path
}

// seek moves the walker to the node at the path.
func (f *frontier[H]) seek(path []int) {
	common := 0
	for common < len(f.path) && common < len(path) && f.path[common] == path[common] {
		common++
	}
	for len(f.path) > common {
		f.up()
	}
	for _, i := range path[common:] {
		leaves := f.leaves[len(f.path)].Times(f.w.Share(i))
		f.w.Down(i, math.MaxInt64)
		f.path = append(f.path, i)
		f.leaves = append(f.leaves, leaves)
	}
}

// up moves the walker to the parent.
func (f *frontier[H]) up() {
	f.w.Up()
	f.path = f.path[:len(f.path)-1]
	f.leaves = f.leaves[:len(f.path)+1]
}

// walk yields the frontier in depth-first order, from the node at path from on
// or, if that is empty, from its first node, until yield returns false or more
// than the given number of steps are taken: calls of Down, which it counts.
// With a node it yields up to which depth its path is that of the node before,
// and the path, which is overwritten by the next.
func (f *frontier[H]) walk(from []int, most int64, yield func(n leafSet, kept int, path []int) bool) (steps int64) {
	child := 0
	if len(from) > 0 {
		child = from[len(from)-1]
		from = from[:len(from)-1]
	}
	f.seek(from)
	kept := len(from)
	for {
		for child == f.w.Children() {
			if len(f.path) == 0 {
				return steps
			}
			child = f.path[len(f.path)-1] + 1
			f.up()
			kept = min(kept, len(f.path))
		}
		if steps++; steps > most {
			return steps
		}
		if mass := f.childMass(child); mass != nil {
			if !yield(f.weighMass(mass, true), kept, append(f.path, child)) {
				return steps
			}
			kept = len(f.path)
			child++
			continue
		}
		leaves := f.leaves[len(f.path)].Times(f.w.Share(child))
		size := log(leaves) - f.least
		limit := plus(f.ref, f.decay.reach(size))
		bound, entered := f.w.Down(child, plus(f.ref, f.decay.reach(size+unitBelow<<16)))
		n := leafSet{bound: bound, exact: entered && f.w.Exact()}
		if entered && bound <= limit && !n.exact && !f.sumUp(&n) {
			f.path = append(f.path, child)
			f.leaves = append(f.leaves, leaves)
			child = 0
			continue
		}
		if entered {
			f.w.Up()
		}
		if !n.massed {
			f.weigh(&n, leaves)
		}
		if !yield(n, kept, append(f.path, child)) {
			return steps
		}
		kept = len(f.path)
		child++
	}
}

// childMass returns the mass of a child of the walker's node, or nil.
func (f *frontier[H]) childMass(child int) class.Mass[H] {
	if f.massed == nil {
		return nil
	}
	return f.massed.ChildMass(child)
}

// massAt returns the mass of the node at the path, which has one.
func (f *frontier[H]) massAt(path []int) class.Mass[H] {
	last := len(path) - 1
	f.seek(path[:last])
	if mass := f.childMass(path[last]); mass != nil {
		return mass
	}
	f.seek(path)
	mass, _ := f.weighing.Weigh(f.decay.lambda)
	return mass
}

// weighMass returns a node with a mass. It is exact if its m may become the new ref.
func (f *frontier[H]) weighMass(mass class.Mass[H], exact bool) leafSet {
	hypotheses, least := mass.Bound()
	n := leafSet{bound: least, exact: exact, massed: true}
	f.weigh(&n, hypotheses)
	return n
}

// sumUp makes the node, at which the walker stands, one with the mass that the walker
// sums up to, if that is too little to split it, or tight.
func (f *frontier[H]) sumUp(n *leafSet) bool {
	if f.weighing == nil {
		return false
	}
	mass, tight := f.weighing.Weigh(f.decay.lambda)
	if mass == nil {
		return false
	}
	if _, least := mass.Bound(); least < plus(f.ref, -f.decay.reach(mostLog)) {
		return false // e^{-λ(m-ref)} is beyond what is told apart
	}
	summed := f.weighMass(mass, false)
	if !tight && log(summed.weight) >= f.least {
		return false
	}
	*n, n.tight = summed, tight
	return true
}

// plus adds a difference to a cost, and stays within int64.
func plus(cost, difference int64) int64 {
	sum := cost + difference
	switch {
	case cost > 0 && difference > 0 && sum < 0:
		return math.MaxInt64
	case cost < 0 && difference < 0 && sum >= 0:
		return math.MinInt64
	}
	return sum
}

// weigh sets the node's weight. A node that costs less than ref has none: it
// becomes the new ref.
func (f *frontier[H]) weigh(n *leafSet, leaves class.Upper) {
	if n.exact && n.bound < f.ref {
		return
	}
	n.weight = leaves.Times(f.decay.at(n.bound - f.ref))
	n.units, _ = units(n.weight, f.unit)
}
