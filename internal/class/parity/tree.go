package parity

import (
	"iter"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A tree is the search tree of the class for one problem. Each level decides whether one more bit
// is in the set S, and the last level decides the constant.
//
// The pattern of a word is the word with all decided bits set to 0. The undecided bits give all
// words with the same pattern the same sign. Let F(u) be the sum of the weights w(x) over all words
// x with pattern u, each with the sign that the decided bits give it. Only the pattern 0 has a
// known sign, so
//
//	2·cost ≥ F(0) - Σ_{u≠0} |F(u)|.
//
// The patterns at a node, and which of them merge at its children, depend only on the depth of the
// node.
type tree struct {
	class     *Class
	order     []int // the bits in the order in which they are decided
	levels    []level
	root      []int64 // F of the patterns at the root, from index 1 on
	base      int64   // F(0) at the root
	slack     int64   // Σ|F| over all other patterns
	incumbent Parity
	cost      int64
}

// A level describes the patterns at one depth of the search tree, except the pattern 0. For each of
// these patterns, the level lists the patterns of the previous depth that become equal to it when a
// bit is decided. Patterns are numbered from 1; the index 0 marks a missing pattern. The patterns
// with the constant's bit come last.
type level struct {
	merges   []merge // for each pattern, the patterns of the previous depth from which it results
	single   int32   // the pattern of the previous depth with the decided bit only, which becomes 0
	constant int     // the index of the first pattern with the constant's bit
}

// A merge holds the indices of two patterns of the previous depth that become one, because they
// differ only in the decided bit: the pattern without this bit, and the pattern with it.
type merge struct{ without, with int32 }

// Tree builds the search tree of the problem: it chooses the order of the bits and searches for a
// parity of low cost. Its time grows in proportion to the number of distinct records times the
// square of the number of bits.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[Parity], error) {
	spread, ok := c.spread(p)
	if !ok {
		return nil, class.ErrRange
	}
	base, others := c.weights(p)
	t := &tree{class: c, base: base, root: make([]int64, 1, len(others)+1)}
	words := make([]uint64, len(others))
	for i, x := range others {
		words[i] = x.word
		t.root = append(t.root, x.w)
		t.slack += magnitude(x.w)
	}
	t.order = c.chooseOrder(others)
	t.levels = []level{{constant: firstWithConstant(words, c.constantBit())}}
	for _, bit := range t.order {
		var l level
		l, words = decide(words, 1<<bit)
		l.constant = firstWithConstant(words, c.constantBit())
		t.levels = append(t.levels, l)
	}
	t.incumbent, t.cost = c.descend(t.order, base, others, spread)
	return t, nil
}

// decide returns the level of the patterns that remain after the given bit is decided. The
// parameter words holds the patterns before the decision, and the result after those that remain,
// both in ascending order.
func decide(words []uint64, bit uint64) (l level, after []uint64) {
	for a, b := range pairsByBit(words, bit) {
		switch {
		case a < 0 && words[b] == bit:
			l.single = int32(b + 1)
			continue
		case a < 0:
			after = append(after, words[b]^bit)
		default:
			after = append(after, words[a])
		}
		l.merges = append(l.merges, merge{int32(a + 1), int32(b + 1)})
	}
	return l, after
}

// pairsByBit yields the indices of each two words that differ only in the given bit: first the word without the bit,
// then the word with it. The index of a missing word is -1. The parameter words must be sorted. The pairs are sorted
// by the word without the bit.
func pairsByBit(words []uint64, bit uint64) iter.Seq2[int, int] {
	return func(yield func(without, with int) bool) {
		next := func(i int, has uint64) int {
			for i++; i < len(words) && words[i]&bit != has; i++ {
			}
			return i
		}
		a, b := next(-1, 0), next(-1, bit)
		for a < len(words) || b < len(words) {
			without, with := a, b
			switch {
			case b == len(words) || a < len(words) && words[a] < words[b]^bit:
				with = -1
			case a == len(words) || words[a] > words[b]^bit:
				without = -1
			}
			if !yield(without, with) {
				return
			}
			if without >= 0 {
				a = next(a, 0)
			}
			if with >= 0 {
				b = next(b, bit)
			}
		}
	}
}

