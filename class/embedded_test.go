package class_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

// Every class has an embedding, its own or ψ = 2φ - 1. This also holds for coded, negated and
// erased classes.
func TestEmbedding(t *testing.T) {
	for name, c := range everytest.Fixed() {
		t.Run(name, func(t *testing.T) { classtest.Embedding(t, c, classtest.FromSeed(1)) })
	}
	for seed := range 50 {
		draw := classtest.FromSeed(seed)
		c := scorecardtest.Random(draw, 300)
		classtest.Embedding(t, c, draw)
		classtest.Embedding(t, negated(c), draw)
	}
}

// overstated is an embedding with a gap that is too large.
type overstated struct{ enumerable }

func (o overstated) Separator() int                   { return class.SeparatorBits(o.enumerable) }
func (o overstated) Separate(h scorecard.Card) []bool { return class.Separate(o.enumerable, h) }

func (o overstated) Distance() int { return class.Distance(o.enumerable) + 1 }

func TestEmbeddingSuiteRefusesAGap(t *testing.T) {
	c := scorecardtest.Fixed()["signs"]
	c.Class = overstated{c.Class}
	t.Log(mustfail.Run(t, func(r *mustfail.Recorder) { classtest.Embedding(r, c, classtest.FromSeed(1)) }))
}
