package tabulated_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
	"github.com/sibyl-dp/sibyl/search"
)

type (
	tabular    = class.Tabular[int, int]
	enumerable = class.Enumerable[int, int]
	problem    = class.Problem[int]
)

// multiples is the class of the hypotheses h = 0..size-1 that predict whether the number x is a
// multiple of h+1. Its separator bits are the binary digits of h.
type multiples struct {
	size    int
	penalty int64
}

func (c multiples) String() string            { return fmt.Sprintf("multiples of 1..%d", c.size) }
func (c multiples) Size() *big.Int            { return big.NewInt(int64(c.size)) }
func (c multiples) Contains(h int) bool       { return 0 <= h && h < c.size }
func (c multiples) Predict(h int, x int) bool { return x%(h+1) == 0 }
func (c multiples) Penalty(h int) int64       { return int64(h%2) * c.penalty }
func (c multiples) Separator() int            { return big.NewInt(int64(c.size) - 1).BitLen() }
func (c multiples) Layout(int64) class.Layout { return class.Layout{} }
func (c multiples) At(i int) int              { return i }
func (c multiples) Separate(h int) (set []bool) {
	for i := range c.Separator() {
		set = append(set, h>>i&1 == 1)
	}
	return set
}

func (c multiples) Tree(problem) (class.Tree[int], error) { panic("not its own tree") }
func (c multiples) Checker(problem, []int) (class.Checker, error) {
	panic("not its own checker")
}

func (c multiples) Tabulate(p problem) ([]int64, error) {
	if _, ok := p.Range(); !ok {
		return nil, class.ErrRange
	}
	costs := make([]int64, c.size)
	for h := range costs {
		costs[h] = class.Cost(c, p, h)
	}
	return costs, nil
}

func made(c tabular) classtest.Case[int, int] {
	t, err := tabulated.New(c)
	if err != nil {
		panic(err)
	}
	return classtest.Case[int, int]{Class: t, Domain: []int{0, 1, 2, 3, 4, 6, 8, 12, 30, 60, 64, 210}}
}

// fixed returns cases whose sizes are powers of two and their neighbours.
func fixed() map[string]classtest.Case[int, int] {
	out := map[string]classtest.Case[int, int]{}
	for _, size := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 255, 513, 600} {
		out[strconv.Itoa(size)] = made(multiples{size, 1})
	}
	return out
}

func random(draw classtest.Draw) classtest.Case[int, int] {
	return made(multiples{draw(1, 700), int64(draw(0, 2))})
}

func suite() classtest.Suite[int, int] {
	return classtest.Suite[int, int]{Fixed: fixed(), Random: random, Seeds: 200, Wrong: "9"}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }

// The tree needs no search: Minimize closes its root immediately. Verify accepts the certificate.
func TestVerify(t *testing.T) {
	ctx := context.Background()
	for seed := range 200 {
		draw := classtest.FromSeed(seed)
		c := random(draw)
		p := c.Random(draw)
		s := searchtest.Certified(t, c.Class, p)
		if s.Nodes != 0 || s.Certificate.Nodes != 1 {
			t.Errorf("%d nodes were searched and %d certified", s.Nodes, s.Certificate.Nodes)
		}
		verify := func(s search.Solution[int]) error {
			return search.Verify(ctx, class.Class[int, int](c.Class), p, s)
		}
		if err := verify(s); err != nil {
			t.Errorf("%v, %v: %v", c.Class, p, err)
		}
		for what, change := range map[string]func(s *search.Solution[int]){
			"a lower cost":  func(s *search.Solution[int]) { s.Cost--; s.Certificate.Cost-- },
			"a higher cost": func(s *search.Solution[int]) { s.Cost++; s.Certificate.Cost++ },
			"a plan":        func(s *search.Solution[int]) { s.Certificate.Plan = []int{0} },
			"more bits":     func(s *search.Solution[int]) { s.Certificate.Nodes++ },
			"a worse hypothesis": func(s *search.Solution[int]) {
				for h := range c.Class.All() {
					if cost := class.Cost(c.Class, p, h); cost > s.Cost {
						s.Hypothesis, s.Cost, s.Certificate.Cost = h, cost, cost
						return
					}
				}
				s.Hypothesis = -1
			},
		} {
			wrong, cert := s, *s.Certificate
			cert.Plan, cert.Bits = slices.Clone(cert.Plan), slices.Clone(cert.Bits)
			wrong.Certificate = &cert
			change(&wrong)
			if err := verify(wrong); !errors.Is(err, search.ErrCertificate) {
				t.Errorf("%v, %v: %s: %v", c.Class, p, what, err)
			}
		}
	}
}

func TestCheckerRefuses(t *testing.T) {
	c := made(multiples{9, 1 << 40})
	if _, err := c.Class.Checker(problem{}, []int{1}); err == nil || errors.Is(err, class.ErrRange) {
		t.Errorf("a plan: %v", err)
	}
	for name, p := range map[string]problem{
		"points":    {Points: []class.Point[int]{{Cost: [2]int64{1 << 62, 0}}}},
		"penalties": {Unit: 1 << 22},
	} {
		if _, err := c.Class.Checker(p, nil); !errors.Is(err, class.ErrRange) {
			t.Errorf("%s beyond 62 bits: %v", name, err)
		}
	}
}

