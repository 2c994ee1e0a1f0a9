package parity_test

import (
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/parity/paritytest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
)

// least returns the least cost by enumeration.
func least(c enumerable, p problem) int64 {
	out := int64(math.MaxInt64)
	for h := range c.All() {
		out = min(out, class.Cost(c, p, h))
	}
	return out
}

func TestCheckerRefuses(t *testing.T) {
	c := bits(t, 3, parity.Options{Affine: true})
	if _, err := c.Checker(problem{}, []int{2, 0, 1}); err != nil {
		t.Fatal(err)
	}
	for name, plan := range map[string][]int{
		"none": nil, "too short": {0, 1}, "too long": {0, 1, 2, 3}, "twice": {0, 1, 1}, "negative": {0, 1, -1}, "no bit": {0, 1, 3},
	} {
		if _, err := c.Checker(problem{}, plan); err == nil {
			t.Errorf("%s: plan %v is taken", name, plan)
		}
	}
	if _, err := c.Checker(problem{Terms: []int64{1}}, []int{0, 1, 2}); err == nil {
		t.Error("too few terms are taken")
	}
}

// FuzzPlan passes arbitrary plans to the checker. The checker must either refuse a plan, or walk a
// tree with as many leaves as the class has parities and with the true minimum cost.
func FuzzPlan(f *testing.F) {
	f.Add(1, []byte{0, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, seed int, encoded []byte) {
		draw := classtest.FromSeed(seed)
		c := paritytest.Random(draw, 128)
		p := c.Random(draw)
		var plan []int
		for _, b := range encoded {
			plan = append(plan, int(int8(b)))
		}
		k, err := c.Class.Checker(p, plan)
		if err != nil {
			return
		}
		leaves, cost := searchtest.LeastLeaf(t, k)
		if int64(leaves) != c.Class.Size().Int64() || cost != least(c.Class, p) {
			t.Fatalf("%v, plan %v: %d leaves, the least at %d", c.Class, plan, leaves, cost)
		}
	})
}
