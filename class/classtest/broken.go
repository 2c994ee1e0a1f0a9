package classtest

import (
	"iter"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// Broken yields deliberately wrong variants of the class of c, each with a name that says what is
// wrong. They show that the test suite detects these defects: Tree must fail on every variant. Use
// only problems whose costs are not negative, and on whose points the predictions of the
// hypotheses differ.
func Broken[X, H any](c Case[X, H]) iter.Seq2[string, Case[X, H]] {
	walker := func(change func(class.Walker[H]) class.Walker[H]) broken[X, H] {
		return broken[X, H]{walker: change}
	}
	tree := func(change func(class.Tree[H]) class.Tree[H]) broken[X, H] { return broken[X, H]{tree: change} }
	checker := func(change func(class.Checker) class.Checker) broken[X, H] { return broken[X, H]{checker: change} }
	shortOfBoth := walker(func(w class.Walker[H]) class.Walker[H] { return shortOfOne[H]{w} })
	shortOfBoth.checker = func(k class.Checker) class.Checker { return shortChecker{k} }
	all := map[string]broken[X, H]{
		"a bound too high at leaves":  walker(func(w class.Walker[H]) class.Walker[H] { return highBound[H]{w, 1} }),
		"a bound too high everywhere": walker(func(w class.Walker[H]) class.Walker[H] { return highBound[H]{w, 1 << 40} }),
		"a child dropped":             walker(func(w class.Walker[H]) class.Walker[H] { return shortOfOne[H]{w} }),
		"a child dropped by both":     shortOfBoth,
		"wrong counts":                walker(func(w class.Walker[H]) class.Walker[H] { return miscounted[H]{w} }),
		"a share too small":           walker(func(w class.Walker[H]) class.Walker[H] { return lowShare[H]{w} }),
		"a share too large":           walker(func(w class.Walker[H]) class.Walker[H] { return highShare[H]{w} }),
		"a limit ignored":             walker(func(w class.Walker[H]) class.Walker[H] { return limitless[H]{w} }),
		"a refusal at the limit":      walker(func(w class.Walker[H]) class.Walker[H] { return lowRefusal[H]{w} }),
		"exact when it is not":        walker(func(w class.Walker[H]) class.Walker[H] { return alwaysExact[H]{w} }),
		"a ceiling too low":           tree(func(t class.Tree[H]) class.Tree[H] { return lowCeiling[H]{t} }),
		"an incumbent flattered":      tree(func(t class.Tree[H]) class.Tree[H] { return cheapIncumbent[H]{t} }),
		"a checker too high":          checker(func(k class.Checker) class.Checker { return highChecker{k} }),
		"a checker too low":           checker(func(k class.Checker) class.Checker { return lowChecker{k} }),
		"points forgotten":            {forgetful: true},
		"a checker out of order":      checker(func(k class.Checker) class.Checker { return cyclicChecker{k} }),
	}
	return func(yield func(string, Case[X, H]) bool) {
		for name, b := range all {
			b.Enumerable = c.Class
			if !yield(name, Case[X, H]{Class: b, Domain: c.Domain}) {
				return
			}
		}
	}
}

// A broken class is a correct class whose trees, walkers or checkers are modified by the functions
// below. A nil function modifies nothing.
type broken[X, H any] struct {
	class.Enumerable[X, H]
	walker  func(class.Walker[H]) class.Walker[H]
	checker func(class.Checker) class.Checker
	tree    func(class.Tree[H]) class.Tree[H]
	// forgetful means that the tree ignores the first two points.
	forgetful bool
}

func (b broken[X, H]) Separator() int      { return class.SeparatorBits(b.Enumerable) }
func (b broken[X, H]) Separate(h H) []bool { return class.Separate(b.Enumerable, h) }

func (b broken[X, H]) Tree(p class.Problem[X]) (class.Tree[H], error) {
	if b.forgetful {
		p.Points = p.Points[2:]
	}
	t, err := b.Enumerable.Tree(p)
	if err == nil && b.tree != nil {
		t = b.tree(t)
	}
	if err == nil && b.walker != nil {
		t = brokenTree[H]{t, b.walker}
	}
	return t, err
}

func (b broken[X, H]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	k, err := b.Enumerable.Checker(p, plan)
	if err == nil && b.checker != nil {
		k = b.checker(k)
	}
	return k, err
}

type brokenTree[H any] struct {
	class.Tree[H]
	change func(class.Walker[H]) class.Walker[H]
}

func (t brokenTree[H]) Walker() class.Walker[H] { return t.change(t.Tree.Walker()) }

// A highBound walker returns a bound that is 1 too high at every node with few hypotheses: at most
// the number in the field leaves.
type highBound[H any] struct {
	class.Walker[H]
	leaves int64
}

func (w highBound[H]) raised() int64 {
	if w.Leaves().Cmp(big.NewInt(w.leaves)) <= 0 {
		return 1
	}
	return 0
}
func (w highBound[H]) Bound() int64 { return w.Walker.Bound() + w.raised() }
func (w highBound[H]) Down(i int, limit int64) (int64, bool) {
	bound, entered := w.Walker.Down(i, limit)
	if entered {
		bound += w.raised()
	}
	return bound, entered
}

// A shortOfOne walker omits the last child of each node with at least two children, so some
// hypotheses are missing.
type shortOfOne[H any] struct{ class.Walker[H] }

func (w shortOfOne[H]) Children() int {
	n := w.Walker.Children()
	if n > 1 {
		n--
	}
	return n
}

// A miscounted walker counts one hypothesis too many below every child except the first.
type miscounted[H any] struct{ class.Walker[H] }

func (w miscounted[H]) ChildLeaves(i int) *big.Int {
	return new(big.Int).Add(w.Walker.ChildLeaves(i), big.NewInt(int64(min(i, 1))))
}

// A lowShare walker returns a Share that is slightly less than the child's fraction of the
// hypotheses, so it is not an upper bound.
type lowShare[H any] struct{ class.Walker[H] }

func (w lowShare[H]) Share(i int) class.Upper {
	share := w.Walker.Share(i)
	share.Head -= 4
	return share
}

// A highShare walker returns a Share that is an upper bound on the child's fraction of the
// hypotheses, but less accurate than required.
type highShare[H any] struct{ class.Walker[H] }

func (w highShare[H]) Share(i int) class.Upper {
	return w.Walker.Share(i).Times(class.Upper{Head: 1<<63 + 1<<10, Exponent: -63})
}

// A limitless walker ignores the cost limit of Down, and enters every child.
type limitless[H any] struct{ class.Walker[H] }

func (w limitless[H]) Down(i int, limit int64) (int64, bool) { return w.Walker.Down(i, 1<<62) }

// A lowRefusal walker returns the cost limit itself when Down does not enter a child. The number
// that Down returns must then be greater than the limit.
type lowRefusal[H any] struct{ class.Walker[H] }

func (w lowRefusal[H]) Down(i int, limit int64) (int64, bool) {
	bound, entered := w.Walker.Down(i, limit)
	if !entered {
		bound = limit
	}
	return bound, entered
}

// An alwaysExact walker claims that every inner node is Exact: that all hypotheses below it have
// the same cost.
type alwaysExact[H any] struct{ class.Walker[H] }

func (w alwaysExact[H]) Exact() bool { return true }

// A lowCeiling tree returns a Ceiling that is less than every cost, so it is not an upper bound.
type lowCeiling[H any] struct{ class.Tree[H] }

func (t lowCeiling[H]) Ceiling() int64 { return -1 }

// A cheapIncumbent tree returns a cost that is 1 too low for its incumbent.
type cheapIncumbent[H any] struct{ class.Tree[H] }

func (t cheapIncumbent[H]) Incumbent() (H, int64) {
	h, cost := t.Tree.Incumbent()
	return h, cost - 1
}

// A highChecker returns bounds that are 1 too high, and a lowChecker returns bounds that are 1 too
// low.
type (
	highChecker struct{ class.Checker }
	lowChecker  struct{ class.Checker }
)

func (k highChecker) Bound() int64 { return k.Checker.Bound() + 1 }
func (k lowChecker) Bound() int64  { return k.Checker.Bound() - 1 }

// A shortChecker omits the last child of each node with at least two children, as shortOfOne does.
type shortChecker struct{ class.Checker }

func (k shortChecker) Children() int {
	n := k.Checker.Children()
	if n > 1 {
		n--
	}
	return n
}

// A cyclicChecker has the correct children in a rotated order.
type cyclicChecker struct{ class.Checker }

func (k cyclicChecker) Down(i int) { k.Checker.Down((i + 1) % k.Checker.Children()) }
