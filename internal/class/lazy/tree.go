package lazy

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/sibyl-dp/sibyl/class"
)

// A Part describes a part of a union as far as it is known before the part's tree is built.
type Part struct {
	// Leaves is the exact number of hypotheses of the part, at least 1.
	Leaves *big.Int
	// Bound is a lower bound on the cost of every hypothesis of the part.
	Bound int64
	// Extra is the cost of every hypothesis of the part minus its cost in the part's own tree.
	Extra int64
	// Bytes is an upper bound on the size of the part's tree in bytes, as class.Layout estimates it.
	Bytes int64
}

// Parts describe a union for one problem. All costs, including Extra, and their differences must
// fit into 62 bits.
type Parts[H any] struct {
	List []Part
	// Build builds the tree of part i. It must return the same tree at every call, and be safe for
	// concurrent use.
	Build func(i int) class.Tree[H]
	// Ceiling is an upper bound on the cost of every hypothesis.
	Ceiling int64
	// CacheBytes is the maximum total size of the cached trees in bytes. A tree that does not fit is rebuilt
	// whenever a walker enters its part again.
	CacheBytes int64
}

// New returns the tree of the union of the given parts.
func New[H any](parts Parts[H]) class.Tree[H] {
	t := &tree[H]{Parts: parts, leaves: new(big.Int), bound: math.MaxInt64, cached: map[int]class.Tree[H]{}}
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
	shares []class.Upper // [part]: an upper bound on its fraction of all leaves
	bound  int64         // the bound of the root

	mu          sync.Mutex
	cached      map[int]class.Tree[H]
	cachedBytes int64 // the sum of Part.Bytes over the cached trees
}

// part returns the tree of part i of the union. It builds the tree if it is not cached, and then
// caches it if CacheBytes leaves room for it.
func (t *tree[H]) part(i int) class.Tree[H] {
	t.mu.Lock()
	built, ok := t.cached[i]
	t.mu.Unlock()
	if ok {
		return built
	}
	built = t.Build(i)
	t.mu.Lock()
	defer t.mu.Unlock()
	if before, ok := t.cached[i]; ok {
		return before
	}
	if bytes := t.List[i].Bytes; bytes <= t.CacheBytes-t.cachedBytes {
		t.cached[i] = built
		t.cachedBytes += bytes
	}
	return built
}

// incumbentParts is the maximum number of parts of the union in which Incumbent looks for a good
// hypothesis.
const incumbentParts = 3

// Incumbent returns the best hypothesis that is known in a few parts, and its cost. It builds the
// trees of the incumbentParts parts with the least bounds, but skips a part whose bound is at least
// the best cost so far.
func (t *tree[H]) Incumbent() (best H, cost int64) {
	order := make([]int, len(t.List))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.List[a].Bound, t.List[b].Bound) })
	cost = math.MaxInt64
	for _, i := range order[:min(incumbentParts, len(order))] {
		if t.List[i].Bound >= cost {
			break
		}
		if h, own := t.part(i).Incumbent(); own+t.List[i].Extra < cost {
			best, cost = h, own+t.List[i].Extra
		}
	}
	return best, cost
}

// Plan returns, for each part, the length of the plan of its tree, followed by this plan. It builds
// the tree of every part.
func (t *tree[H]) Plan() []int {
	var plan []int
	for i := range t.List {
		own := t.part(i).Plan()
		plan = append(append(plan, len(own)), own...)
	}
	return plan
}

// Ceiling returns Parts.Ceiling, an upper bound on the cost of every hypothesis.
func (t *tree[H]) Ceiling() int64 { return t.Parts.Ceiling }

// Walker returns a new walker at the root of the search tree.
func (t *tree[H]) Walker() class.Walker[H] { return &walker[H]{t: t, innerPart: -1} }

// A walker traverses the tree of a union. It is always at one node: the root, the node of a part,
// or a node of the tree of a part.
type walker[H any] struct {
	t         *tree[H]
	depth     int             // 0 at the root, 1 at a part, 2 at the root of the part's tree
	current   int             // the current part, if depth > 0
	inner     class.Walker[H] // a walker of the tree of innerPart
	innerPart int             // the part whose tree inner walks, or -1; while depth < 2, inner is at the root of that tree
}

func (w *walker[H]) part() *Part { return &w.t.List[w.current] }

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
	return w.withExtra(w.inner.Bound())
}

// withExtra converts a bound in the part's own tree to a bound in the tree of the union: it adds
// the cost Extra of the part, and raises the result to the Bound of the part if it is lower.
func (w *walker[H]) withExtra(bound int64) int64 { return max(bound+w.part().Extra, w.part().Bound) }

func (w *walker[H]) Exact() bool { return w.depth > 1 && w.inner.Exact() }

func (w *walker[H]) Down(i int, limit int64) (bound int64, entered bool) {
	switch w.depth {
	case 0:
		if bound = w.t.List[i].Bound; bound <= limit {
			w.current, entered = i, true
		}
	case 1:
		if bound = w.part().Bound; bound > limit {
			return bound, false
		}
		if w.innerPart != w.current {
			w.inner, w.innerPart = w.t.part(w.current).Walker(), w.current
		}
		bound = w.withExtra(w.inner.Bound())
		entered = bound <= limit
	default:
		if least := w.part().Bound; least > limit {
			return least, false
		}
		bound, entered = w.inner.Down(i, min(limit, w.t.Ceiling())-w.part().Extra)
		bound = w.withExtra(bound)
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

// Mass returns the mass of the corresponding node in the part's own tree, with the cost Extra of
// the part added to all costs.
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
