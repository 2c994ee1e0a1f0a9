package lazy

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/sibyl-dp/sibyl/class"
)

// A Part is what is known of a part before it is laid out.
type Part struct {
	// Leaves is the exact number of its hypotheses, at least 1.
	Leaves *big.Int
	// Bound is at most the cost of each of them.
	Bound int64
	// Extra is what each of them costs beyond what the part's own tree says.
	Extra int64
	// Bytes is about how much memory its tree takes, at most.
	Bytes int64
}

// Parts are the parts of a union over one problem. All costs, extras included, and their
// differences fit 62 bits.
type Parts[H any] struct {
	List []Part
	// Lay lays part i out, the same way each time. It may be called by several goroutines.
	Lay func(i int) class.Tree[H]
	// Ceiling is at least the cost of every hypothesis.
	Ceiling int64
	// Room is how much memory trees may take that are kept once they are laid out. A part
	// for which none is left is laid out anew whenever a walker comes back to it.
	Room int64
}

// New returns the tree of the union.
func New[H any](parts Parts[H]) class.Tree[H] {
	t := &tree[H]{Parts: parts, leaves: new(big.Int), bound: math.MaxInt64, kept: map[int]class.Tree[H]{}}
	for i := range parts.List {
		t.leaves.Add(t.leaves, parts.List[i].Leaves)
		t.bound = min(t.bound, parts.List[i].Bound)
	}
	for i := range parts.List {
		t.shares = append(t.shares, class.Ratio(parts.List[i].Leaves, t.leaves))
	}
	return t
}

type tree[H any] struct {
	Parts[H]
	leaves *big.Int
	shares []class.Upper // of the parts in all leaves
	bound  int64         // at the root

	mu   sync.Mutex
	kept map[int]class.Tree[H]
	used int64 // of Room
}

// part returns the tree of part i, which it lays out if none is kept, and keeps where there is
// room.
func (t *tree[H]) part(i int) class.Tree[H] {
	t.mu.Lock()
	laid, ok := t.kept[i]
	t.mu.Unlock()
	if ok {
		return laid
	}
	laid = t.Lay(i)
	t.mu.Lock()
	defer t.mu.Unlock()
	if before, ok := t.kept[i]; ok {
		return before
	}
	if bytes := t.List[i].Bytes; bytes <= t.Room-t.used {
		t.kept[i] = laid
		t.used += bytes
	}
	return laid
}

// tries is in how many parts an incumbent is looked for.
const tries = 3

// Incumbent returns the best of the incumbents of the parts with the least bounds.
func (t *tree[H]) Incumbent() (best H, cost int64) {
	order := make([]int, len(t.List))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.List[a].Bound, t.List[b].Bound) })
	cost = math.MaxInt64
	for _, i := range order[:min(tries, len(order))] {
		if t.List[i].Bound >= cost {
			break
		}
		if h, own := t.part(i).Incumbent(); own+t.List[i].Extra < cost {
			best, cost = h, own+t.List[i].Extra
		}
	}
	return best, cost
}

// Plan returns, part by part, the length of its plan and the plan. It lays out every part.
func (t *tree[H]) Plan() []int {
	var plan []int
	for i := range t.List {
		own := t.part(i).Plan()
		plan = append(append(plan, len(own)), own...)
	}
	return plan
}

// Ceiling returns that of the parts.
func (t *tree[H]) Ceiling() int64 { return t.Parts.Ceiling }

// Walker returns a walker at the root.
func (t *tree[H]) Walker() class.Walker[H] { return &walker[H]{t: t, of: -1} }

// A walker stands at the root, at a part, or at a node of a part's tree.
type walker[H any] struct {
	t     *tree[H]
	depth int // 0 at the root, 1 at a part
	at    int // below the root: the part
	inner class.Walker[H]
	of    int // the part that inner walks, which is at its root while depth is below 2; -1 for none
}

func (w *walker[H]) part() *Part { return &w.t.List[w.at] }

func (w *walker[H]) Children() int {
	switch w.depth {
	case 0:
		return len(w.t.List)
	case 1:
		return 1
	}
	return w.inner.Children()
}

func (w *walker[H]) Leaves() *big.Int {
	switch w.depth {
	case 0:
		return w.t.leaves
	case 1:
		return w.part().Leaves
	}
	return w.inner.Leaves()
}

func (w *walker[H]) ChildLeaves(i int) *big.Int {
	switch w.depth {
	case 0:
		return w.t.List[i].Leaves
	case 1:
		return w.part().Leaves
	}
	return w.inner.ChildLeaves(i)
}

func (w *walker[H]) Share(i int) class.Upper {
	switch w.depth {
	case 0:
		return w.t.shares[i]
	case 1:
		return class.One
	}
	return w.inner.Share(i)
}

func (w *walker[H]) Bound() int64 {
	switch w.depth {
	case 0:
		return w.t.bound
	case 1:
		return w.part().Bound
	}
	return w.raised(w.inner.Bound())
}

// raised returns the bound that is one of the part's own tree: nothing below costs less than the
// part's Bound.
func (w *walker[H]) raised(bound int64) int64 { return max(bound+w.part().Extra, w.part().Bound) }

func (w *walker[H]) Exact() bool { return w.depth > 1 && w.inner.Exact() }

func (w *walker[H]) Down(i int, limit int64) (bound int64, entered bool) {
	switch w.depth {
	case 0:
		if bound = w.t.List[i].Bound; bound <= limit {
			w.at, entered = i, true
		}
	case 1:
		if bound = w.part().Bound; bound > limit {
			return bound, false
		}
		if w.of != w.at {
			w.inner, w.of = w.t.part(w.at).Walker(), w.at
		}
		bound = w.raised(w.inner.Bound())
		entered = bound <= limit
	default:
		if least := w.part().Bound; least > limit {
			return least, false
		}
		bound, entered = w.inner.Down(i, min(limit, w.t.Ceiling())-w.part().Extra)
		bound = w.raised(bound)
	}
	if entered {
		w.depth++
	}
	return bound, entered
}

func (w *walker[H]) Up() {
	w.depth--
	if w.depth > 1 {
		w.inner.Up()
	}
}

// Mass returns that of the part's node.
func (w *walker[H]) Mass(lambda *big.Rat) (mass class.Mass[H], tight bool) {
	if w.depth < 2 {
		return nil, false
	}
	own, tight := w.inner.Mass(lambda)
	if own == nil {
		return nil, false
	}
	return class.MapMass(own, w.part().Extra, func(h H) H { return h }), tight
}

func (w *walker[H]) Hypothesis() H { return w.inner.Hypothesis() }
