package convex_test

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// sampledTrees returns the mechanism that samples a tree over two binary attributes.
func sampledTrees(t *testing.T, epsilon string, r privacy.Relation, outcomes int) (*dectree.Class, *learn.Gibbs[[]uint16, *dectree.Tree]) {
	t.Helper()
	c, err := dectree.New([]dectree.Attribute{{Categories: 2}, {Categories: 2}}, 2, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	m, err := learn.NewGibbs[[]uint16](c, decimal(t, epsilon), r, learn.ZeroOne.CostMatrix(outcomes))
	if err != nil {
		t.Fatal(err)
	}
	return c, m
}

// treeDescent returns a descent over two binary attributes and a tree.
func treeDescent(t *testing.T, o convex.Descent, epsilon string, r privacy.Relation) (*convex.Features, *convex.DPSGD) {
	t.Helper()
	f := features(t, convex.OneHot, convex.WithTree([]int{2, 2})...)
	o.Share, o.Clip, o.Batch = decimal(t, "1"), decimal(t, "0.5"), 4000
	d, err := convex.NewDPSGD(f, o, decimal(t, epsilon), decimal(t, "1e-5"), r)
	if err != nil {
		t.Fatal(err)
	}
	return f, d
}

// exclusive is a table whose label is the exclusive or of two attributes, which no linear model predicts.
var exclusive = examples{
	{X: []uint16{0, 0}, Count: 1000}, {X: []uint16{0, 1}, Label: true, Count: 1000},
	{X: []uint16{1, 0}, Label: true, Count: 1000}, {X: []uint16{1, 1}, Count: 1000},
}

// The card with the bonus predicts an exclusive or. The points of its card are those of the attributes, and its bonus
// is that of the records for which the tree predicts 1.
func TestTreeDPSGD(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		c, trees := sampledTrees(t, "1", r, 2)
		f, d := treeDescent(t, convex.Descent{Steps: 50, Rate: 2, Tree: decimal(t, "1")}, "3", r)
		m, err := convex.NewTreeDPSGD(trees, d)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := privacy.State(m.Guarantee()); err != nil || s.Epsilon != decimal(t, "3") || s.Relation != r {
			t.Errorf("the guarantee is %v, %v", s, err)
		}
		drawn, err := m.Release(context.Background(), exclusive, noise.Insecure(1))
		if err != nil {
			t.Fatal(err)
		}
		h := drawn.Points(f, 100)
		if len(h.Card.Points) != 2 || h.Bonus != int(math.Round(100*drawn.Weights[3])) {
			t.Errorf("the weights %v give %+v", drawn.Weights, h)
		}
		for _, e := range exclusive {
			y := c.Predict(h.Tree, e.X)
			total := h.Card.Prior + h.Card.Points[0][e.X[0]] + h.Card.Points[1][e.X[1]] + y*h.Bonus
			if (y == 1) != e.Label || (total > 0) != e.Label {
				t.Errorf("%v: the tree predicts %d, and the total is %d", e, y, total)
			}
		}
	}
}

// The account of the descent covers the sample of the tree. This needs more noise than the descent alone, but less
// than a descent for the difference of the two ε.
func TestTreeDPSGDAccount(t *testing.T) {
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		_, d := treeDescent(t, convex.Descent{Steps: 7, Rate: 1, Tree: decimal(t, "0.4")}, "1", r)
		want, err := privacy.NewSubsampledGaussian(r, big.NewRat(1, 1), new(big.Rat).SetFrac(d.Sigma2(), big.NewInt(512*512)), 7)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := privacy.NewBoundedRange(r, decimal(t, "0.4"))
		if err != nil {
			t.Fatal(err)
		}
		if want, err = want.After(tree); err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{0.5, 1, 2} {
			if got, want := d.Account().Delta(x), want.Delta(x); got != want {
				t.Errorf("%v: δ(%v) = %v, not %v", r, x, got, want)
			}
		}
		_, alone := treeDescent(t, convex.Descent{Steps: 7, Rate: 1}, "1", r)
		_, rest := treeDescent(t, convex.Descent{Steps: 7, Rate: 1}, "0.6", r)
		if d.Sigma2().Cmp(alone.Sigma2()) <= 0 || d.Sigma2().Cmp(rest.Sigma2()) >= 0 {
			t.Errorf("%v: σ² = %v is not between %v and %v", r, d.Sigma2(), alone.Sigma2(), rest.Sigma2())
		}
	}
}

func TestTreeDPSGDRefuses(t *testing.T) {
	_, trees := sampledTrees(t, "1", privacy.AddRemove, 2)
	_, levels := sampledTrees(t, "1", privacy.AddRemove, 3)
	covered := convex.Descent{Steps: 1, Rate: 1, Tree: decimal(t, "1")}
	_, d := treeDescent(t, covered, "3", privacy.AddRemove)
	_, other := treeDescent(t, covered, "3", privacy.ReplaceOne)
	_, uncovered := treeDescent(t, convex.Descent{Steps: 1, Rate: 1}, "3", privacy.AddRemove)
	o := covered
	o.Share, o.Clip, o.Batch = decimal(t, "1"), decimal(t, "0.5"), 1
	without, err := convex.NewDPSGD(features(t, convex.OneHot, 2, 3), o, decimal(t, "3"), decimal(t, "1e-5"), privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		trees *learn.Gibbs[[]uint16, *dectree.Tree]
		d     *convex.DPSGD
		want  string
	}{
		{levels, d, "two outcomes"},
		{trees, other, "must cover the sample"},
		{trees, uncovered, "must cover the sample"},
		{trees, without, "the last attribute of the features"},
	} {
		if _, err := convex.NewTreeDPSGD(c.trees, c.d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, without %q", err, c.want)
		}
	}
	m, err := convex.NewTreeDPSGD(trees, d)
	if err != nil {
		t.Fatal(err)
	}
	many := examples{{X: []uint16{0, 0}, Count: learn.MostRows}, {X: []uint16{0, 1}, Count: 1}}
	if _, err := m.Release(context.Background(), many, nil); err == nil || !strings.Contains(err.Error(), learn.ErrRows.Error()) {
		t.Errorf("too many rows: %v", err)
	}
}
