package parity_test

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/parity"
	"github.com/sibyl-dp/sibyl/class/parity/paritytest"
	"github.com/sibyl-dp/sibyl/internal/mustfail"
)

// A broken class is a good one, parts of which went through a change.
type broken struct {
	enumerable
	problem  func(problem) problem // that the tree is made of
	tree     func(tree) tree
	walker   func(walker) walker
	checker  func(class.Checker) class.Checker
	separate func([]bool) []bool
}

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

func (b broken) Checker(p problem, plan []int) (class.Checker, error) {
	k, err := b.enumerable.Checker(p, plan)
	if err == nil && b.checker != nil {
		k = b.checker(k)
	}
	return k, err
}

func (b broken) Separate(h parity.Parity) []bool {
	if b.separate == nil {
		return b.enumerable.Separate(h)
	}
	return b.separate(b.enumerable.Separate(h))
}

type brokenTree struct {
	tree
	change func(walker) walker
}

func (t brokenTree) Walker() walker { return t.change(t.tree.Walker()) }

// high raises the bound of nodes with the given number of leaves.
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

// limitless counts sets without regard to how many bits they may have.
type limitless struct{ walker }

func (w limitless) ChildLeaves(int) *big.Int { return w.walker.ChildLeaves(0) }

// even gives both children the same share.
type even struct{ walker }

func (even) Share(int) class.Upper { return class.One.Scaled(-1) }

// mirrored takes a bit for its complement.
type mirrored struct{ walker }

func (w mirrored) Down(i int, limit int64) (int64, bool) { return w.walker.Down(1-i, limit) }

// negated forgets the constant of its leaves.
type negated struct{ walker }

func (w negated) Hypothesis() parity.Parity {
	h := w.walker.Hypothesis()
	h.Constant = false
	return h
}

// boastful claims that inner nodes are exact.
type boastful struct{ walker }

func (boastful) Exact() bool { return true }

// deaf ignores the limit.
type deaf struct{ walker }

func (w deaf) Down(i int, _ int64) (int64, bool) { return w.walker.Down(i, 1<<62) }

// sloppy returns the limit itself for a child that it does not enter.
type sloppy struct{ walker }

func (w sloppy) Down(i int, limit int64) (int64, bool) {
	bound, entered := w.walker.Down(i, limit)
	if !entered {
		bound = limit
	}
	return bound, entered
}

// low misses its worst parity.
type low struct{ tree }

func (t low) Ceiling() int64 { return t.tree.Ceiling() - 1<<20 }

// flattered makes little of what its incumbent costs.
type flattered struct{ tree }

func (t flattered) Incumbent() (parity.Parity, int64) {
	h, cost := t.tree.Incumbent()
	return h, cost - 1
}

// planless returns the bits in the order of their numbers.
type planless struct{ tree }

func (t planless) Plan() []int { return []int{0, 1, 2, 3, 4} }

// weak is a checker whose bounds are one too low, and tall one too high.
type weak struct{ class.Checker }

func (k weak) Bound() int64 { return k.Checker.Bound() - 1 }

type tall struct{ class.Checker }

func (k tall) Bound() int64 { return k.Checker.Bound() + 1 }

func TestTreeSuiteFails(t *testing.T) {
	good := paritytest.Fixed()["at most two, affine"]
	p := problem{Terms: make([]int64, good.Class.Separator())}
	for i, x := range good.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	for i := range p.Terms {
		p.Terms[i] = int64(i*i%5) - 1
	}
	for name, b := range map[string]broken{
		"a bound too high at leaves":     {walker: func(w walker) walker { return high{w, 1} }},
		"a bound too high above a pair":  {walker: func(w walker) walker { return high{w, 2} }},
		"counts without regard to most":  {walker: func(w walker) walker { return limitless{w} }},
		"shares without regard to most":  {walker: func(w walker) walker { return even{w} }},
		"a bit for its complement":       {walker: func(w walker) walker { return mirrored{w} }},
		"a constant forgotten":           {walker: func(w walker) walker { return negated{w} }},
		"exact where it is not":          {walker: func(w walker) walker { return boastful{w} }},
		"a limit ignored":                {walker: func(w walker) walker { return deaf{w} }},
		"a refusal at the limit":         {walker: func(w walker) walker { return sloppy{w} }},
		"a ceiling too low":              {tree: func(t tree) tree { return low{t} }},
		"an incumbent flattered":         {tree: func(t tree) tree { return flattered{t} }},
		"another plan":                   {tree: func(t tree) tree { return planless{t} }},
		"a checker too low":              {checker: func(k class.Checker) class.Checker { return weak{k} }},
		"a checker too high":             {checker: func(k class.Checker) class.Checker { return tall{k} }},
		"a separator that is short":      {separate: func(set []bool) []bool { return set[1:] }},
		"a separator that does not tell": {separate: func(set []bool) []bool { set[0] = false; return set }},
		"terms forgotten":                {problem: func(p problem) problem { p.Terms = nil; return p }},
		"a penalty counted twice":        {problem: func(p problem) problem { p.Unit = 2; return p }},
		"records forgotten":              {problem: func(p problem) problem { p.Points = p.Points[2:]; return p }},
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
