package conjunction_test

import (
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/conjunction/conjunctiontest"
	"github.com/sibyl-dp/sibyl/class/literal"
	"pgregory.net/rapid"
)

func TestTreeWeird(t *testing.T) {
	for name, c := range conjunctiontest.Fixed() {
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
	c := conjunctiontest.Random(draw, 700)
	p := c.Random(draw)
	classtest.Tree(t, c, p, classtest.FromSeed(draw(0, 1<<20)))
}

func TestTreeRandom(t *testing.T) {
	for seed := range 300 {
		randomTree(t, classtest.FromSeed(seed))
	}
}

func TestTreeRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		randomTree(t, func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") })
	})
}

func FuzzTree(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { randomTree(t, classtest.FromBytes(data)) })
}

func TestWalkersDoNotAllocate(t *testing.T) {
	c, p := same(t, literal.Equal(4), 8, 3000)
	tree, err := c.Tree(p)
	if err != nil {
		t.Fatal(err)
	}
	w := tree.Walker()
	walk := func() {
		for range 8 {
			for i := range w.Children() {
				if _, entered := w.Down(i, math.MaxInt64); entered {
					w.Leaves()
					w.Up()
				}
				w.Share(i)
			}
			w.Down(0, math.MaxInt64)
		}
		for range 8 {
			w.Up()
		}
	}
	if n := testing.AllocsPerRun(3, walk); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
