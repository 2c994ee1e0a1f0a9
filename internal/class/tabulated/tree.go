package tabulated

import (
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// firstKept is the lowest level of the tree for which the least cost of every block is stored. The
// least costs of smaller blocks are computed when they are needed. The stored costs take an eighth
// of the memory of the table.
const firstKept = 4

// A tree holds the table of costs, and the least costs of its larger blocks.
type tree[H any] struct {
	at      func(int) H
	costs   []int64
	kept    [][]int64 // kept[k-firstKept][i] is the least cost of block i of level k
	top     int       // the level of the root
	best    int       // the index of the first hypothesis of least cost
	ceiling int64     // the maximum cost
	leaves  []extent  // leaves[k] holds the numbers of hypotheses of the blocks of level k
}

// An extent holds the number of hypotheses in a block of one level of the tree: in the last block
// of the level (last), and in every other block (full).
type extent struct{ full, last *big.Int }

// newTree returns the tree of a table of costs. at(i) must return hypothesis i of the table.
// newTree takes ownership of the table.
func newTree[H any](costs []int64, at func(int) H) *tree[H] {
	t := &tree[H]{at: at, costs: costs, top: bits.Len(uint(len(costs) - 1)), ceiling: costs[0]}
	for i, cost := range costs {
		if cost < costs[t.best] {
			t.best = i
		}
		t.ceiling = max(t.ceiling, cost)
	}
	below, width := costs, 1<<firstKept
	for k := range t.top + 1 {
		last := t.blocks(k) - 1
		t.leaves = append(t.leaves, extent{big.NewInt(1 << k), big.NewInt(int64(t.span(k, last)))})
		if k < firstKept {
			continue
		}
		least := make([]int64, 0, last+1)
		for part := range slices.Chunk(below, width) {
			least = append(least, slices.Min(part))
		}
		t.kept = append(t.kept, least)
		below, width = least, 2
	}
	return t
}

// Layout bounds the memory of the tree: for each hypothesis, 8 bytes of the table of costs, 1 byte
// of the stored least costs, and 8 bytes of the buffer of a transform.
func (c *Class[X, H]) Layout(int64) class.Layout {
	n := int64(c.size)
	return class.Layout{Cells: n, Bytes: 17 * n, Tabulated: true}
}

// blocks returns the number of blocks at level k of the tree over the table of all costs.
func (t *tree[H]) blocks(k int) int { return (len(t.costs)-1)>>k + 1 }

// span returns the number of hypotheses in block i at level k of the tree over the table of all costs.
func (t *tree[H]) span(k, i int) int { return min((i+1)<<k, len(t.costs)) - i<<k }

// count returns span(k, i) as a big.Int. The caller must not change it, because several calls
// return the same one.
func (t *tree[H]) count(k, i int) *big.Int {
	if i == t.blocks(k)-1 {
		return t.leaves[k].last
	}
	return t.leaves[k].full
}

// least returns the least cost of a hypothesis in block i at level k of the tree.
func (t *tree[H]) least(k, i int) int64 {
	if k >= firstKept {
		return t.kept[k-firstKept][i]
	}
	return slices.Min(t.costs[i<<k : i<<k+t.span(k, i)])
}

// Plan returns nil, because the tree over the table of costs has the same structure for all problems.
func (t *tree[H]) Plan() []int { return nil }

// Incumbent returns the first hypothesis of least cost in the table, and its cost.
func (t *tree[H]) Incumbent() (H, int64) { return t.at(t.best), t.costs[t.best] }

// Ceiling returns the maximum cost of a hypothesis.
func (t *tree[H]) Ceiling() int64 { return t.ceiling }

// Walker returns a walker, which traverses the tree over the table of costs. It starts at the root, and its methods
// do not allocate memory.
func (t *tree[H]) Walker() class.Walker[H] {
	return &walker[H]{tree: t, level: t.top}
}

// A walker traverses the tree. It is always at one node: a block of one level.
type walker[H any] struct {
	class.NoMass[H]
	tree  *tree[H]
	level int
	block int
}

// Children returns the number of child blocks of the current block: 0 to 2.
func (w *walker[H]) Children() int {
	if w.level == 0 {
		return 0
	}
	return min(2, w.tree.blocks(w.level-1)-2*w.block)
}

// Leaves returns the number of hypotheses in the current block.
func (w *walker[H]) Leaves() *big.Int { return w.tree.count(w.level, w.block) }

// ChildLeaves returns the number of hypotheses in child i of the current block.
func (w *walker[H]) ChildLeaves(i int) *big.Int { return w.tree.count(w.level-1, 2*w.block+i) }

// Share returns an upper bound on the fraction of the hypotheses below the node that are below
// child i.
func (w *walker[H]) Share(i int) class.Upper {
	return class.Quotient(uint64(w.tree.span(w.level-1, 2*w.block+i)), uint64(w.tree.span(w.level, w.block)))
}

// Bound returns the least cost of a hypothesis in the current block, which is an exact lower bound.
func (w *walker[H]) Bound() int64 { return w.tree.least(w.level, w.block) }

// Exact reports whether all hypotheses of the block are known to have the same cost. This holds for
// a block of one hypothesis, and for every block if all costs of the table are equal.
func (w *walker[H]) Exact() bool {
	return w.level == 0 || w.tree.costs[w.tree.best] == w.tree.ceiling
}

// Down moves to child i of the current block, unless the least cost in the child exceeds the limit.
// It returns this cost, and reports whether it moved.
func (w *walker[H]) Down(i int, limit int64) (int64, bool) {
	child := 2*w.block + i
	bound := w.tree.least(w.level-1, child)
	if bound > limit {
		return bound, false
	}
	w.level--
	w.block = child
	return bound, true
}

// Up moves to the block that contains the current block.
func (w *walker[H]) Up() {
	w.level++
	w.block /= 2
}

// Hypothesis returns the only hypothesis of the current block, which must have level 0.
func (w *walker[H]) Hypothesis() H { return w.tree.at(w.block) }
