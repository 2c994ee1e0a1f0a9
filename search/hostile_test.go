package search_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// A hostile is a table for which sampling could take long.
type hostile struct {
	name  string
	sizes []int
	rows  int
	label func(rng *rand.Rand, x []uint16) bool
	// record samples a record. The default is uniform.
	record func(rng *rand.Rand, x []uint16)
}

func repeat(n, size int) []int { return slices.Repeat([]int{size}, n) }

func odd(x []uint16) bool {
	sum := uint16(0)
	for _, v := range x {
		sum += v
	}
	return sum%2 == 1
}

func never(*rand.Rand, []uint16) bool { return false }

func hostiles() []hostile {
	coin := func(rng *rand.Rand, _ []uint16) bool { return rng.IntN(2) == 0 }
	return []hostile{
		{name: "empty, 40 x 4", sizes: repeat(40, 4), label: never},
		{name: "empty, 2000 + 2", sizes: []int{2000, 2}, label: never},
		{name: "constant, 12 x 4", sizes: repeat(12, 4), rows: 10_000, label: never,
			record: func(_ *rand.Rand, x []uint16) { clear(x) }},
		{name: "one label, 7 x 4", sizes: repeat(7, 4), rows: 1_000, label: never},
		{name: "exclusive or, 8 x 4", sizes: repeat(8, 4), rows: 600, label: func(_ *rand.Rand, x []uint16) bool { return odd(x) }},
		{name: "random labels, 8 x 3", sizes: repeat(8, 3), rows: 1_000, label: coin},
		{name: "2 % positive, 7 x 4", sizes: repeat(7, 4), rows: 100_000,
			label: func(rng *rand.Rand, x []uint16) bool { return rng.IntN(100) < 1+2*int(x[0]/3) }},
		{name: "two labels each, 6 x 4", sizes: repeat(6, 4), rows: 4_000, label: coin,
			record: func(rng *rand.Rand, x []uint16) {
				for j := range x {
					x[j] = uint16(rng.IntN(2))
				}
			}},
		{name: "one wide, 300 + 4 x 2", sizes: append([]int{300}, repeat(4, 2)...), rows: 1_000,
			label: func(rng *rand.Rand, x []uint16) bool { return x[0]%7 == 0 != (rng.IntN(10) == 0) }},
		{name: "36 x 2", sizes: repeat(36, 2), rows: 3_000,
			label: func(rng *rand.Rand, x []uint16) bool { return x[0]&x[1]|x[2]&x[3] == 1 != (rng.IntN(10) == 0) }},
		{name: "a million rows, 6 x 3", sizes: repeat(6, 3), rows: 1_000_000,
			label: func(rng *rand.Rand, x []uint16) bool { return x[0]+x[1] > 2 != (rng.IntN(5) == 0) }},
		{name: "100,000 categories", sizes: []int{65_535, 34_465}, rows: 1_000, label: coin},
	}
}

// problem returns the problem of the table.
func (h hostile) problem() problem {
	rng := rand.New(rand.NewPCG(7, uint64(len(h.name))))
	costs := map[string]*class.Point[record]{}
	var order []string
	for range h.rows {
		x := make(record, len(h.sizes))
		for j := range x {
			x[j] = uint16(rng.IntN(h.sizes[j]))
		}
		if h.record != nil {
			h.record(rng, x)
		}
		key := fmt.Sprint(x)
		if costs[key] == nil {
			costs[key] = &class.Point[record]{X: x}
			order = append(order, key)
		}
		if h.label(rng, x) {
			costs[key].Cost[0]++
		} else {
			costs[key].Cost[1]++
		}
	}
	var p problem
	for _, key := range order {
		p.Points = append(p.Points, *costs[key])
	}
	return p
}

