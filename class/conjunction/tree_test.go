package conjunction_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/conjunction/conjunctiontest"
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
