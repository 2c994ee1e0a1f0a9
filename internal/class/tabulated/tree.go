package tabulated

import (
	"math/big"
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// Blocks of levels below firstKept are so small that their least costs are looked
// for when they are asked for; those of larger
// ones take an eighth of the table's own memory.
const firstKept = 4

// A tree is a table of costs and the least costs of its blocks.
type tree[H any] struct {
	at      func(int) H
	costs   []int64
	kept    [][]int64 // the least cost of each block, by level from firstKept on
	top     int       // the level of the root
	best    int       // the first hypothesis of least cost
	ceiling int64     // the greatest cost
	leaves  []extent  // by level
}

// An extent is how many hypotheses the blocks of one level hold: all the same
// number, but for the last block.
type extent struct{ full, last *big.Int }

// newTree lays the tree over the table, which is its own from now on.
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

// Layout bounds the table, the least costs of its blocks, and as much again for
// a transform.
func (c *Class[X, H]) Layout(int64) class.Layout {
	n := int64(c.size)
	return class.Layout{Cells: n, Bytes: 17 * n, Tabulated: true}
}

// blocks counts the blocks of level k.
func (t *tree[H]) blocks(k int) int { return (len(t.costs)-1)>>k + 1 }

// span counts the hypotheses of block i of level k.
func (t *tree[H]) span(k, i int) int { return min((i+1)<<k, len(t.costs)) - i<<k }

// count is span for the walker's callers.
func (t *tree[H]) count(k, i int) *big.Int {
	if i == t.blocks(k)-1 {
		return t.leaves[k].last
	}
	return t.leaves[k].full
}

// least returns the least cost in block i of level k.
func (t *tree[H]) least(k, i int) int64 {
	if k >= firstKept {
		return t.kept[k-firstKept][i]
	}
	return slices.Min(t.costs[i<<k : i<<k+t.span(k, i)])
}

// Plan returns nothing: the tree is the same for all problems.
func (t *tree[H]) Plan() []int { return nil }

// Incumbent returns the first hypothesis of least cost.
func (t *tree[H]) Incumbent() (H, int64) { return t.at(t.best), t.costs[t.best] }

// Ceiling returns the greatest cost.
func (t *tree[H]) Ceiling() int64 { return t.ceiling }

// Walker returns a walker at the root. It allocates nothing afterwards.
func (t *tree[H]) Walker() class.Walker[H] {
	return &walker[H]{tree: t, level: t.top}
}

// A walker stands at a block.
type walker[H any] struct {
	class.NoMass[H]
	tree  *tree[H]
	level int
	block int
}

// Children returns the number of blocks of the level below in this one.
func (w *walker[H]) Children() int {
	if w.level == 0 {
		return 0
	}
	return min(2, w.tree.blocks(w.level-1)-2*w.block)
}

// Leaves returns the number of hypotheses in the block.
func (w *walker[H]) Leaves() *big.Int { return w.tree.count(w.level, w.block) }

// ChildLeaves returns the number of hypotheses in block i of this one.
func (w *walker[H]) ChildLeaves(i int) *big.Int { return w.tree.count(w.level-1, 2*w.block+i) }

// Share returns their quotient, rounded up.
func (w *walker[H]) Share(i int) class.Upper {
	return class.Quotient(uint64(w.tree.span(w.level-1, 2*w.block+i)), uint64(w.tree.span(w.level, w.block)))
}

// Bound returns the least cost in the block.
func (w *walker[H]) Bound() int64 { return w.tree.least(w.level, w.block) }

// Exact holds at a single hypothesis, and everywhere if all cost the same.
func (w *walker[H]) Exact() bool {
	return w.level == 0 || w.tree.costs[w.tree.best] == w.tree.ceiling
}

// Down enters block i of this one if its least cost is at most limit.
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

// Up returns to the block around this one.
func (w *walker[H]) Up() {
	w.level++
	w.block /= 2
}

// Hypothesis returns the single hypothesis.
func (w *walker[H]) Hypothesis() H { return w.tree.at(w.block) }
