package numeric_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric/numerictest"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

func TestEmbedding(t *testing.T) {
	for name, c := range numerictest.Fixed() {
		t.Run(name, func(t *testing.T) { classtest.Embedding(t, c, classtest.FromSeed(1)) })
	}
	for seed := range 200 {
		draw := classtest.FromSeed(seed)
		classtest.Embedding(t, numerictest.Random(draw, 400), draw)
	}
}

// Norms returns the squared norms of halfspaces in the class, within both limits.
func TestNorms(t *testing.T) {
	column := numeric.Bounded(0, 1, 2)
	for _, o := range []numeric.Options{{}, {Norm: 5}, {Most: 1}, {Norm: 6, Most: 2}} {
		o.NormBits = true
		c, err := numeric.New([]numeric.Column{column, column, column}, []int64{1}, o)
		if err != nil {
			t.Fatal(err)
		}
		had := map[int64]bool{}
		for h := range c.All() {
			had[h.Norm()] = true
		}
		if want := slices.Sorted(maps.Keys(had)); !slices.Equal(c.Norms(), want) {
			t.Errorf("%v: norms %v; want %v", c, c.Norms(), want)
		}
	}
}

// The paper's class for d columns is embedded into d + 4 dimensions. In this class, the absolute values of the
// weights and the norm of the weights are at most √d.
func TestEmbeddingOfThePapersClass(t *testing.T) {
	columns := make([]numeric.Column, 23)
	for j := range columns {
		columns[j] = numeric.Bounded(0, 1, 4)
	}
	c, err := numeric.New(columns, []int64{1}, numeric.Options{Norm: 23, NormBits: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Embedding().Sphere(), (class.Sphere{Dim: 27, Square: 23, Gap: 1}); got != want {
		t.Errorf("got %+v; want %+v", got, want)
	}
}

// flat is a wrong class whose embedding omits the coordinates for the norm, so that two embedded points have
// different norms.
type (
	flat struct {
		class.Enumerable[record, numeric.Halfspace]
	}
	flatEmbedding struct {
		class.Embedding[numeric.Halfspace]
	}
)

func (f flat) Embedding() class.Embedding[numeric.Halfspace] {
	return flatEmbedding{class.EmbeddingOf(f.Enumerable)}
}

func (e flatEmbedding) Embed(h numeric.Halfspace) []int64 {
	point := e.Embedding.Embed(h)
	clear(point[len(h.Weights):])
	return point
}

func TestEmbeddingSuiteFails(t *testing.T) {
	c := numerictest.Fixed()["norm, norm bits"]
	c.Class = flat{c.Class}
	t.Log(mustfail.Run(t, func(r *mustfail.Recorder) { classtest.Embedding(r, c, classtest.FromSeed(1)) }))
}