// firstWithConstant returns the position of the first word in which the constant's bit is set. The
// parameter words is sorted, and the constant's bit is the highest bit, so these words come last.
// Positions are counted from 1.
func firstWithConstant(words []uint64, constant uint64) int {
	i := 1
	for _, w := range words {
		if w&constant == 0 {
			i++
		}
	}
	return i
}

func magnitude(v int64) int64 { return max(v, -v) }

// Layout bounds the memory of the search tree, which stores the patterns at all depths. Each
// pattern has two indices and a sum.
func (c *Class) Layout(records int64) class.Layout {
	cells := class.Product(class.Sum(records, 1), int64(c.bits+1))
	return class.Layout{Cells: cells, Bytes: class.Product(64, cells)}
}

// Plan returns the order in which the levels of the search tree decide which bits are in the set of
// a parity.
func (t *tree) Plan() []int { return t.order }

// Incumbent returns the best parity that a local search found, and its cost. Searches of the tree
// start from it.
func (t *tree) Incumbent() (Parity, int64) { return t.incumbent, t.cost }

// Ceiling returns an upper bound on the cost of every parity.
func (t *tree) Ceiling() int64 { return (t.base + t.slack) / 2 }

// Walker returns a new walker at the root of the search tree.
func (t *tree) Walker() class.Walker[Parity] {
	w := &walker{tree: t, values: [][]int64{t.root}, frames: make([]frame, len(t.levels)+1)}
	for _, l := range t.levels[1:] {
		w.values = append(w.values, make([]int64, len(l.merges)+1))
	}
	w.frames[0] = frame{base: t.base, slack: t.slack, left: t.class.most}
	if t.class.bits == 0 {
		w.finishSet(&w.frames[0], 0)
	}
	return w
}

// A walker traverses a search tree. It is always at one node, and moves to the node's children and
// to its parent. Its methods do not allocate memory.
type walker struct {
	class.NoMass[Parity]
	tree   *tree
	values [][]int64 // values[depth][i] is F of pattern i at this depth
	frames []frame   // the nodes on the path
	depth  int
}

// A frame is the state of a walker at one node of its path from the root of the search tree.
type frame struct {
	key      uint64 // the bits decided to be in S, and finally the constant's bit
	left     int    // the number of bits that may still be added
	kind     kind
	base     int64 // F(0), or 2·cost at a leaf
	slack    int64 // Σ|F| over the other patterns; if S is complete, |constant|, or 0 at a leaf
	constant int64 // if S is complete, F of the pattern with only the constant's bit
}

type kind uint8

const (
	open   kind = iota // a bit is decided next
	closed             // S is complete; the constant is decided next
	leaf
)

// bound returns the lower bound of a node, (F(0) - Σ_{u≠0} |F(u)|)/2 (see tree, which defines F).
// The division is exact, because base, slack and 2·cost are all even or all odd.
func (f *frame) bound() int64 { return (f.base - f.slack) / 2 }

func (w *walker) at() *frame { return &w.frames[w.depth] }

// Bound returns a lower bound on the cost of every parity below the current node of the search tree.
func (w *walker) Bound() int64 { return w.at().bound() }

// Exact reports whether all parities below the node are known to have the same cost. This holds if
// all weights with an undecided sign sum to 0.
func (w *walker) Exact() bool { return w.at().slack == 0 }

// Children returns the number of children: 0 at a leaf, and 2 at any other node. Child 0 leaves the
// next bit (or the constant) out, and child 1 includes it.
func (w *walker) Children() int {
	if w.at().kind == leaf {
		return 0
	}
	return 2
}

// Leaves returns the number of parities below the current node of the search tree.
func (w *walker) Leaves() *big.Int {
	f := w.at()
	switch f.kind {
	case open:
		return w.tree.class.leaves[w.tree.class.bits-w.depth][f.left]
	case closed:
		return two
	}
	return one
}

