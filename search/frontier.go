package search

import (
	"context"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A frontier is a set of nodes that partition the class: those where a
// depth-first walk turns back because their weight N·e^{-λ(L-L₀)} is small, or
// all below cost the same. L₀ is the bound of the root, which is no node of the
// frontier.
//
// It is not stored: what is kept is where each block of nodes begins, and how
// much its nodes weigh together. The walk is deterministic, so a block's nodes
// are found again by walking it again. Memory is a few bytes for each block,
// whatever the size of the class.
type frontier[H any] struct {
	w     class.Walker[H]
	decay *decay
	floor int64 // bound of the root

	least int64 // 2^16·log₂ of the weight from which a node is split
	slack int64 // how far beyond its limit a bound is worked out
	unit  int64 // weights are counted in 2^unit

	path   []int   // of the walker
	leaves []upper // of the nodes on the path, the root first

	starts [][]int32 // of each block: the path of its first node
	sums   []uint64  // weights of the blocks, summed up
	nodes  int64
}

// newFrontier returns a frontier still to be built. The walker is its own from
// now on.
func newFrontier[H any](w class.Walker[H], d *decay) frontier[H] {
	return frontier[H]{w: w, decay: d, floor: w.Bound(), leaves: []upper{upperOf(w.Leaves(), 0)}}
}

// A leafSet is a node of the frontier.
type leafSet struct {
	path   []int
	bound  int64
	weight uint64 // at least N·e^{-λ(bound-floor)} in units of 2^unit
}

// blockSize is the number of nodes in a block: walking it again costs about as
// much as the walk down to it.
const blockSize = 64

// unitBelow is how many binary places the unit lies below the weight from
// which a node is split.
const unitBelow = 24

// build walks the frontier for the given least weight.
func (f *frontier[H]) build(ctx context.Context, least int64) error {
	f.least = least
	f.slack = f.decay.reach(unitBelow << 16)
	for f.unit = least>>16 - unitBelow; ; f.unit += 20 {
		ok, err := f.fill(ctx)
		if ok || err != nil {
			return err
		}
		// The weights left 63 bits: count them in a coarser unit.
	}
}

// fill walks the frontier and sums up its blocks; it reports false where the
// sum leaves 63 bits.
func (f *frontier[H]) fill(ctx context.Context) (ok bool, err error) {
	f.starts, f.sums, f.nodes = f.starts[:0], f.sums[:0], 0
	total := uint64(0)
	inBlock := 0
	fits := true
	f.walk(nil, func(n leafSet) bool {
		if n.weight > math.MaxInt64-total {
			fits = false
			return false
		}
		if inBlock == 0 {
			start := make([]int32, len(n.path))
			for i, c := range n.path {
				start[i] = int32(c)
			}
			f.starts = append(f.starts, start)
			f.sums = append(f.sums, 0)
		}
		total += n.weight
		f.sums[len(f.sums)-1] = total
		inBlock = (inBlock + 1) % blockSize
		f.nodes++
		if f.nodes&0xfff == 0 {
			err = ctx.Err()
		}
		return err == nil
	})
	return fits, err
}

// block returns the nodes of block b and their weights summed up.
func (f *frontier[H]) block(b int) (nodes []leafSet, sums []uint64) {
	start := make([]int, len(f.starts[b]))
	for i, c := range f.starts[b] {
		start[i] = int(c)
	}
	total := uint64(0)
	f.walk(start, func(n leafSet) bool {
		n.path = slices.Clone(n.path)
		nodes = append(nodes, n)
		total += n.weight
		sums = append(sums, total)
		return len(nodes) < blockSize
	})
	return nodes, sums
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
		leaves := f.leaves[len(f.path)].share(f.w.Share(i))
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
// or, if that is empty, from its first node, until yield returns false. The
// path of a yielded node is overwritten by the next.
func (f *frontier[H]) walk(from []int, yield func(leafSet) bool) {
	child := 0
	if len(from) > 0 {
		child = from[len(from)-1]
		from = from[:len(from)-1]
	}
	f.seek(from)
	for {
		for child == f.w.Children() {
			if len(f.path) == 0 {
				return
			}
			child = f.path[len(f.path)-1] + 1
			f.up()
		}
		leaves := f.leaves[len(f.path)].share(f.w.Share(child))
		limit := plus(f.floor, f.decay.reach(leaves.log()-f.least))
		bound, entered := f.w.Down(child, plus(limit, f.slack))
		if entered && bound <= limit && !f.w.Exact() {
			f.path = append(f.path, child)
			f.leaves = append(f.leaves, leaves)
			child = 0
			continue
		}
		if entered {
			f.w.Up()
		}
		if !yield(f.leafSet(leaves, bound, child)) {
			return
		}
		child++
	}
}

// plus adds a difference of at least -1 to a cost, and stays within int64.
func plus(cost, difference int64) int64 {
	if cost > 0 && difference > math.MaxInt64-cost {
		return math.MaxInt64
	}
	return cost + difference
}

// leafSet returns a child of the walker's node as a node of the frontier.
func (f *frontier[H]) leafSet(leaves upper, bound int64, child int) leafSet {
	weight, ok := leaves.times(f.decay.at(bound - f.floor)).units(f.unit)
	if !ok {
		weight = math.MaxUint64
	}
	return leafSet{path: append(f.path, child), bound: bound, weight: weight}
}
