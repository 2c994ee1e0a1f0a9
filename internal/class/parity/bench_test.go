package parity_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/search"
)

// bits returns the class of all parities of d bits with the given options.
func bits(t testing.TB, d int, o parity.Options) *parity.Class {
	attributes := make([]parity.Attribute, d)
	for i := range attributes {
		attributes[i] = parity.BinaryCode(2)
	}
	c, err := parity.New(attributes, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// noisy returns n random records of d bits. For a given fraction of the records, the label is the
// value of a hidden parity of three bits. For the others it is random.
func noisy(d, n int, share float64, unit int64) problem {
	rng := rand.New(rand.NewPCG(3, uint64(d)))
	var p problem
	for range n {
		x := make(record, d)
		for i := range x {
			x[i] = uint16(rng.IntN(2))
		}
		label := x[1] ^ x[d/2] ^ x[d-1]
		if rng.Float64() >= share {
			label = uint16(rng.IntN(2))
		}
		pt := class.Point[record]{X: x}
		pt.Cost[1-label] = unit
		p.Points = append(p.Points, pt)
	}
	return p
}

// BenchmarkTabulate computes the costs of all 2^d parities. With a large unit, the two numbers that
// a table packs do not fit into one integer.
func BenchmarkTabulate(b *testing.B) {
	for _, d := range []int{10, 16, 20, 24} {
		for _, unit := range []int64{1, 1 << 32} {
			b.Run(fmt.Sprintf("d=%d/unit=%d", d, unit), func(b *testing.B) {
				c, p := bits(b, d, parity.Options{}), noisy(d, 2000, 0.5, unit)
				for b.Loop() {
					if _, err := c.Tabulate(p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkMinimizeTable builds the table of all costs and finds a proven minimizer.
func BenchmarkMinimizeTable(b *testing.B) {
	for _, d := range []int{16, 20, 24} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			c, err := tabulated.New(bits(b, d, parity.Options{}))
			if err != nil {
				b.Fatal(err)
			}
			minimize(b, c, noisy(d, 2000, 0.5, 1))
		})
	}
}

// BenchmarkMinimizeTree finds a proven minimizer by the class's own tree.
func BenchmarkMinimizeTree(b *testing.B) {
	for _, in := range []struct {
		d, n, most int
		share      float64
	}{{12, 2000, 0, 0.5}, {16, 2000, 0, 0.5}, {16, 300, 0, 0.9}, {40, 300, 3, 0.5}, {40, 300, 3, 0.9}, {20, 2000, 0, 0.5}, {20, 2000, 0, 0}, {20, 300, 0, 0.5}} {
		b.Run(fmt.Sprintf("d=%d/n=%d/most=%d/share=%.1f", in.d, in.n, in.most, in.share), func(b *testing.B) {
			minimize(b, bits(b, in.d, parity.Options{Most: in.most}), noisy(in.d, in.n, in.share, 1))
		})
	}
}

func minimize(b *testing.B, c class.Class[record, parity.Parity], p problem) {
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
		nodes = s.Nodes
	}
	b.ReportMetric(float64(nodes), "nodes/op")
}