// ChildLeaves returns the number of parities below child i of the current node of the search tree.
func (w *walker) ChildLeaves(i int) *big.Int {
	f := w.at()
	if f.kind == closed {
		return one
	}
	return w.tree.class.leaves[w.tree.class.bits-w.depth-1][f.left-i]
}

// Share returns an upper bound on the fraction of the hypotheses below the node that are below
// child i.
func (w *walker) Share(i int) class.Upper {
	f := w.at()
	if f.kind == closed {
		return class.One.Scaled(-1)
	}
	return w.tree.class.shares[w.tree.class.bits-w.depth][f.left][i]
}

// Down moves to child i of the current node of the search tree, below this child exceeds the limit.
// It returns the bound, and reports whether it moved.
func (w *walker) Down(i int, limit int64) (int64, bool) {
	f, child := w.at(), &w.frames[w.depth+1]
	if bound := f.bound(); bound > limit {
		return bound, false
	}
	if f.kind == closed {
		w.decideConstant(child, f, i)
	} else {
		w.decide(child, f, i, limit)
	}
	bound := child.bound()
	if bound > limit {
		return bound, false
	}
	w.depth++
	return bound, true
}

// decideConstant computes the child of node f at which the parity's constant is i, 0 or 1, and
// stores it in child. The child is a leaf, because the set S is complete at f.
func (w *walker) decideConstant(child, f *frame, i int) {
	*child = *f
	child.kind, child.slack = leaf, 0
	if i == 0 {
		child.base += f.constant
	} else {
		child.key |= w.tree.class.constantBit()
		child.base -= f.constant
	}
}

// mergesPerCheck is the number of merges of patterns after which decide compares the bound with the
// limit, to stop early.
const mergesPerCheck = 256

// decide computes child i of node f and stores it in child. In child i, the next bit is in S if and
// only if i is 1. decide stops early if the bound of the child exceeds the limit.
func (w *walker) decide(child, f *frame, i int, limit int64) {
	t, l := w.tree, &w.tree.levels[w.depth+1]
	before, after := w.values[w.depth], w.values[w.depth+1]
	*child = *f
	sign := -int64(i) // x ^ sign - sign is -x if i = 1, otherwise x
	alone := before[l.single]
	child.base += (alone ^ sign) - sign
	child.slack -= magnitude(alone)
	for from := 0; from < len(l.merges); from += mergesPerCheck {
		if child.bound() > limit {
			return
		}
		some := l.merges[from:min(from+mergesPerCheck, len(l.merges))]
		sums := after[from+1:][:len(some)]
		for k, m := range some {
			a, b := before[m.without], before[m.with]
			sums[k] = a + (b ^ sign) - sign
			child.slack += magnitude(sums[k]) - magnitude(a) - magnitude(b)
		}
	}
	if i == 1 {
		child.key |= 1 << t.order[w.depth]
		child.left--
	}
	if child.left == 0 || w.depth+1 == t.class.bits {
		w.finishSet(child, w.depth+1)
	}
}

// finishSet turns frame f into a node at which the set S is complete. It is called if all bits are
// decided, or if S already has the maximum number of bits. The parameter depth is the depth of the
// node.
func (w *walker) finishSet(f *frame, depth int) {
	first := w.tree.levels[depth].constant
	for _, v := range w.values[depth][1:first] {
		f.base += v
	}
	f.constant = 0
	for _, v := range w.values[depth][first:] {
		f.constant += v
	}
	f.slack = magnitude(f.constant)
	f.kind = closed
	if !w.tree.class.options.Affine {
		f.kind = leaf
	}
}

// Up moves to the parent of the current node of the search tree.
func (w *walker) Up() { w.depth-- }

// Hypothesis returns the parity at the current node, which must be a leaf of the search tree.
func (w *walker) Hypothesis() Parity { return w.tree.class.parity(w.at().key) }

var one, two = big.NewInt(1), big.NewInt(2)
