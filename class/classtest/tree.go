package classtest

import (
	"errors"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// Tree compares the search tree and the checker of the class of c, for the problem p, with the
// enumeration of the class, and reports differences to t. It visits the whole tree, which is
// practical for up to some thousand hypotheses. Then it makes a random walk in the tree, for which
// draw returns random numbers.
func Tree[X, H any](t T, c Case[X, H], p class.Problem[X], draw Draw) {
	t.Helper()
	enumerate(t, c).tree(t, c, p, draw)
}

// Weird runs the tests of Tree on every problem of Case.Weird. It enumerates the class only once.
func Weird[X, H any](t T, c Case[X, H]) {
	t.Helper()
	l := enumerate(t, c)
	for name, p := range c.Weird() {
		l.tree(named{t, name}, c, p, FromSeed(1))
	}
}

// A named is a T that adds the name of the problem to failure messages.
type named struct {
	T
	problem string
}

func (n named) Fatalf(format string, args ...any) {
	n.T.Helper()
	n.T.Fatalf("problem %q: "+format, append([]any{n.problem}, args...)...)
}

// tree runs the tests of Tree on a class whose hypotheses are already listed.
func (l listing[X, H]) tree(t T, c Case[X, H], p class.Problem[X], draw Draw) {
	t.Helper()
	tree, err := c.Class.Tree(p)
	if _, ok := p.Range(); !ok {
		if !errors.Is(err, class.ErrRange) {
			t.Fatalf("%v: the tree of costs beyond 62 bits: error %v", c.Class, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v: no tree: %v", c.Class, err)
	}
	k, err := c.Class.Checker(p, tree.Plan())
	if err != nil {
		t.Fatalf("%v: the checker refuses the tree's own plan %v: %v", c.Class, tree.Plan(), err)
	}
	v := &visitor[X, H]{t: t, tree: tree, w: tree.Walker(), k: k, listing: l, costs: l.costs(p), seen: make([]bool, len(l.hypotheses)), draw: draw}
	all := v.visit(math.MinInt64)
	if all.leaves != int64(len(l.hypotheses)) {
		v.failf("the tree has %d leaves, the class %d hypotheses", all.leaves, len(l.hypotheses))
	}
	if tree.Ceiling() < all.most {
		v.failf("ceiling %d, but a hypothesis costs %d", tree.Ceiling(), all.most)
	}
	h, cost := tree.Incumbent()
	if i, known := l.find(h); !known || !c.Class.Contains(h) || v.costs[i] != cost {
		v.failf("incumbent %v, said to cost %d", h, cost)
	}
	v.walk()
}

// A visitor walks through a search tree and its checker in parallel and compares both with the
// listed hypotheses.
type visitor[X, H any] struct {
	t       T
	tree    class.Tree[H]
	w       class.Walker[H]
	k       class.Checker
	listing listing[X, H]
	costs   []int64 // the cost of each hypothesis, by its index
	seen    []bool  // whether each hypothesis was visited, by its index
	order   []int   // indices of the visited hypotheses, in the order of the visits
	path    []int
	draw    Draw

	exact, over big.Int // scratch memory of share
}

// A below describes the hypotheses below a node: their number, and their least and greatest cost.
type below struct{ leaves, least, most int64 }

// failf reports a failure with the path of the node. The methods that call it do not call T.Helper,
// which would take a fifth of the time of the test.
func (v *visitor[X, H]) failf(format string, args ...any) {
	v.t.Helper()
	v.t.Fatalf("%v, plan %v, at node %v: "+format, append([]any{v.listing.class, v.tree.Plan(), v.path}, args...)...)
}

// visit checks the walker's node and all nodes below it. The parameter parent is the bound of the
// node's parent. It returns the number and the costs of the hypotheses that it found.
func (v *visitor[X, H]) visit(parent int64) below {
	w := v.w
	bound, leaves := w.Bound(), new(big.Int).Set(w.Leaves())
	if bound < parent {
		v.failf("bound %d below the parent's %d", bound, parent)
	}
	if w.Children() != v.k.Children() {
		v.failf("%d children, by the checker %d", w.Children(), v.k.Children())
	}
	checked, first := v.checked(bound), len(v.order)
	var b below
	if w.Children() == 0 {
		b = v.leaf()
	} else {
		b = v.inner(leaves)
	}
	v.weigh(v.order[first:])
	if !leaves.IsInt64() || leaves.Int64() != b.leaves {
		v.failf("Leaves says %v, there are %d", leaves, b.leaves)
	}
	if w.Bound() != bound || w.Leaves().Cmp(leaves) != 0 {
		v.failf("on return bound %d and leaves %v have become %d and %v", bound, leaves, w.Bound(), w.Leaves())
	}
	if bound > b.least {
		v.failf("bound %d, but a hypothesis below costs %d", bound, b.least)
	}
	if checked > b.least {
		v.failf("the checker's bound %d, but a hypothesis below costs %d", checked, b.least)
	}
	if checked < bound {
		v.failf("bound %d, the checker's only %d", bound, checked)
	}
	if v.k.Bound() != checked {
		v.failf("on return the checker's bound %d has become %d", checked, v.k.Bound())
	}
	if w.Exact() && (bound != b.least || bound != b.most) {
		v.failf("exact bound %d, but costs below are %d to %d", bound, b.least, b.most)
	}
	return b
}

// checked returns the checker's bound for the node. The parameter bound is the walker's bound. If
// the checker is a QuickChecker, checked also tests its method Reaches, with costs that are up to 2
// above the walker's bound.
func (v *visitor[X, H]) checked(bound int64) int64 {
	costs := [2]int64{bound + int64(v.draw(0, 2)), bound}
	quick, ok := v.k.(class.QuickChecker)
	if !ok {
		return v.k.Bound()
	}
	var reached [2]bool
	for i, cost := range costs {
		reached[i] = quick.Reaches(cost)
	}
	checked := v.k.Bound()
	for i, yes := range reached {
		cost := costs[i]
		if yes != (checked >= cost) || yes != quick.Reaches(cost) {
			v.failf("the checker's bound is %d; that it reaches %d is said to be %v, and then %v", checked, cost, yes, quick.Reaches(cost))
		}
	}
	return checked
}

// leaf checks a node without children and describes its hypothesis.
func (v *visitor[X, H]) leaf() below {
	h := v.w.Hypothesis()
	i, known := v.listing.find(h)
	if !known || !v.listing.class.Contains(h) {
		v.failf("leaf %v is not of the class", h)
	}
	if v.seen[i] {
		v.failf("leaf %v is there twice", h)
	}
	v.seen[i] = true
	v.order = append(v.order, i)
	if !v.w.Exact() {
		v.failf("leaf %v is not exact", h)
	}
	return below{1, v.costs[i], v.costs[i]}
}

// inner checks the children of a node, and describes the hypotheses below it.
func (v *visitor[X, H]) inner(leaves *big.Int) below {
	w, n := v.w, v.w.Children()
	all := below{0, math.MaxInt64, math.MinInt64}
	for i := range n {
		part := new(big.Int).Set(w.ChildLeaves(i))
		v.share(w.Share(i), part, leaves)
		at := w.Bound()
		bound, entered := w.Down(i, math.MaxInt64)
		if !entered || w.Bound() != bound {
			v.failf("Down(%d) without a limit: entered %v, bound %d, then %d", i, entered, bound, w.Bound())
		}
		v.k.Down(i)
		v.path = append(v.path, i)
		b := v.visit(at)
		v.path = v.path[:len(v.path)-1]
		v.k.Up()
		w.Up()
		if part.Int64() != b.leaves {
			v.failf("ChildLeaves(%d) says %v, there are %d", i, part, b.leaves)
		}
		for _, limit := range []int64{bound - 1, bound - int64(v.draw(1, 8))} {
			lazy, entered := w.Down(i, limit)
			if entered || lazy <= limit || lazy > b.least {
				v.failf("Down(%d, %d) returns %d, %v, where the bound is %d and the least cost %d", i, limit, lazy, entered, bound, b.least)
			}
			if w.Bound() != at || w.Children() != n || w.Leaves().Cmp(leaves) != 0 {
				v.failf("a Down(%d, %d) that did not enter has changed the walker", i, limit)
			}
		}
		if got, entered := w.Down(i, bound); !entered || got != bound {
			v.failf("Down(%d, %d) returns %d, %v, where that is the bound", i, bound, got, entered)
		}
		w.Up()
		all = below{all.leaves + b.leaves, min(all.least, b.least), max(all.most, b.most)}
	}
	return all
}

// share tests the Share of a child: it must be an upper bound on the fraction part/whole, with the
// accuracy that Walker.Share requires.
func (v *visitor[X, H]) share(share class.Upper, part, whole *big.Int) {
	exact := v.exact.Lsh(part, 128)
	over := v.over.SetUint64(share.Head)
	over.Mul(over, whole)
	over.Lsh(over, uint(128+share.Exponent)) // the exponent is at least -128, because counts in tests are small
	over.Sub(over, exact)
	if over.Sign() < 0 || over.Lsh(over, 60).Cmp(exact) > 0 {
		v.failf("share %v for %v of %v", share, part, whole)
	}
}

// walk makes a random walk up and down the tree. At every node it compares the walker with a new
// walker that took the same path.
func (v *visitor[X, H]) walk() {
	for range 40 {
		n := v.w.Children()
		switch {
		case len(v.path) > 0 && (n == 0 || v.draw(0, 3) == 0):
			for range v.draw(1, len(v.path)) {
				v.w.Up()
				v.path = v.path[:len(v.path)-1]
			}
		case n > 0:
			i := v.draw(0, n-1)
			limit := int64(math.MaxInt64)
			if v.draw(0, 2) == 0 {
				limit = v.w.Bound() + int64(v.draw(0, 3))
			}
			if _, entered := v.w.Down(i, limit); entered {
				v.path = append(v.path, i)
			}
		}
		fresh := v.tree.Walker()
		for _, i := range v.path {
			fresh.Down(i, math.MaxInt64)
		}
		if fresh.Bound() != v.w.Bound() || fresh.Children() != v.w.Children() || fresh.Exact() != v.w.Exact() || fresh.Leaves().Cmp(v.w.Leaves()) != 0 {
			v.failf("bound %d, %d children, exact %v, %v leaves; a fresh walker has %d, %d, %v, %v",
				v.w.Bound(), v.w.Children(), v.w.Exact(), v.w.Leaves(), fresh.Bound(), fresh.Children(), fresh.Exact(), fresh.Leaves())
		}
		for i := range fresh.Children() {
			if fresh.Share(i) != v.w.Share(i) {
				v.failf("share %v of child %d; a fresh walker has %v", v.w.Share(i), i, fresh.Share(i))
			}
			limit := fresh.Bound() - int64(v.draw(0, 3))
			a, in := v.w.Down(i, limit)
			if in {
				v.w.Up()
			}
			b, inFresh := fresh.Down(i, limit)
			if inFresh {
				fresh.Up()
			}
			if a != b || in != inFresh {
				v.failf("Down(%d, %d) returns %d, %v; a fresh walker %d, %v", i, limit, a, in, b, inFresh)
			}
		}
		if fresh.Children() == 0 && v.listing.key(fresh.Hypothesis()) != v.listing.key(v.w.Hypothesis()) {
			v.failf("hypothesis %v; a fresh walker has %v", v.w.Hypothesis(), fresh.Hypothesis())
		}
	}
}
