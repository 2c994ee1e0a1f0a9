package parity

import (
	"iter"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A tree decides for one bit after the other whether it is in S, and for the
// constant at the end. Below a node at which S is known on some bits, words
// that agree on all other bits have one sign: their *pattern* is the word with
// the decided bits taken out, and F(u) the sum of χ_S(x)·w(x), on the decided
// bits, over all words x of pattern u. Then
//
//	2·cost ≥ F(0) - Σ_{u≠0} |F(u)|.
//
// Which patterns there are, and which become one, depends on the depth alone.
type tree struct {
	class     *Class
	order     []int // of the bits
	levels    []level
	root      []int64 // F of the patterns at the root, from place 1 on
	base      int64   // F(0) at the root
	slack     int64   // Σ|F| of all other patterns
	incumbent Parity
	cost      int64
}

// A level holds the patterns at a depth, 0 left out, and how they come about
// when the bit before is decided. Place 0 stands for a pattern that does not
// exist; those with the constant come last.
type level struct {
	merges   []merge // of the patterns before
	alone    int32   // of the pattern before that was this bit alone, and becomes 0
	constant int     // the first place of a pattern with the constant
}

// A merge names the places, at the depth before, of the patterns without and
// with the bit.
type merge struct{ without, with int32 }

// Tree lays the class out for search over the problem: it chooses the order of
// the bits and looks for a good parity. It takes a time that grows with the
// distinct records times the square of the number of bits.
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
	t.order = c.arrange(others)
	t.levels = []level{{constant: firstWith(words, c.constant())}}
	for _, bit := range t.order {
		var l level
		l, words = decide(words, 1<<bit)
		l.constant = firstWith(words, c.constant())
		t.levels = append(t.levels, l)
	}
	t.incumbent, t.cost = c.descend(t.order, base, others, spread)
	return t, nil
}

