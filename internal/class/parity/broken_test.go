package parity_test

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/parity/paritytest"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

// A broken class has modified parts.
type broken struct {
	enumerable
	problem  func(problem) problem // changes the problem for which the tree is built
	tree     func(tree) tree
	walker   func(walker) walker
	separate func([]bool) []bool
}

func (b broken) Separator() int { return class.SeparatorBits(b.enumerable) }

func (b broken) Tree(p problem) (tree, error) {
	if b.problem != nil {
		p = b.problem(p)
	}
	t, err := b.enumerable.Tree(p)
	if err == nil && b.tree != nil {
		t = b.tree(t)
	}
	if err == nil && b.walker != nil {
		t = brokenTree{t, b.walker}
	}
	return t, err
}

func (b broken) Separate(h parity.Parity) []bool {
	if b.separate == nil {
		return class.Separate(b.enumerable, h)
	}
	return b.separate(class.Separate(b.enumerable, h))
}

type brokenTree struct {
	tree
	change func(walker) walker
}

func (t brokenTree) Walker() walker { return t.change(t.tree.Walker()) }

// high raises the bound of nodes with a given number of leaves.
type high struct {
	walker
	leaves int64
}

func (w high) raised(bound int64) int64 {
	if w.Leaves().Cmp(big.NewInt(w.leaves)) == 0 {
		bound++
	}
	return bound
}

func (w high) Bound() int64 { return w.raised(w.walker.Bound()) }

func (w high) Down(i int, limit int64) (int64, bool) {
	bound, entered := w.walker.Down(i, limit)
	if entered {
		bound = w.raised(bound)
	}
	return bound, entered
}

// limitless counts sets of bits without the limit on the number of bits.
type limitless struct{ walker }

func (w limitless) ChildLeaves(int) *big.Int { return w.walker.ChildLeaves(0) }

// even returns equal shares for both children.
type even struct{ walker }

func (even) Share(int) class.Upper { return class.One.Scaled(-1) }

// mirrored exchanges the two children.
type mirrored struct{ walker }

func (w mirrored) Down(i int, limit int64) (int64, bool) { return w.walker.Down(1-i, limit) }

// negated omits the constant of its leaves.
type negated struct{ walker }

func (w negated) Hypothesis() parity.Parity {
	h := w.walker.Hypothesis()
	h.Constant = false
	return h
}

// planless returns the bits in numerical order as the plan.
type planless struct{ tree }

func (t planless) Plan() []int { return []int{0, 1, 2, 3, 4} }

// The test suite also detects defects that are specific to trees of parities.
func TestTreeSuiteFails(t *testing.T) {
	good := paritytest.Fixed()["at most two, affine"]
	p := problem{Terms: make([]int64, class.SeparatorBits(good.Class))}
	for i, x := range good.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	for i := range p.Terms {
		p.Terms[i] = int64(i*i%5) - 1
	}
	for name, b := range map[string]broken{
		"a bound too high above a pair":  {walker: func(w walker) walker { return high{w, 2} }},
		"counts without regard to most":  {walker: func(w walker) walker { return limitless{w} }},
		"shares without regard to most":  {walker: func(w walker) walker { return even{w} }},
		"a bit for its complement":       {walker: func(w walker) walker { return mirrored{w} }},
		"a constant forgotten":           {walker: func(w walker) walker { return negated{w} }},
		"another plan":                   {tree: func(t tree) tree { return planless{t} }},
		"a separator that is short":      {separate: func(set []bool) []bool { return set[1:] }},
		"a separator that does not tell": {separate: func(set []bool) []bool { set[0] = false; return set }},
		"terms forgotten":                {problem: func(p problem) problem { p.Terms = nil; return p }},
		"a penalty counted twice":        {problem: func(p problem) problem { p.Unit = 2; return p }},
	} {
		t.Run(name, func(t *testing.T) {
			b.enumerable = good.Class
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
				classtest.Tree(r, paritytest.Case{Class: b, Domain: good.Domain}, p, classtest.FromSeed(1))
			}))
		})
	}
}

func TestWalkerAllocatesNothing(t *testing.T) {
	tree, err := bits(t, 20, parity.Options{Affine: true}).Tree(noisy(20, 300, 0.5, 1))
	if err != nil {
		t.Fatal(err)
	}
	w := tree.Walker()
	if n := testing.AllocsPerRun(20, func() {
		for depth := 0; w.Children() > 0; depth++ {
			w.Leaves()
			w.ChildLeaves(1)
			w.Share(depth % 2)
			w.Down(depth%2, 1<<62)
		}
		for range 21 {
			w.Up()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
