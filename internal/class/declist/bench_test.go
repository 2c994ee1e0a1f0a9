package declist_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// An instance is a data set with a class to search.
type instance struct {
	name     string
	read     func(testing.TB) (problem, []int)
	rules    int
	literals int
	optimum  int64 // the minimum cost if it is known, otherwise -1
}

var instances = []instance{
	{"tictactoe/rules3/single", ticTacToe, 3, 1, 240},
	{"tictactoe/rules3/pairs", ticTacToe, 3, 2, 224},
	{"mushroom/rules3/single", mushroom, 3, 1, 120},
	{"mushroom/rules3/pairs", mushroom, 3, 2, 120},
	{"adult7/rules3/single", adult, 3, 1, 3400},
	{"adult7/rules3/pairs", adult, 3, 2, 3400},
}

func ticTacToe(t testing.TB) (problem, []int) {
	return pointsOf(shareddata.Codes(t, 9, "positive", "tic-tac-toe", "tic-tac-toe.data"))
}

// mushroom reads the shared data file. Its last column is "p" for poisonous mushrooms, and its
// first column is the habitat.
func mushroom(t testing.TB) (problem, []int) {
	return pointsOf(shareddata.Codes(t, 22, "p", "mushroom", "agaricus-lepiota.data"))
}

func adult(t testing.TB) (problem, []int) {
	data := census.Balanced(t, "adult-7.toml")
	var p problem
	for i := range data.Len() {
		p.Points = append(p.Points, point(data.Record(i, nil), data.Label(i), data.Count(i)))
	}
	return p, data.Sizes()
}

func pointsOf(data shareddata.Coded) (p problem, sizes []int) {
	for i, x := range data.Records {
		p.Points = append(p.Points, point(x, data.Labels[i], 1))
	}
	return p, data.Sizes
}

// point returns a point that costs n for the wrong prediction.
func point(x record, label bool, n int64) class.Point[record] {
	pt := class.Point[record]{X: x}
	if label {
		pt.Cost[0] = n
	} else {
		pt.Cost[1] = n
	}
	return pt
}

// make returns the class of lists whose antecedents are equality tests, or pairs of these.
func (in instance) make(t testing.TB) (*declist.Class, problem) {
	p, sizes := in.read(t)
	var attributes []literal.Attribute
	for _, n := range sizes {
		attributes = append(attributes, literal.Equal(n))
	}
	c, err := declist.New(attributes, declist.Options{Rules: in.rules, Literals: in.literals})
	if err != nil {
		t.Fatal(err)
	}
	return c, p
}

// BenchmarkTree builds a tree, including the search for the incumbent.
func BenchmarkTree(b *testing.B) {
	for _, in := range instances {
		b.Run(in.name, func(b *testing.B) {
			c, p := in.make(b)
			b.ReportAllocs()
			cost := int64(0)
			for b.Loop() {
				t, err := c.Tree(p)
				if err != nil {
					b.Fatal(err)
				}
				_, cost = t.Incumbent()
			}
			b.ReportMetric(float64(cost), "incumbent")
		})
	}
}

// BenchmarkMinimize builds a tree and finds a proven minimizer.
func BenchmarkMinimize(b *testing.B) {
	for _, in := range instances {
		b.Run(in.name, func(b *testing.B) {
			c, p := in.make(b)
			var s search.Solution[declist.List]
			for b.Loop() {
				s = searchtest.Certified(b, c, p)
				if in.optimum >= 0 && s.Cost != in.optimum {
					b.Fatalf("cost %d, not %d", s.Cost, in.optimum)
				}
			}
			b.ReportMetric(float64(s.Nodes), "nodes/op")
			b.ReportMetric(float64(s.Cost), "optimum")
		})
	}
}

// BenchmarkVerify checks the certificate of a minimizer.
func BenchmarkVerify(b *testing.B) {
	for _, in := range instances {
		b.Run(in.name, func(b *testing.B) {
			c, p := in.make(b)
			s := searchtest.Certified(b, c, p)
			for b.Loop() {
				if err := search.Verify(context.Background(), class.Class[record, declist.List](c), p, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSample samples from the exponential mechanism.
func BenchmarkSample(b *testing.B) {
	for _, in := range instances {
		for _, lambda := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 20)} {
			b.Run(fmt.Sprintf("%s/lambda%s", in.name, lambda.FloatString(2)), func(b *testing.B) {
				c, p := in.make(b)
				t, err := c.Tree(p)
				if err != nil {
					b.Fatal(err)
				}
				coins, nodes, cost := noise.Crypto(), int64(0), int64(0)
				for b.Loop() {
					h, effort, err := search.SampleEffort(context.Background(), t, lambda, coins)
					if err != nil {
						b.Fatal(err)
					}
					nodes += effort.Nodes
					cost += class.Cost(c, p, h)
				}
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
				b.ReportMetric(float64(cost)/float64(b.N), "cost")
			})
		}
	}
}
