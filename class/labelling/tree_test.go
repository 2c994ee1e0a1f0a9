package labelling_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/labelling/labellingtest"
	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/oracle/oracletest"
	"pgregory.net/rapid"
)

type record = []uint16

func TestTreeWeird(t *testing.T) {
	for name, c := range labellingtest.Fixed() {
		t.Run(name, func(t *testing.T) {
			for name, p := range c.Weird() {
				t.Log(name)
				classtest.Tree(t, c, p, classtest.FromSeed(1))
			}
		})
	}
}

// randomTree is the property that all trees have.
func randomTree(t classtest.T, draw classtest.Draw) {
	c := labellingtest.Random(draw, 700)
	classtest.Tree(t, c, c.Random(draw), classtest.FromSeed(draw(0, 1<<20)))
}

func TestTreeRandom(t *testing.T) {
	for seed := range 100 {
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

func TestOracles(t *testing.T) {
	type (
		card       = scorecard.Card
		enumerable = class.Enumerable[record, card]
	)
	for name, c := range labellingtest.Fixed() {
		t.Run(name, func(t *testing.T) {
			oracletest.Run(t, c, oracle.Exhaust[record, card])
			oracletest.Run(t, c, func(c enumerable) (oracle.Minimizer[record, card], error) { return oracle.Search(c), nil })
		})
	}
}
