package scorecard_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
	"github.com/sibyl-dp/sibyl/search"
)

// An instance is a problem with a class to search.
type instance struct {
	name    string
	make    func(testing.TB) (*scorecard.Class, problem)
	optimum int64 // the minimum cost if it is known, otherwise -1
}

var instances = []instance{
	{"adult7/points1", adult("adult-7.toml", 1), 3053},
	{"adult7/points2", adult("adult-7.toml", 2), 2998},
	{"adult7/points3", adult("adult-7.toml", 3), 2977},
	{"adult12/points1", adult("adult-12.toml", 1), 2835},
	{"random/points1", random([]int{4, 4, 4, 3, 3, 2, 2}, 1), -1},
	{"random/points2", random([]int{4, 4, 3, 3, 2}, 2), -1},
}

// adult returns the census records, with balanced classes, under one of the shared schemas.
func adult(schema string, points int) func(testing.TB) (*scorecard.Class, problem) {
	return func(t testing.TB) (*scorecard.Class, problem) {
		data := census.Balanced(t, schema)
		var p problem
		for i := range data.Len() {
			pt := class.Point[[]uint16]{X: data.Record(i, nil)}
			if data.Label(i) {
				pt.Cost[0] = data.Count(i)
			} else {
				pt.Cost[1] = data.Count(i)
			}
			p.Points = append(p.Points, pt)
		}
		return oneHot(t, data.Sizes(), points), p
	}
}

// random returns records whose labels are noisy predictions of a hidden card.
func random(sizes []int, points int) func(testing.TB) (*scorecard.Class, problem) {
	return func(t testing.TB) (*scorecard.Class, problem) {
		rng := rand.New(rand.NewPCG(7, uint64(points)))
		hidden := make([][]float64, len(sizes))
		for j, n := range sizes {
			for range n {
				hidden[j] = append(hidden[j], rng.NormFloat64())
			}
		}
		var p problem
		for range 4000 {
			x := make([]uint16, len(sizes))
			total := 2 * rng.NormFloat64()
			for j, n := range sizes {
				x[j] = uint16(min(rng.IntN(n), rng.IntN(n)))
				total += hidden[j][x[j]]
			}
			pt := class.Point[[]uint16]{X: x}
			if total >= 0 {
				pt.Cost[0] = 1
			} else {
				pt.Cost[1] = 1
			}
			p.Points = append(p.Points, pt)
		}
		return oneHot(t, sizes, points), p
	}
}

func oneHot(t testing.TB, sizes []int, points int) *scorecard.Class {
	c, err := scorecard.New(scorecard.Uniform(sizes, -points, points), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// BenchmarkTree builds a tree: incumbent, order of the steps and program of merges.
func BenchmarkTree(b *testing.B) {
	for _, in := range instances {
		b.Run(in.name, func(b *testing.B) {
			c, p := in.make(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Tree(p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMinimize builds a tree and finds a proven minimizer.
func BenchmarkMinimize(b *testing.B) {
	for _, in := range instances {
		b.Run(in.name, func(b *testing.B) {
			c, p := in.make(b)
			nodes := int64(0)
			for b.Loop() {
				t, err := c.Tree(p)
				if err != nil {
					b.Fatal(err)
				}
				s, err := search.Minimize(context.Background(), t, search.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if in.optimum >= 0 && s.Cost != in.optimum {
					b.Fatalf("cost %d, not %d", s.Cost, in.optimum)
				}
				nodes = s.Nodes
			}
			b.ReportMetric(float64(nodes), "nodes/op")
		})
	}
}

// BenchmarkVerify checks a certificate, and reports its time relative to that of the search. Both
// times include building the tree.
func BenchmarkVerify(b *testing.B) {
	for _, in := range instances {
		b.Run(in.name, func(b *testing.B) {
			c, p := in.make(b)
			start := time.Now()
			t, err := c.Tree(p)
			if err != nil {
				b.Fatal(err)
			}
			s, err := search.Minimize(context.Background(), t, search.Options{Certify: true})
			if err != nil {
				b.Fatal(err)
			}
			searched := time.Since(start)
			for b.Loop() {
				if err := search.Verify(context.Background(), c, p, s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(searched), "searches/op")
			b.ReportMetric(float64(s.Nodes), "nodes/op")
		})
	}
}