// decide returns how sorted patterns merge when a bit is decided, and what they
// become.
func decide(words []uint64, bit uint64) (l level, after []uint64) {
	for a, b := range zipped(words, bit) {
		switch {
		case a < 0 && words[b] == bit:
			l.alone = int32(b + 1)
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

// zipped yields the places of sorted words that differ in nothing but the bit,
// the one without it first; -1 stands for a word that is not there. They come
// sorted by what they have in common.
func zipped(words []uint64, bit uint64) iter.Seq2[int, int] {
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

// firstWith returns the place of the first word that has the constant's bit,
// the highest of all.
func firstWith(words []uint64, constant uint64) int {
	i := 1
	for _, w := range words {
		if w&constant == 0 {
			i++
		}
	}
	return i
}

func magnitude(v int64) int64 { return max(v, -v) }

// Layout bounds the patterns of every depth, each with its place and its sum.
func (c *Class) Layout(records int64) class.Layout {
	cells := class.Product(class.Sum(records, 1), int64(c.bits+1))
	return class.Layout{Cells: cells, Bytes: class.Product(64, cells)}
}

// Plan returns the order of the bits.
func (t *tree) Plan() []int { return t.order }

// Incumbent returns the parity that the descent found.
func (t *tree) Incumbent() (Parity, int64) { return t.incumbent, t.cost }

// Ceiling returns what the words cost at their worst.
func (t *tree) Ceiling() int64 { return (t.base + t.slack) / 2 }

// Walker returns a walker at the root.
func (t *tree) Walker() class.Walker[Parity] {
	w := &walker{tree: t, values: [][]int64{t.root}, frames: make([]frame, len(t.levels)+1)}
	for _, l := range t.levels[1:] {
		w.values = append(w.values, make([]int64, len(l.merges)+1))
	}
	w.frames[0] = frame{base: t.base, slack: t.slack, room: t.class.most}
	if t.class.bits == 0 {
		w.close(&w.frames[0], 0)
	}
	return w
}

// A walker stands at a node of the tree. It allocates nothing.
type walker struct {
	class.NoMass[Parity]
	tree   *tree
	values [][]int64 // F of the patterns, by depth
	frames []frame   // of the nodes on the path
	depth  int
}

// A frame is a node.
type frame struct {
	key      uint64 // S so far, and the constant at the end
	room     int    // bits that may still be added
	kind     kind
	base     int64 // F(0), or 2·cost
	slack    int64 // Σ|F| over the other patterns, or what the constant may still take off
	constant int64 // of the node at which S is known: F of the constant
}

type kind uint8

const (
	open   kind = iota // a bit is decided next
	closed             // S is known, and the constant is decided next
	leaf
)

// bound is a whole number: base, slack and 2·cost are even or odd together.
func (f *frame) bound() int64 { return (f.base - f.slack) / 2 }

func (w *walker) at() *frame { return &w.frames[w.depth] }

// Bound returns the lower bound of the node.
func (w *walker) Bound() int64 { return w.at().bound() }

// Exact holds where no sign is open that matters.
func (w *walker) Exact() bool { return w.at().slack == 0 }

// Children returns 2: without and with a bit of S or the constant.
func (w *walker) Children() int {
	if w.at().kind == leaf {
		return 0
	}
	return 2
}

// Leaves returns the number of parities below.
func (w *walker) Leaves() *big.Int {
	f := w.at()
	switch f.kind {
	case open:
		return w.tree.class.leaves[w.tree.class.bits-w.depth][f.room]
	case closed:
		return two
	}
	return one
}

// ChildLeaves returns the number of parities below child i.
func (w *walker) ChildLeaves(i int) *big.Int {
	f := w.at()
	if f.kind == closed {
		return one
	}
	return w.tree.class.leaves[w.tree.class.bits-w.depth-1][f.room-i]
}

// Share returns their quotient, rounded up.
func (w *walker) Share(i int) class.Upper {
	f := w.at()
	if f.kind == closed {
		return class.One.Scaled(-1)
	}
	return w.tree.class.shares[w.tree.class.bits-w.depth][f.room][i]
}

// Down enters child i if its bound is at most limit.
func (w *walker) Down(i int, limit int64) (int64, bool) {
	f, child := w.at(), &w.frames[w.depth+1]
	if bound := f.bound(); bound > limit {
		return bound, false
	}
	if f.kind == closed {
		w.fix(child, f, i)
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

// fix makes child a leaf with the constant i.
func (w *walker) fix(child, f *frame, i int) {
	*child = *f
	child.kind, child.slack = leaf, 0
	if i == 0 {
		child.base += f.constant
	} else {
		child.key |= w.tree.class.constant()
		child.base -= f.constant
	}
}

// checked is how many merges are made before the bound is compared again.
const checked = 256

// decide makes child the node at which the next bit is in S iff i is 1. It may
// stop with a bound that exceeds the limit already.
func (w *walker) decide(child, f *frame, i int, limit int64) {
	t, l := w.tree, &w.tree.levels[w.depth+1]
	before, after := w.values[w.depth], w.values[w.depth+1]
	*child = *f
	sign := -int64(i) // x ^ sign - sign is -x if i is 1
	alone := before[l.alone]
	child.base += (alone ^ sign) - sign
	child.slack -= magnitude(alone)
	for from := 0; from < len(l.merges); from += checked {
		if child.bound() > limit {
			return
		}
		some := l.merges[from:min(from+checked, len(l.merges))]
		sums := after[from+1:][:len(some)]
		for k, m := range some {
			a, b := before[m.without], before[m.with]
			sums[k] = a + (b ^ sign) - sign
			child.slack += magnitude(sums[k]) - magnitude(a) - magnitude(b)
		}
	}
	if i == 1 {
		child.key |= 1 << t.order[w.depth]
		child.room--
	}
	if child.room == 0 || w.depth+1 == t.class.bits {
		w.close(child, w.depth+1)
	}
}

// close makes f, at the given depth, a node at which S is known: no bit is left
// or none may be added.
func (w *walker) close(f *frame, depth int) {
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

// Up returns to the parent.
func (w *walker) Up() { w.depth-- }

// Hypothesis returns the parity of a leaf.
func (w *walker) Hypothesis() Parity { return w.tree.class.parity(w.at().key) }

var one, two = big.NewInt(1), big.NewInt(2)
