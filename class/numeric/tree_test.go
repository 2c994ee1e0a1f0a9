package numeric_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/numeric"
	"github.com/sibyl-dp/sibyl/class/numeric/numerictest"
	"pgregory.net/rapid"
)

func TestTreeWeird(t *testing.T) {
	for name, c := range numerictest.Fixed() {
		t.Run(name, func(t *testing.T) {
			for name, p := range c.Weird() {
				t.Log(name)
				classtest.Tree(t, c, p, classtest.FromSeed(1))
			}
		})
	}
}

// A total may be just what the inequality of Cauchy and Schwarz allows, rounded down: here 3, of the
// weights 2 and 1 at a squared norm of 5.
func TestTreeReachesTheNorm(t *testing.T) {
	column := numeric.Bounded(0, 1, 2)
	for _, threshold := range []int64{3, -2, -3} {
		c, err := numeric.New([]numeric.Column{column, column}, []int64{threshold}, numeric.Options{Norm: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, cost := range [][2]int64{{7, 0}, {0, 7}} {
			p := problem{Points: []class.Point[[]int64]{{X: []int64{1, 1}, Cost: cost}}}
			classtest.Tree(t, numerictest.Case{Class: c, Domain: [][]int64{{1, 1}}}, p, classtest.FromSeed(1))
		}
	}
}

// randomTree is the property that all trees have. The class, the problem and a
// seed for the walks are drawn, so that all drawn can be shrunk.
func randomTree(t classtest.T, draw classtest.Draw) {
	c := numerictest.Random(draw, 400)
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
