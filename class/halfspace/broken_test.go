package halfspace_test

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/halfspace"
	"github.com/sibyl-dp/sibyl/class/halfspace/halfspacetest"
	"github.com/sibyl-dp/sibyl/internal/mustfail"
)

type (
	record  = []int64
	problem = class.Problem[record]
	walker  = class.Walker[halfspace.Halfspace]
	tree    = class.Tree[halfspace.Halfspace]
)

// A broken class is a good one whose walkers or checkers went through a change.
type broken struct {
	class.Enumerable[record, halfspace.Halfspace]
	walker  func(walker) walker
	checker func(class.Checker) class.Checker
	tree    func(tree) tree
}

func (b broken) Tree(p problem) (tree, error) {
	t, err := b.Enumerable.Tree(p)
	if err == nil && b.tree != nil {
		t = b.tree(t)
	}
	if err == nil && b.walker != nil {
		t = brokenTree{t, b.walker}
	}
	return t, err
}

func (b broken) Checker(p problem, plan []int) (class.Checker, error) {
	k, err := b.Enumerable.Checker(p, plan)
	if err == nil && b.checker != nil {
		k = b.checker(k)
	}
	return k, err
}

type brokenTree struct {
	tree
	change func(walker) walker
}

func (t brokenTree) Walker() walker { return t.change(t.tree.Walker()) }

// highBound is one too high at every node with the given number of leaves.
type highBound struct {
	walker
	leaves int64
}

func (w highBound) raised() int64 {
	if w.Leaves().Cmp(big.NewInt(w.leaves)) <= 0 {
		return 1
	}
	return 0
}
func (w highBound) Bound() int64 { return w.walker.Bound() + w.raised() }
func (w highBound) Down(i int, limit int64) (int64, bool) {
	bound, entered := w.walker.Down(i, limit)
	if entered {
		bound += w.raised()
	}
	return bound, entered
}

// shortOfOne drops the last of three children or more.
type shortOfOne struct{ walker }

func (w shortOfOne) Children() int {
	n := w.walker.Children()
	if n > 2 {
		n--
	}
	return n
}

// twice counts the leaves of the first child for the second.
type twice struct{ walker }

func (w twice) ChildLeaves(i int) *big.Int { return w.walker.ChildLeaves(max(i-1, 0)) }

// thrifty gives a share that is a little too small.
type thrifty struct{ walker }

func (w thrifty) Share(i int) uint64 { return w.walker.Share(i) - 2 }

// generous gives a share that is far too large.
type generous struct{ walker }

func (w generous) Share(i int) uint64 { return w.walker.Share(i) + 1<<40 }

// deaf ignores the limit.
type deaf struct{ walker }

func (w deaf) Down(i int, limit int64) (int64, bool) { return w.walker.Down(i, 1<<62) }

// boastful claims that inner nodes are exact.
type boastful struct{ walker }

func (w boastful) Exact() bool { return true }

// A lowCeiling tree misses its worst hypothesis.
type lowCeiling struct{ tree }

func (t lowCeiling) Ceiling() int64 { return -1 }

// A cheapIncumbent tree flatters its incumbent.
type cheapIncumbent struct{ tree }

func (t cheapIncumbent) Incumbent() (halfspace.Halfspace, int64) {
	h, cost := t.tree.Incumbent()
	return h, cost - 1
}

// A highChecker's bound is one too high, a lowChecker's one too low.
type (
	highChecker struct{ class.Checker }
	lowChecker  struct{ class.Checker }
)

func (k highChecker) Bound() int64 { return k.Checker.Bound() + 1 }
func (k lowChecker) Bound() int64  { return k.Checker.Bound() - 1 }

// A shortChecker drops the same child as shortOfOne.
type shortChecker struct{ class.Checker }

func (k shortChecker) Children() int {
	n := k.Checker.Children()
	if n > 2 {
		n--
	}
	return n
}

// A cyclicChecker has the right children in another order.
type cyclicChecker struct{ class.Checker }

func (k cyclicChecker) Down(i int) { k.Checker.Down((i + 1) % k.Checker.Children()) }

func TestTreeSuiteFails(t *testing.T) {
	good := halfspacetest.Fixed()["norm and penalty"]
	var p problem
	for i, x := range good.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	for name, b := range map[string]broken{
		"a bound too high at leaves":  {walker: func(w walker) walker { return highBound{w, 1} }},
		"a bound too high everywhere": {walker: func(w walker) walker { return highBound{w, 1 << 40} }},
		"a child dropped":             {walker: func(w walker) walker { return shortOfOne{w} }},
		"a child dropped by both": {
			walker:  func(w walker) walker { return shortOfOne{w} },
			checker: func(k class.Checker) class.Checker { return shortChecker{k} },
		},
		"wrong counts":           {walker: func(w walker) walker { return twice{w} }},
		"a share too small":      {walker: func(w walker) walker { return thrifty{w} }},
		"a share too large":      {walker: func(w walker) walker { return generous{w} }},
		"a limit ignored":        {walker: func(w walker) walker { return deaf{w} }},
		"exact when it is not":   {walker: func(w walker) walker { return boastful{w} }},
		"a ceiling too low":      {tree: func(t tree) tree { return lowCeiling{t} }},
		"an incumbent flattered": {tree: func(t tree) tree { return cheapIncumbent{t} }},
		"a checker too high":     {checker: func(k class.Checker) class.Checker { return highChecker{k} }},
		"a checker too low":      {checker: func(k class.Checker) class.Checker { return lowChecker{k} }},
		"a checker out of order": {checker: func(k class.Checker) class.Checker { return cyclicChecker{k} }},
	} {
		t.Run(name, func(t *testing.T) {
			b.Enumerable = good.Class
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
				classtest.Tree(r, halfspacetest.Case{Class: b, Domain: good.Domain}, p, classtest.FromSeed(1))
			}))
		})
	}
}
