package parity

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// The order decides, at each step, the bit after which the remaining patterns have the least sum of sizes.
func TestChooseOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		bits := 1 + random.IntN(5)
		c := &Class{bits: bits}
		sizes := map[uint64]int64{}
		var others []weight
		for word := uint64(1); word < 1<<bits; word++ {
			if w := random.Int64N(41) - 20; w != 0 && random.IntN(3) > 0 {
				others = append(others, weight{word, w})
				sizes[word] = magnitude(w)
			}
		}
		after := func(bit int) map[uint64]int64 {
			merged := map[uint64]int64{}
			for word, size := range sizes {
				if rest := word &^ (1 << bit); rest != 0 {
					merged[rest] = max(merged[rest], size)
				}
			}
			return merged
		}
		var want, left []int
		for bit := range bits {
			left = append(left, bit)
		}
		for len(left) > 0 {
			best, least := 0, int64(1)<<62
			for k, bit := range left {
				sum := int64(0)
				for _, size := range after(bit) {
					sum += size
				}
				if sum < least {
					best, least = k, sum
				}
			}
			sizes = after(left[best])
			want = append(want, left[best])
			left = slices.Delete(left, best, best+1)
		}
		if got := c.chooseOrder(others); !slices.Equal(got, want) {
			t.Errorf("%v: order %v, not %v", others, got, want)
		}
	}
}

// If a class has at most 16 bits, descend returns a cheapest parity with at most Most bits.
func TestDescendIsOptimal(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 40 {
		o := Options{Affine: round%2 == 0, Penalty: int64(round % 3), Most: round % 4}
		c, err := New([]Attribute{BinaryCode(2), OneHot(4), BinaryCode(2)}, o)
		if err != nil {
			t.Fatal(err)
		}
		p := class.Problem[[]uint16]{}
		for range 12 {
			x := []uint16{uint16(random.IntN(2)), uint16(random.IntN(4)), uint16(random.IntN(2))}
			p.Points = append(p.Points, class.Point[[]uint16]{X: x, Cost: [2]int64{random.Int64N(9), random.Int64N(9)}})
		}
		costs := map[int64]bool{}
		for h := range c.All() {
			costs[class.Cost(c, p, h)] = true
		}
		spread, _ := c.spread(p)
		base, others := c.weights(p)
		h, cost := c.descend(c.chooseOrder(others), base, others, spread)
		if least := slices.Min(slices.Collect(maps.Keys(costs))); cost != least || class.Cost(c, p, h) != cost || !c.Contains(h) {
			t.Errorf("%+v: %v has cost %d, and the least cost is %d", o, h, cost, least)
		}
	}
}
