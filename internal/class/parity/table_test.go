package parity_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/parity/paritytest"
)

// The table agrees with the definition of cost and contains all parities.
func TestTabulate(t *testing.T) {
	for seed := range 300 {
		draw := classtest.FromSeed(seed)
		c := paritytest.Random(draw, 700)
		p := c.Random(draw)
		k := c.Class.(tabular)
		costs, err := k.Tabulate(p)
		if err != nil {
			t.Fatal(err)
		}
		numbered := map[parity.Parity]bool{}
		for i, cost := range costs {
			h := k.At(i)
			numbered[h] = true
			if want := class.Cost(k, p, h); cost != want {
				t.Fatalf("%v, %v: number %d, %v, costs %d, not %d", k, p, i, h, cost, want)
			}
		}
		for h := range c.Class.All() {
			if !numbered[h] {
				t.Fatalf("%v: %v has no number", k, h)
			}
		}
		if int64(len(numbered)) != k.Size().Int64() || len(costs) != len(numbered) {
			t.Fatalf("%v: %d numbered, %d costs", k, len(numbered), len(costs))
		}
	}
}

// Tables that are too large for a complete comparison are compared with the definition at random
// indices. The cases cover packed and unpacked tables, sums instead of a transform, and several
// goroutines.
func TestTabulateLarge(t *testing.T) {
	for _, in := range []struct {
		d, n, most int
		affine     bool
		unit       int64
	}{
		{20, 500, 0, false, 1},
		{20, 500, 0, false, 1 << 21}, // costs are near the limit for packed tables
		{20, 500, 0, false, 1 << 40},
		{19, 500, 0, true, 1},
		{20, 5000, 4, true, 1},
		{64, 40, 3, false, 1},
		{63, 40, 3, true, 1 << 40},
	} {
		c := bits(t, in.d, parity.Options{Most: in.most, Affine: in.affine, Penalty: 3})
		p := noisy(in.d, in.n, 0.5, in.unit)
		p.Unit = in.unit
		rng := rand.New(rand.NewPCG(1, 1))
		for range c.Separator() {
			p.Terms = append(p.Terms, in.unit*(rng.Int64N(100)-50))
		}
		costs, err := c.Tabulate(p)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(costs)) != c.Size().Int64() {
			t.Fatalf("%v: %d costs", c, len(costs))
		}
		for range 300 {
			i := rng.IntN(len(costs))
			if want := class.Cost(c, p, c.At(i)); costs[i] != want {
				t.Fatalf("%v, unit %d: number %d, %v, costs %d, not %d", c, in.unit, i, c.At(i), costs[i], want)
			}
		}
		before := runtime.GOMAXPROCS(5)
		again, err := c.Tabulate(p)
		runtime.GOMAXPROCS(before)
		if err != nil || !slices.Equal(costs, again) {
			t.Errorf("%v: another table from five processors, or %v", c, err)
		}
	}
}

// Costs are at both ends of the range for packed tables. There are enough records for a transform.
func TestTabulateExtremes(t *testing.T) {
	c := bits(t, 3, parity.Options{Affine: true})
	for _, most := range []int64{1<<30 - 1, 1 << 30, 1<<31 - 1, 1 << 31, 1 << 32, 1 << 33, 1 << 60, 1 << 61} {
		for _, sign := range []int64{1, -1} {
			for _, half := range []int64{most - 3, most / 2, 1} {
				p := problem{Points: []class.Point[record]{
					{X: record{1, 1, 1}, Cost: [2]int64{sign * half, 0}},
					{X: record{0, 1, 0}, Cost: [2]int64{0, -sign * (most - 2 - half)}},
					{X: record{0, 1, 1}, Cost: [2]int64{sign, 0}},
					{X: record{1, 0, 0}, Cost: [2]int64{0, sign}},
				}}
				costs, err := c.Tabulate(p)
				if err != nil {
					t.Fatal(err)
				}
				for i, cost := range costs {
					if want := class.Cost(c, p, c.At(i)); cost != want {
						t.Fatalf("%v: %v costs %d, not %d", p, c.At(i), cost, want)
					}
				}
			}
		}
	}
}

func TestTabulateRefuses(t *testing.T) {
	if _, err := bits(t, 27, parity.Options{}).Tabulate(problem{}); err == nil || errors.Is(err, class.ErrRange) {
		t.Errorf("2^27 parities: %v", err)
	}
	c := bits(t, 4, parity.Options{Penalty: 1 << 40})
	for name, p := range map[string]problem{
		"points":    {Points: []class.Point[record]{{X: record{0, 0, 0, 0}, Cost: [2]int64{1 << 61, 1}}}},
		"penalties": {Unit: 1<<19 + 1},
		"overflow":  {Unit: 1 << 62},
		"both":      {Unit: 1 << 19, Points: []class.Point[record]{{X: record{0, 0, 0, 0}, Cost: [2]int64{1, 0}}}},
	} {
		if _, err := c.Tabulate(p); !errors.Is(err, class.ErrRange) {
			t.Errorf("%s beyond 62 bits: %v", name, err)
		}
		if _, err := c.Tree(p); !errors.Is(err, class.ErrRange) {
			t.Errorf("a tree of %s beyond 62 bits: %v", name, err)
		}
		if _, err := c.Checker(p, []int{0, 1, 2, 3}); !errors.Is(err, class.ErrRange) {
			t.Errorf("a checker of %s beyond 62 bits: %v", name, err)
		}
	}
	if _, err := c.Tabulate(problem{Unit: 1 << 19}); err != nil {
		t.Errorf("penalties of 2^61: %v", err)
	}
}