// over returns classes by name over attributes with the given numbers of categories. A class is nil if it
// does not support these attributes.
func over(sizes []int) map[string]class.Class[record, any] {
	var tests []literal.Attribute
	var bits []parity.Attribute
	for _, n := range sizes {
		tests = append(tests, literal.Equal(n))
		bits = append(bits, parity.BinaryCode(n))
	}
	out := map[string]class.Class[record, any]{}
	add := func(name string, c class.Class[record, any], err error) {
		if err == nil {
			out[name] = c
		}
	}
	if slices.Max(sizes) <= 3_000 {
		c, err := scorecard.New(scorecard.Uniform(sizes, -1, 1), scorecard.Options{Threshold: 1})
		add("scorecard", erase(c, err), err)
		c, err = scorecard.New(scorecard.Uniform(sizes, -1, 1), scorecard.Options{Threshold: 1, Penalty: 100})
		add("scorecard, penalty", erase(c, err), err)
		c, err = scorecard.New(scorecard.Uniform(sizes, 0, 1), scorecard.Options{Threshold: 2, Most: 3})
		add("scorecard, 3 attributes", erase(c, err), err)
	}
	f, err := conjunction.New(tests, conjunction.Options{})
	add("conjunction", erase(f, err), err)
	l, err := declist.New(tests, declist.Options{Rules: 2})
	add("list of 2", erase(l, err), err)
	l, err = declist.New(tests, declist.Options{Rules: 6, Penalty: 60})
	add("list of 6, penalty", erase(l, err), err)
	q, err := parity.New(bits, parity.Options{})
	add("parity", erase(q, err), err)
	if out["scorecard"] != nil && out["parity"] != nil {
		members, err := union.Balanced(big.NewRat(1, 2), out["scorecard"], out["conjunction"], out["parity"])
		if err != nil {
			panic(err)
		}
		u, err := union.New(members...)
		add("union, balanced", erase(u, err), err)
	}
	return out
}

func erase[H any, C class.Class[record, H]](c C, err error) class.Class[record, any] {
	if err != nil {
		return nil
	}
	return class.Erase(c)
}

// Samples from empty, constant and unlearnable tables need few passes for every class: at most the number
// that the distribution of costs implies.
func TestSampleHostile(t *testing.T) {
	for _, h := range hostiles() {
		if h.rows > 0 && !strings.HasPrefix(h.name, "constant") && !strings.HasPrefix(h.name, "one label") {
			continue
		}
		p := h.problem()
		for name, c := range over(h.sizes) {
			t.Run(h.name+"/"+name, func(t *testing.T) {
				tree, err := c.Tree(p)
				if err != nil {
					t.Fatal(err)
				}
				_, e, err := search.SampleEffort(context.Background(), tree, big.NewRat(1, 2), noise.Insecure(1))
				if err != nil {
					t.Fatal(err)
				}
				if e.Nodes > 2_000_000 || e.Passes > 20 {
					t.Errorf("a draw takes %d passes and %d nodes", e.Passes, e.Nodes)
				}
			})
		}
	}
}

// BenchmarkHostile samples from every class on every table at λ = 1/2, and reports passes and
// nodes. It stops a sample after 20 s.
func BenchmarkHostile(b *testing.B) {
	for _, h := range hostiles() {
		p := h.problem()
		for name, c := range over(h.sizes) {
			b.Run(h.name+"/"+name, func(b *testing.B) {
				var sum search.Effort
				for i := range b.N {
					ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
					tree, err := c.Tree(p)
					if err != nil {
						b.Fatal(err)
					}
					_, e, err := search.SampleEffort(ctx, tree, big.NewRat(1, 2), noise.Insecure(uint64(i)))
					stop()
					if errors.Is(err, context.DeadlineExceeded) {
						b.Skip("not within 20 s")
					}
					sum.Passes += e.Passes
					sum.Nodes += e.Nodes
				}
				b.ReportMetric(float64(sum.Passes)/float64(b.N), "passes/op")
				b.ReportMetric(float64(sum.Nodes)/float64(b.N), "nodes/op")
			})
		}
	}
}
