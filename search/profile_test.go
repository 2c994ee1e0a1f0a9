package search_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// dense lists classes of dense cards on census data, with rates.
var dense = []struct {
	schema string
	most   int
	lambda *big.Rat
	steps  int64 // the number of steps of a frontier on which many samples end
}{
	{"adult-7.toml", 2, big.NewRat(1, 20), 200_000},
	{"adult-12.toml", 1, big.NewRat(1, 2), 250_000},
}

// denseTree returns the tree of cards with points from -most to most.
func denseTree(b *testing.B, schema string, most int) class.Tree[scorecard.Card] {
	data := census.Balanced(b, schema)
	c, err := scorecard.New(scorecard.Uniform(data.Sizes(), -most, most), scorecard.Options{Threshold: 1})
	if err != nil {
		b.Fatal(err)
	}
	p, err := learn.Problem(learn.ZeroOne, learn.Examples(data), 1)
	if err != nil {
		b.Fatal(err)
	}
	tree, err := class.Class[[]uint16, scorecard.Card](c).Tree(p)
	if err != nil {
		b.Fatal(err)
	}
	return tree
}

// BenchmarkProfile reports lower bounds on the work of a sample from frontiers of dense cards on
// census data (docs/explanation/proofs/scorecard.md, section 9).
func BenchmarkProfile(b *testing.B) {
	for _, in := range dense {
		b.Run(fmt.Sprintf("%s/points%d", in.schema, in.most), func(b *testing.B) {
			tree := denseTree(b, in.schema, in.most)
			for b.Loop() {
				p, err := search.ProfileOf(context.Background(), tree, in.lambda, in.steps)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(p.Steps), "steps")
				b.ReportMetric(float64(p.Split), "split")
				b.ReportMetric(float64(p.Refined), "refined")
				b.ReportMetric(p.Weight, "weight")
			}
		})
	}
}

// BenchmarkDense samples dense cards with different seeds. The flag -cpu sets the number of
// threads.
func BenchmarkDense(b *testing.B) {
	for _, in := range dense {
		b.Run(fmt.Sprintf("%s/points%d", in.schema, in.most), func(b *testing.B) {
			tree := denseTree(b, in.schema, in.most)
			nodes := int64(0)
			for i := uint64(0); b.Loop(); i++ {
				_, e, err := search.SampleEffort(context.Background(), tree, in.lambda, noise.Insecure(i))
				if err != nil {
					b.Fatal(err)
				}
				nodes += e.Nodes
			}
			b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
		})
	}
}
