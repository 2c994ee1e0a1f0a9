package union_test

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

// A broken union has one defect.
type broken struct {
	enumerable
	separate func(h choice) []bool
	tree     func(p problem) (class.Tree[choice], error)
	checker  func(p problem, plan []int) (class.Checker, error)
}

func (b broken) Separator() int { return class.SeparatorBits(b.enumerable) }

func (b broken) Separate(h choice) []bool {
	if b.separate != nil {
		return b.separate(h)
	}
	return class.Separate(b.enumerable, h)
}

func (b broken) Distance() int { return class.Distance(b.enumerable) }

func (b broken) Tree(p problem) (class.Tree[choice], error) {
	if b.tree != nil {
		return b.tree(p)
	}
	return b.enumerable.Tree(p)
}

func (b broken) Checker(p problem, plan []int) (class.Checker, error) {
	if b.checker != nil {
		return b.checker(p, plan)
	}
	return b.enumerable.Checker(p, plan)
}

// A brokenTree has modified walkers.
type brokenTree struct {
	class.Tree[choice]
	change func(class.Walker[choice]) class.Walker[choice]
}

func (t brokenTree) Walker() class.Walker[choice] { return t.change(t.Tree.Walker()) }

// falling returns a bound that is 1 too low at the roots of members, so that it can be below the
// bound of the parent.
type falling struct {
	class.Walker[choice]
	depth *int
}

func (w falling) Bound() int64 {
	if bound := w.Walker.Bound(); *w.depth != 1 {
		return bound
	}
	return w.Walker.Bound() - 1
}

func (w falling) Down(i int, limit int64) (int64, bool) {
	_, entered := w.Walker.Down(i, limit)
	if entered {
		*w.depth++
	}
	return w.Bound(), entered
}

func (w falling) Up() { w.Walker.Up(); *w.depth-- }

// even returns the size of the first member for all members.
type even struct{ class.Walker[choice] }

func (w even) ChildLeaves(int) *big.Int { return w.Walker.ChildLeaves(0) }

// confused returns member 0 for every hypothesis.
type confused struct{ class.Walker[choice] }

func (w confused) Hypothesis() choice { return choice{0, w.Walker.Hypothesis().Hypothesis} }

// loose enters a child whose bound exceeds the limit by one.
type loose struct{ class.Walker[choice] }

func (w loose) Down(i int, limit int64) (int64, bool) {
	return w.Walker.Down(i, max(limit, limit+1))
}

// A firstChecker returns the bound of its first child.
type firstChecker struct{ class.Checker }

func (k firstChecker) Bound() int64 {
	if k.Children() == 0 {
		return k.Checker.Bound()
	}
	k.Down(0)
	defer k.Up()
	return k.Bound()
}

func TestSuitesFail(t *testing.T) {
	good := fixed(t)["three, unlike in size"]
	codes := fixed(t)["codes"]
	c := good.Class
	var p problem
	for i, x := range good.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	walked := func(change func(class.Walker[choice]) class.Walker[choice]) broken {
		return broken{enumerable: c, tree: func(p problem) (class.Tree[choice], error) {
			tree, err := c.Tree(p)
			return brokenTree{tree, change}, err
		}}
	}
	for name, b := range map[string]broken{
		"no selector": {enumerable: c, separate: func(h choice) []bool {
			set := class.Separate(c, h)
			set[0], set[1] = false, false
			return set
		}},
		"another unit in the tree": {enumerable: c, tree: func(p problem) (class.Tree[choice], error) {
			p.Unit = 3
			return c.Tree(p)
		}},
		"selector terms ignored": {enumerable: c, tree: func(p problem) (class.Tree[choice], error) {
			p.Terms = append([]int64{0, 0}, p.Terms[2:]...)
			return c.Tree(p)
		}},
		"a bound that falls":  walked(func(w class.Walker[choice]) class.Walker[choice] { return falling{w, new(int)} }),
		"members of one size": walked(func(w class.Walker[choice]) class.Walker[choice] { return even{w} }),
		"members confused":    walked(func(w class.Walker[choice]) class.Walker[choice] { return confused{w} }),
		"limits off by one":   walked(func(w class.Walker[choice]) class.Walker[choice] { return loose{w} }),
		"a checker of one child only": {enumerable: c, checker: func(p problem, plan []int) (class.Checker, error) {
			k, err := c.Checker(p, plan)
			return firstChecker{k}, err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := p
			p.Terms = make([]int64, class.SeparatorBits(c))
			p.Terms[0], p.Terms[1] = 2, -3
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
				classtest.Tree(r, testCase{Class: b, Domain: good.Domain}, p, classtest.FromSeed(1))
			}))
		})
	}
	t.Run("a selector that is not repeated", func(t *testing.T) {
		b := broken{enumerable: codes.Class, separate: func(h choice) []bool {
			set := class.Separate(codes.Class, h)
			set[1] = false
			return set
		}}
		t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
			classtest.Distance(r, testCase{Class: b, Domain: codes.Domain})
		}))
	})
}
