package parity_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/parity"
	"github.com/sibyl-dp/sibyl/class/parity/paritytest"
	"github.com/sibyl-dp/sibyl/class/tabulated"
	"pgregory.net/rapid"
)

type (
	record     = []uint16
	problem    = class.Problem[record]
	enumerable = class.Enumerable[record, parity.Parity]
	tabular    = class.Tabular[record, parity.Parity]
	walker     = class.Walker[parity.Parity]
	tree       = class.Tree[parity.Parity]
)

// inTable is the same class with its tree laid over the table of its costs.
func inTable(t classtest.T, c paritytest.Case) paritytest.Case {
	t.Helper()
	tabled, err := tabulated.New(c.Class.(tabular))
	if err != nil {
		t.Fatalf("%v", err)
	}
	c.Class = tabled
	return c
}

func TestTreeWeird(t *testing.T) {
	for name, c := range paritytest.Fixed() {
		t.Run(name, func(t *testing.T) {
			for name, p := range c.Weird() {
				t.Log(name)
				classtest.Tree(t, c, p, classtest.FromSeed(1))
				classtest.Tree(t, inTable(t, c), p, classtest.FromSeed(1))
			}
		})
	}
}

// randomTree is the property that all trees have, the class's own and that over
// the table. The class, the problem and a seed for the walks are drawn, so that
// all drawn can be shrunk.
func randomTree(t classtest.T, draw classtest.Draw) {
	c := paritytest.Random(draw, 700)
	p := c.Random(draw)
	seed := draw(0, 1<<20)
	classtest.Tree(t, c, p, classtest.FromSeed(seed))
	classtest.Tree(t, inTable(t, c), p, classtest.FromSeed(seed))
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
