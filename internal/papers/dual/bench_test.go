package dual_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/papers/dual"
	"github.com/sibyl-dp/sibyl/search"
)

// instance returns a dual class and a problem over it. The hypotheses are the records whose attributes have the
// given numbers of categories. The points are random scorecards, each on some of the attributes, with random costs.
func instance(t testing.TB, sizes []int, most, queries int) (*dual.Class[card], class.Problem[card]) {
	c, err := scorecard.New(scorecard.Uniform(sizes, -2, 2), scorecard.Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	d, err := dual.New(c, sizes)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, uint64(most)))
	var p class.Problem[card]
	for range queries {
		h := card{Points: make([][]int, len(sizes))}
		used := rng.Perm(len(sizes))[:most]
		for j, n := range sizes {
			h.Points[j] = make([]int, n)
			for k := range n {
				if slices.Contains(used, j) {
					h.Points[j][k] = rng.IntN(5) - 2
				}
			}
		}
		p.Points = append(p.Points, class.Point[card]{X: h, Cost: [2]int64{int64(rng.IntN(100)), int64(rng.IntN(100))}})
	}
	return d, p
}

func BenchmarkMinimize(b *testing.B) {
	for _, in := range []struct {
		name          string
		sizes         []int
		most, queries int
	}{
		{"18 bits, 3 used", slices.Repeat([]int{2}, 18), 3, 300},
		{"18 bits, 18 used", slices.Repeat([]int{2}, 18), 18, 300},
		{"adult-7, 3 used", []int{5, 5, 4, 3, 2, 2, 4}, 3, 300},
		{"adult-7, 7 used", []int{5, 5, 4, 3, 2, 2, 4}, 7, 300},
		{"30 bits, 2 used", slices.Repeat([]int{2}, 30), 2, 300},
	} {
		b.Run(in.name, func(b *testing.B) {
			c, p := instance(b, in.sizes, in.most, in.queries)
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
		})
	}
}
