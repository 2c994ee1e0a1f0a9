package search

import (
	"context"
	"math"
	"math/big"

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
	scout[H] // the first of the scouts
	tree     class.Tree[H]
	others   []*scout[H]
	cuts     [][]int // paths, ascending, between which scouts walk

	blocks blocks
	steps  int64 // that the walk took
	open   int64 // nodes below which costs may differ
}

// newFrontier returns a frontier of the tree still to be built.
func newFrontier[H any](t class.Tree[H], lambda *big.Rat, s scale) frontier[H] {
	_, good := t.Incumbent()
	return frontier[H]{scout: newScout(t.Walker(), lambda, good), tree: t, blocks: blocks{scale: s}}
}

// sumBits is how many binary places the unit lies below the sum of all weights
// where that would leave 63 bits otherwise.
const sumBits = 60

// stepBits says how small a part of the sum rounding up to units is where no frontier can be
// finer: at most 2^-stepBits.
const stepBits = 10

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
// where it has found a lower cost to refer to, the lowest in its reach; where the sum leaves
// 63 bits, for which it has then made the unit coarse enough; or where no frontier can be
// finer, and the sum is not 2^stepBits units for each step, for which it has made the unit fine
// enough.
func (f *frontier[H]) fill(ctx context.Context, most int64) (again bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	f.blocks.reset()
	f.open = 0
	ref, total, sums := f.ref, class.Upper{}, true
	f.steps, err = f.stretches(ctx, most, func(n leafSet, path []int) {
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
	})
	if f.ref == ref && !sums {
		f.unit = log(total)>>16 - sumBits
		return f.steps <= most, err
	}
	if f.ref == ref && f.steps <= most && err == nil {
		if unit := log(total)>>16 - sumBits; f.open == 0 && f.blocks.total()>>stepBits < uint64(f.steps) && unit < f.unit {
			f.unit = unit
			return true, nil
		}
		f.cut()
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

// A row is the nodes of a block, with their weights summed up.
type row struct {
	nodes []place
	sums  []uint64
}

// row returns the nodes of block b of the frontier, whose scouts this one is like.
func (s *scout[H]) row(blocks *blocks, b int) (r row) {
	total := uint64(0)
	s.walk(blocks.start(b), math.MaxInt64, func(n leafSet, kept int, path []int) bool {
		r.nodes = append(r.nodes, place{n.bound, n.units, kept, len(path), n.massed})
		total += n.units
		r.sums = append(r.sums, total)
		return len(r.nodes) < blocks.size
	})
	if total != blocks.weight(b) {
		panic("search: a tree that is not the same at every visit")
	}
	return r
}

// pathTo returns the path of the last of the nodes, which begin block b.
func (f *frontier[H]) pathTo(b int, nodes []place) []int {
	path := f.blocks.start(b)
	for _, n := range nodes[1:] {
		path = follow(path, n.kept, n.depth)
	}
	return path
}

// follow returns the path of the node that comes behind the one at the path in a walk, which
// is overwritten, by what walk tells of it: up to which depth the paths are the same, and its
// own depth.
func follow(path []int, kept, depth int) []int {
	path = path[:kept+1]
	path[kept]++
	for len(path) < depth {
		path = append(path, 0)
	}
	return path
}
