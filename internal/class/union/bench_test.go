package union_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// within returns a problem on census data, and a function that returns the class of cards with a
// given range of points.
func within(b *testing.B) (p problem, within func(points int) class.Class[record, card]) {
	data := census.Balanced(b, "adult-7.toml")
	for i := range data.Len() {
		pt := class.Point[record]{X: data.Record(i, nil)}
		if data.Label(i) {
			pt.Cost[0] = data.Count(i)
		} else {
			pt.Cost[1] = data.Count(i)
		}
		p.Points = append(p.Points, pt)
	}
	return p, func(points int) class.Class[record, card] {
		return cards(scorecard.Options{Threshold: 1}, scorecard.Uniform(data.Sizes(), -points, points)...)
	}
}

// BenchmarkMinimize measures a search over scorecards, over their closure under negation, and over
// a union of cards with two ranges of points.
func BenchmarkMinimize(b *testing.B) {
	p, within := within(b)
	two, err := union.New(union.Member[record, card]{Class: within(1)}, union.Member[record, card]{Class: within(2), Penalty: 100})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("cards", func(b *testing.B) { minimize(b, within(1), p) })
	b.Run("closure", func(b *testing.B) { minimize(b, union.Closure(within(1)), p) })
	b.Run("two ranges", func(b *testing.B) { minimize(b, class.Class[record, union.Choice[card]](two), p) })
}

func minimize[H any](b *testing.B, c class.Class[record, H], p problem) {
	nodes := int64(0)
	for b.Loop() {
		tree, err := c.Tree(p)
		if err != nil {
			b.Fatal(err)
		}
		s, err := search.Minimize(context.Background(), tree, search.Options{})
		if err != nil {
			b.Fatal(err)
		}
		nodes = s.Nodes
	}
	b.ReportMetric(float64(nodes), "nodes")
}

// BenchmarkDraw measures sampling from scorecards and from their closure under negation.
func BenchmarkDraw(b *testing.B) {
	p, within := within(b)
	for name, lambda := range map[string]*big.Rat{"1": big.NewRat(1, 2), "0.1": big.NewRat(1, 20)} {
		b.Run("cards "+name, func(b *testing.B) { draw(b, within(1), p, lambda) })
		b.Run("closure "+name, func(b *testing.B) { draw(b, union.Closure(within(1)), p, lambda) })
	}
}

func draw[H any](b *testing.B, c class.Class[record, H], p problem, lambda *big.Rat) {
	tree, err := c.Tree(p)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := search.Sample(context.Background(), tree, lambda, noise.Crypto()); err != nil {
			b.Fatal(err)
		}
	}
}
