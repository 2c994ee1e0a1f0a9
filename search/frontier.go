package search

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A frontier is a set of nodes that partition the class. A depth-first walk from the root stops at
// the nodes of the frontier. It stops at a node with N hypotheses and lower bound L for one of two
// reasons: the node's weight N·e^{-λ(L-ref)} is small, where ref is the lowest known cost, or all
// hypotheses below the node have the same cost. The root is not in the frontier.
//
// The nodes are not stored. For each block of consecutive nodes, the frontier stores only the path
// of the first node and the total weight. The walk is deterministic, so the nodes of a block can be
// computed again by a walk that starts at this path. Memory is a few bytes for each block, for
// classes of any size.
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

// sumBits limits the sum of all weights. If the sum would not fit into 63 bits, weights are rounded
// up to multiples of a coarser unit, so that the sum is about 2^sumBits units.
const sumBits = 60

// stepBits limits the effect of rounding weights up to whole units on a frontier that cannot be
// refined: the rounding adds at most a fraction 2^-stepBits to the sum of the weights.
const stepBits = 10

// build computes the frontier. The walk splits a node if the weight of the node is at least a
// threshold; the parameter least is 2^16·log₂ of this threshold. The parameter most is the maximum
// number of steps of the walk. If the walk needs more steps, the result fits is false and the
// frontier must not be used.
func (f *frontier) build(ctx context.Context, least, most int64) (fits bool, err error) {
	f.least = least
	f.unit = least>>16 - unitBelow
	for again := true; again && err == nil; {
		again, err = f.fill(ctx, most)
	}
	return f.steps <= most, err
}

// fill walks through the frontier and computes the weights of its blocks. It returns again = true
// to request another walk in three cases:
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

// A place is a node of a block. It stores its path as a difference: the first kept child numbers
// are those of the preceding node's path. The next child number is that of the preceding node plus
// one, and all further ones are 0.
type place struct {
	bound       int64
	units       uint64
	kept, depth int
	hasMass     bool
}

// A row holds the nodes of one block and the partial sums of their weights. It is computed again
// whenever a round samples the block.
type row struct {
	nodes []place
	sums  []uint64
}

// row computes the nodes of block b. The fields ref, least and unit of the frontier walker must
// have the values with which the frontier was built.
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

// pathTo returns the path of a node of block b. nodes holds the nodes of the block up to this node.
func (f *frontier) pathTo(b int, nodes []place) []int {
	path := f.blocks.start(b)
	for _, n := range nodes[1:] {
		path = follow(path, n.kept, n.depth)
	}
	return path
}

// follow returns the path of the node that follows the node at path. kept is the depth up to which both
// paths are equal, and depth is the depth of the following node. follow overwrites path.
func follow(path []int, kept, depth int) []int {
	path = path[:kept+1]
	path[kept]++
	for len(path) < depth {
		path = append(path, 0)
	}
	return path
}