func TestNewRefusesLargeClasses(t *testing.T) {
	if _, err := tabulated.New(multiples{size: tabulated.Most + 1}); err == nil {
		t.Error("taken")
	}
}

// coded, listed and partial add the optional interfaces Coded, Enumerable and Partial to a class.
type coded struct{ multiples }

func (coded) Distance() int { return 3 }

type listed struct{ multiples }

func (c listed) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for h := c.size - 1; h >= 0 && yield(h); h-- {
		}
	}
}

type partial struct{ multiples }

func (partial) PredictPartial(int, []uint16, []bool) (label, ok bool) { return true, true }

func TestPassesThrough(t *testing.T) {
	all := func(c tabular) []int { return slices.Collect(made(c).Class.All()) }
	plain := multiples{size: 3}
	if got := all(plain); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("all: %v", got)
	}
	if got := all(listed{plain}); !slices.Equal(got, []int{2, 1, 0}) {
		t.Errorf("all of its own: %v", got)
	}
	if got := class.Distance(made(plain).Class); got != 1 {
		t.Errorf("distance %d", got)
	}
	if got := class.Distance(made(coded{plain}).Class); got != 3 {
		t.Errorf("distance of its own: %d", got)
	}
	if label, ok := made(partial{plain}).Class.(class.Partial[int]).PredictPartial(0, nil, []bool{false}); !label || !ok {
		t.Error("not partial of its own")
	}
	if _, ok := made(plain).Class.(class.Partial[int]).PredictPartial(0, []uint16{1}, []bool{false}); ok {
		t.Error("knows what it does not")
	}
}

type (
	walker = class.Walker[int]
	tree   = class.Tree[int]
)

// broken is a class with modified trees and checkers.
type broken struct {
	enumerable
	walker  func(walker) walker
	checker func(class.Checker) class.Checker
}

func (b broken) Tree(p problem) (tree, error) {
	t, err := b.enumerable.Tree(p)
	return brokenTree{t, b.walker}, err
}

func (b broken) Checker(p problem, plan []int) (class.Checker, error) {
	k, err := b.enumerable.Checker(p, plan)
	return b.checker(k), err
}

type brokenTree struct {
	tree
	change func(walker) walker
}

func (t brokenTree) Walker() walker { return t.change(t.tree.Walker()) }

// full treats the last, shorter block of a level as a full block.
type full struct{ walker }

func (w full) ChildLeaves(i int) *big.Int { return w.walker.ChildLeaves(0) }

// even returns equal shares for all children.
type even struct{ walker }

func (w even) Share(int) class.Upper { return class.Quotient(1, uint64(w.Children())) }

// first returns the bound of the first child as the bound of a block.
type first struct{ walker }

func (w first) Bound() int64 {
	if w.Children() == 0 {
		return w.walker.Bound()
	}
	bound, _ := w.walker.Down(0, 1<<62)
	w.walker.Up()
	return bound
}

// flat reports all blocks as exact.
type flat struct{ walker }

func (flat) Exact() bool { return true }

// shifted visits the blocks in reverse order.
type shifted struct{ class.Checker }

func (k shifted) Down(i int) { k.Checker.Down(k.Children() - 1 - i) }

func TestTreeSuiteFails(t *testing.T) {
	c := made(multiples{size: 77})
	p := problem{}
	for i, x := range c.Domain {
		p.Points = append(p.Points, class.Point[int]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	same := func(w walker) walker { return w }
	sound := func(k class.Checker) class.Checker { return k }
	for name, b := range map[string]broken{
		"a short block counted full": {walker: func(w walker) walker { return full{w} }, checker: sound},
		"shares all the same":        {walker: func(w walker) walker { return even{w} }, checker: sound},
		"the first child's bound":    {walker: func(w walker) walker { return first{w} }, checker: sound},
		"exact where it is not":      {walker: func(w walker) walker { return flat{w} }, checker: sound},
		"a checker in reverse":       {walker: same, checker: func(k class.Checker) class.Checker { return shifted{k} }},
	} {
		t.Run(name, func(t *testing.T) {
			b.enumerable = c.Class
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
				classtest.Tree(r, classtest.Case[int, int]{Class: b, Domain: c.Domain}, p, classtest.FromSeed(1))
			}))
		})
	}
}

func TestWalkerAllocatesNothing(t *testing.T) {
	c := made(multiples{size: 600})
	tree, err := c.Class.Tree(problem{})
	if err != nil {
		t.Fatal(err)
	}
	w := tree.Walker()
	if n := testing.AllocsPerRun(100, func() {
		for i := range w.Children() {
			w.Down(i, 1<<62)
			w.Leaves()
			w.Share(0)
			w.Up()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
