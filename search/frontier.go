package search

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A frontier is a set of nodes of the search tree that partition the class. A depth-first walk from
// the root stops at these nodes. It stops at a node for one of two reasons:
//
//   - The weight of the node is small. The weight is N·e^{-λ(L-ref)}, where N is the number of
//     hypotheses below the node, L is its lower bound, and ref is the lowest known cost.
//   - All hypotheses below the node have the same cost.
//
// The root is not in the frontier.
//
// The nodes are not stored. For each block of consecutive nodes, the frontier stores only the path
// of the first node and the total weight. The walk is deterministic, so a walk that starts at this
// path computes the nodes of the block again. Memory is a few bytes for each block, for classes of
// any size.
type frontier struct {
	frontierWalker // the first of the frontier walkers
	tree           class.Tree[any]
	others         []*frontierWalker
	cuts           [][]int // ascending paths at which the walk is divided among frontier walkers

	blocks blocks
	steps  int64 // number of steps of the walk
	open   int64 // number of nodes below which costs may differ
}

// newFrontier returns a frontier of the tree t that has no nodes yet; build computes them.
func newFrontier(t class.Tree[any], lambda *big.Rat, s scale) frontier {
	_, good := t.Incumbent()
	return frontier{frontierWalker: newFrontierWalker(t.Walker(), lambda, good), tree: t, blocks: blocks{scale: s}}
}

// sumBits limits the sum of all weights of a frontier. If the sum would not fit into 63 bits,
// weights are rounded up to multiples of a coarser unit, so that the sum is about 2^sumBits units.
const sumBits = 60

// stepBits limits the error that comes from rounding weights up to whole units. If a frontier
// cannot be refined, rounding adds at most a fraction 2^-stepBits to the sum of its weights.
const stepBits = 10

// build computes the frontier whose walk splits a node if its weight is at least a threshold. The
// parameter least is the binary logarithm of this threshold, times 2^16. If the walk would take
// more than the given number of steps, most, the result fits is false, and the frontier must not be
// used.
func (f *frontier) build(ctx context.Context, least, most int64) (fits bool, err error) {
	f.least = least
	f.unit = least>>16 - unitBelow
	for again := true; again && err == nil; {
		again, err = f.fill(ctx, most)
	}
	return f.steps <= most, err
}

// fill walks through the frontier and computes the weights of its blocks. It returns again = true
// if another walk is necessary, in three cases:
//
//   - A cost was less than ref, the lowest known cost. fill has set ref to the lowest cost that it
//     found.
//   - The sum of the weights did not fit into 63 bits. fill has made the unit coarser.
//   - The frontier cannot be refined, and the sum is less than 2^stepBits units for each step. fill
//     has made the unit finer.
func (f *frontier) fill(ctx context.Context, most int64) (again bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	f.blocks.reset()
	f.open = 0
	ref, total, sums := f.ref, class.Upper{}, true
	f.steps, err = f.walkSegments(ctx, most, func(n frontierNode, path []int) {
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

// A place is a node of a block. Its path from the root is stored as a difference to the path of the
// preceding node. The two paths agree in their first child indices; the field kept is the number of
// these. The next child index is one greater than in the preceding path, and all further ones are
// 0. The field depth is the length of the path.
type place struct {
	bound       int64
	units       uint64
	kept, depth int
	hasMass     bool
}

// A row holds the nodes of one block and the partial sums of their weights. It is not stored
// permanently, but computed again whenever a sampling round selects the block.
type row struct {
	nodes []place
	sums  []uint64
}

// row computes the nodes of block b. The fields ref, least and unit of the frontier walker must
// have the same values as when the frontier was built.
func (s *frontierWalker) row(blocks *blocks, b int) (r row) {
	total := uint64(0)
	s.walk(blocks.start(b), math.MaxInt64, func(n frontierNode, kept int, path []int) bool {
		r.nodes = append(r.nodes, place{n.bound, n.units, kept, len(path), n.hasMass})
		total += n.units
		r.sums = append(r.sums, total)
		return len(r.nodes) < blocks.size
	})
	if total != blocks.weight(b) {
		panic("search: a tree that is not the same at every visit")
	}
	return r
}

// pathTo returns the path of a node of block b. The parameter nodes holds the nodes of the block
// from the first one to this node.
func (f *frontier) pathTo(b int, nodes []place) []int {
	path := f.blocks.start(b)
	for _, n := range nodes[1:] {
		path = follow(path, n.kept, n.depth)
	}
	return path
}

// follow changes the path of a node into the path of the next node of the frontier, and returns it.
// The new path has the length depth. The parameter kept is the depth up to which both paths are
// equal.
func follow(path []int, kept, depth int) []int {
	path = path[:kept+1]
	path[kept]++
	for len(path) < depth {
		path = append(path, 0)
	}
	return path
}
