package union

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A tree is the tree of a union. Its root has one child for each member: the root of the member's
// own tree. That root may be a final node, which represents all hypotheses of the member by a mass.
type tree[H any] struct {
	members []branch[H]
	leaves  *big.Int
	bound   int64 // the bound of the root of the union
	exact   bool  // whether all hypotheses of the union have the same cost
	ceiling int64
	plan    []int
}

// A branch is the search tree of one member of a union, with the costs that the union adds to it.
type branch[H any] struct {
	class.Tree[H]
	extra  int64 // the additional cost of its hypotheses that its tree does not contain
	leaves *big.Int
	share  class.Upper // an upper bound on leaves divided by the number of leaves of the union
	final  bool        // whether the root of the member's tree is final
	bound  int64       // the bound of the member's root, including extra
}

// Tree builds the search trees of all members of the union. It fails with class.ErrRange if a member's costs,
// including its penalty, exceed 62 bits.
func (u *union[X, H]) Tree(p class.Problem[X]) (class.Tree[Choice[H]], error) {
	t := &tree[H]{leaves: u.Size(), bound: math.MaxInt64, ceiling: math.MinInt64, exact: true}
	for i := range u.members {
		own, err := u.problemOf(i, p)
		if err != nil {
			return nil, err
		}
		inner, err := u.members[i].Class.Tree(own.p)
		if err != nil {
			return nil, err
		}
		if err := t.add(inner, own.extra); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// add appends a member with its own search tree, inner. In the union, each hypothesis costs extra
// more than in this tree. add fails with class.ErrRange if costs exceed 62 bits.
func (t *tree[H]) add(inner class.Tree[H], extra int64) error {
	if inner.Ceiling() > mostCost-extra {
		return class.ErrRange
	}
	w := inner.Walker()
	b := branch[H]{Tree: inner, extra: extra, leaves: w.Leaves(), bound: w.Bound() + extra, final: class.IsFinal(w)}
	if !b.final {
		b.share = class.Ratio(b.leaves, t.leaves)
	}
	t.exact = t.exact && w.Exact() && (len(t.members) == 0 || b.bound == t.bound)
	t.bound = min(t.bound, b.bound)
	t.ceiling = max(t.ceiling, inner.Ceiling()+extra)
	t.members = append(t.members, b)
	plan := inner.Plan()
	t.plan = append(append(t.plan, len(plan)), plan...)
	return nil
}

// Plan returns, for each member, the length of the plan of the member's tree, followed by that
// plan.
func (t *tree[H]) Plan() []int { return t.plan }

// Incumbent returns the hypothesis of least cost among those from which the searches of the members start, and its
// cost.
func (t *tree[H]) Incumbent() (Choice[H], int64) {
	var best Choice[H]
	least := int64(math.MaxInt64)
	for i, b := range t.members {
		if h, cost := b.Incumbent(); cost+b.extra < least {
			best, least = Choice[H]{i, h}, cost+b.extra
		}
	}
	return best, least
}

// Ceiling returns the maximum of the members' ceilings.
func (t *tree[H]) Ceiling() int64 { return t.ceiling }

// WalkerBytes returns the sum of WalkerBytes of all members.
func (t *tree[H]) WalkerBytes() int64 {
	bytes := int64(0)
	for _, b := range t.members {
		bytes = class.Sum(bytes, class.WalkerBytes(b.Tree))
	}
	return bytes
}

// Walker returns a new walker at the root of the tree of the union. It creates the walker of a
// member when it first enters that member.
func (t *tree[H]) Walker() class.Walker[Choice[H]] {
	return &walker[H]{t: t, walkers: make([]class.Walker[H], len(t.members))}
}

// A walker traverses the tree of a union. It is always at one node: the root, or a node of the tree
// of a member.
type walker[H any] struct {
	t       *tree[H]
	walkers []class.Walker[H] // nil for members not entered yet
	depth   int
	member  int // the current member, if depth > 0
}

func (w *walker[H]) inner() class.Walker[H] { return w.walkers[w.member] }

func (w *walker[H]) Children() int {
	if w.depth == 0 {
		return len(w.t.members)
	}
	return w.inner().Children()
}

func (w *walker[H]) Leaves() *big.Int {
	if w.depth == 0 {
		return w.t.leaves
	}
	return w.inner().Leaves()
}

func (w *walker[H]) ChildLeaves(i int) *big.Int {
	if w.depth == 0 {
		return w.t.members[i].leaves
	}
	return w.inner().ChildLeaves(i)
}

func (w *walker[H]) Share(i int) class.Upper {
	if w.depth == 0 {
		return w.t.members[i].share
	}
	return w.inner().Share(i)
}

func (w *walker[H]) Bound() int64 {
	if w.depth == 0 {
		return w.t.bound
	}
	return w.inner().Bound() + w.t.members[w.member].extra
}

func (w *walker[H]) Exact() bool {
	if w.depth == 0 {
		return w.t.exact
	}
	return w.inner().Exact()
}

func (w *walker[H]) Down(i int, limit int64) (int64, bool) {
	if w.depth == 0 {
		return w.enter(i, limit)
	}
	extra := w.t.members[w.member].extra
	bound, entered := w.inner().Down(i, subtract(limit, extra))
	if entered {
		w.depth++
	}
	return bound + extra, entered
}

// enter moves the walker from the root to the root of the tree of member i, if the bound of that
// root is at most the limit.
func (w *walker[H]) enter(i int, limit int64) (int64, bool) {
	b := &w.t.members[i]
	if b.bound > limit && !b.final {
		return b.bound, false
	}
	if w.walkers[i] == nil {
		w.walkers[i] = b.Walker()
	}
	w.member, w.depth = i, 1
	return b.bound, true
}

// subtract returns limit - extra, clamped to the range of int64.
func subtract(limit, extra int64) int64 {
	switch {
	case extra > 0 && limit < math.MinInt64+extra:
		return math.MinInt64
	case extra < 0 && limit > math.MaxInt64+extra:
		return math.MaxInt64
	default:
		return limit - extra
	}
}

func (w *walker[H]) Up() {
	w.depth--
	if w.depth > 0 {
		w.inner().Up()
	}
}

// Mass returns the mass of the corresponding node in the member's own tree, with the costs
// increased by the additional cost of the member, extra.
func (w *walker[H]) Mass(lambda *big.Rat) (mass class.Mass[Choice[H]], tight bool) {
	if w.depth == 0 {
		return nil, false
	}
	own, tight := w.inner().Mass(lambda)
	if own == nil {
		return nil, false
	}
	member := w.member
	return class.MapMass(own, w.t.members[member].extra, func(h H) Choice[H] { return Choice[H]{member, h} }), tight
}

func (w *walker[H]) Hypothesis() Choice[H] { return Choice[H]{w.member, w.inner().Hypothesis()} }
