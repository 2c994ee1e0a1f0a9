package declist_test

import (
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/declist/declisttest"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

type (
	record  = []uint16
	problem = class.Problem[record]
)

func suite() classtest.Suite[record, declist.List] {
	return classtest.Suite[record, declist.List]{
		Fixed:  declisttest.Fixed(),
		Random: func(draw classtest.Draw) declisttest.Case { return declisttest.Random(draw, 700) },
		Seeds:  300,
		Wrong:  "a penalty",
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

// If a table contains every record, and each record has its own weight, many rules are about
// equally good. Then the bounds must know exactly which last rules can be optimal after
// each earlier rule.
func TestTreeOfFullTables(t *testing.T) {
	for seed := range 60 {
		draw := classtest.FromSeed(seed)
		categories := []int{draw(2, 4), draw(2, 3)}
		lists, err := declist.New([]literal.Attribute{literal.Equal(categories[0]), literal.Equal(categories[1])}, declist.Options{Rules: 2})
		if err != nil {
			t.Fatal(err)
		}
		c := declisttest.Case{Class: lists, Domain: classtest.Records(categories)}
		p := class.Problem[[]uint16]{}
		for _, x := range c.Domain {
			v := int64(draw(-6, 6))
			p.Points = append(p.Points, class.Point[[]uint16]{X: x, Cost: [2]int64{max(v, 0), max(-v, 0)}})
		}
		classtest.Tree(t, c, p, draw)
	}
}

// A walker that has visited all levels allocates no more memory.
func TestWalkerAllocatesNothing(t *testing.T) {
	c := declisttest.Fixed()["two rules of pairs"]
	var p problem
	for i, x := range c.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i % 3), int64(i % 2)}})
	}
	tree, err := c.Class.Tree(p)
	if err != nil {
		t.Fatal(err)
	}
	w := tree.Walker()
	var visit func()
	visit = func() {
		for i := range w.Children() {
			if _, entered := w.Down(i, math.MaxInt64); entered {
				visit()
				w.Up()
			}
			w.Down(i, w.Bound()-1)
			w.Share(i)
		}
	}
	if n := testing.AllocsPerRun(3, visit); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
