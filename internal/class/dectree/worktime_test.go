package dectree

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/class"
)

// BenchmarkConstantWork compares the running times for ten tables of the same shape, which take
// equal numbers of operations. greatest/least is the ratio of the greatest to the least of these
// times. The time of a table is the minimum over several runs, which excludes other load.
func BenchmarkConstantWork(b *testing.B) {
	const attributes, categories, rows = 14, 6, 20_000
	random := rand.New(rand.NewPCG(1, 0))
	any := func(int) uint16 { return uint16(random.IntN(categories)) }
	tables := []struct {
		name    string
		value   func(j int, first uint16) uint16
		outcome func(x []uint16) int
		costs   int64
	}{
		{"no cost", func(int, uint16) uint16 { return 0 }, func([]uint16) int { return 0 }, 0},
		{"constant", func(int, uint16) uint16 { return 3 }, func([]uint16) int { return 1 }, 1},
		{"random", func(j int, _ uint16) uint16 { return any(j) }, func([]uint16) int { return random.IntN(2) }, 1},
		{"one outcome", func(j int, _ uint16) uint16 { return any(j) }, func([]uint16) int { return 0 }, 1},
		{"a tree", func(j int, _ uint16) uint16 { return any(j) }, func(x []uint16) int {
			if x[0] < 3 != (x[3] == 2) {
				return 1
			}
			return 0
		}, 1},
		{"exclusive or", func(j int, _ uint16) uint16 { return any(j) }, func(x []uint16) int { return int(x[0]+x[1]+x[2]) % 2 }, 1},
		{"rare", func(j int, _ uint16) uint16 { return min(any(j), any(j)) }, func([]uint16) int { return int(min(1, random.Uint64N(50))) }, 1},
		{"copies", func(_ int, first uint16) uint16 { return first }, func(x []uint16) int { return int(x[0] % 2) }, 1},
		{"mixture", func(_ int, first uint16) uint16 { return (first%3 + uint16(random.IntN(3))) % categories }, func(x []uint16) int { return int(x[0] / 3) }, 1},
		{"great costs", func(j int, _ uint16) uint16 { return any(j) }, func([]uint16) int { return random.IntN(2) }, 500},
	}
	shape := make([]Attribute, attributes)
	for j := range shape {
		shape[j] = Attribute{Categories: categories}
	}
	c, err := New(shape, 4, 2)
	if err != nil {
		b.Fatal(err)
	}
	times := make([]time.Duration, len(tables))
	all := make([]records, len(tables))
	for i, t := range tables {
		for range rows {
			x, first := make([]uint16, attributes), any(0)
			for j := range x {
				x[j] = t.value(j, first)
			}
			costs := []int64{0, 0}
			costs[t.outcome(x)] = t.costs
			all[i] = append(all[i], class.Charged[[]uint16]{X: x, Costs: costs})
		}
	}
	for b.Loop() {
		for i := range tables {
			start := time.Now()
			if _, err := c.Mass(context.Background(), all[i], decayOf(0.5)); err != nil {
				b.Fatal(err)
			}
			if taken := time.Since(start); times[i] == 0 || taken < times[i] {
				times[i] = taken
			}
		}
	}
	for i, t := range tables {
		b.Logf("%s: %v", t.name, times[i])
	}
	b.ReportMetric(float64(slices.Max(times))/float64(slices.Min(times)), "greatest/least")
}
