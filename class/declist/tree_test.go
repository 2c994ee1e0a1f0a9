package declist_test

import (
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/declist"
	"github.com/sibyl-dp/sibyl/class/declist/declisttest"
	"github.com/sibyl-dp/sibyl/class/literal"
	"pgregory.net/rapid"
)

func TestTreeWeird(t *testing.T) {
	for name, c := range declisttest.Fixed() {
		t.Run(name, func(t *testing.T) {
			for name, p := range c.Weird() {
				t.Log(name)
				classtest.Tree(t, c, p, classtest.FromSeed(1))
			}
		})
	}
}

// randomTree is the property that all trees have. The class, the problem and a
// seed for the walks are drawn, so that all drawn can be shrunk.
func randomTree(t classtest.T, draw classtest.Draw) {
	c := declisttest.Random(draw, 700)
	p := c.Random(draw)
	classtest.Tree(t, c, p, classtest.FromSeed(draw(0, 1<<20)))
}

func TestTreeRandom(t *testing.T) {
	for seed := range 300 {
		randomTree(t, classtest.FromSeed(seed))
	}
}

// On tables with every record, each of its own weight, many rules are worth about the same:
// which of them may be best behind which others is where bounds can go wrong.
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

func TestTreeRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		randomTree(t, func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") })
	})
}

// A walker that has been everywhere once allocates nothing more.
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

func FuzzTree(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { randomTree(t, classtest.FromBytes(data)) })
}
