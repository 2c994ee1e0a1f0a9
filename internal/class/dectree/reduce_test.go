package dectree

import (
	"iter"
	"math/rand/v2"
	"testing"
)

// A reduced tree predicts as the tree does, its leaves predict as the leaves that records
// end at, in order, and at each of them some record ends.
func TestReduce(t *testing.T) {
	smaller := 0
	for _, c := range []*Class{
		mustNew(t, []Attribute{{2, 0}}, 2, 2), mustNew(t, []Attribute{{3, 0}, {1, 1}}, 2, 2),
		mustNew(t, []Attribute{{5, 4}, {2, 2}}, 2, 2),
		mustNew(t, []Attribute{{3, 0}, {4, 2}}, 4, 2), // tests on what an answer that is known leaves
	} {
		records := [][]uint16{{}}
		for _, a := range c.attributes {
			var longer [][]uint16
			for _, x := range records {
				for k := range a.Categories {
					longer = append(longer, append(append([]uint16{}, x...), uint16(k)))
				}
			}
			records = longer
		}
		trees := c.All()
		if c.depth > 2 {
			trees = randomTrees(c, 2000)
		}
		for h := range trees {
			written := h.String()
			r := c.Reduce(h)
			if !c.Contains(r) || h.String() != written {
				t.Fatalf("%v is reduced to %v", written, r)
			}
			if r.Leaves() < h.Leaves() {
				smaller++
			}
			leaves, place := make([]bool, r.Leaves()), map[int]int{}
			for _, x := range records {
				leaf := c.LeafOf(r, x)
				leaves[leaf] = true
				if at, seen := place[c.LeafOf(h, x)]; seen && at != leaf || c.Predict(r, x) != c.Predict(h, x) {
					t.Fatalf("%v is reduced to %v, which differs on %v", h, r, x)
				}
				place[c.LeafOf(h, x)] = leaf
			}
			for leaf, reached := range leaves {
				if !reached {
					t.Fatalf("%v is reduced to %v, and nothing ends at leaf %d", h, r, leaf+1)
				}
			}
		}
	}
	if smaller < 100 {
		t.Errorf("%d trees became smaller", smaller)
	}
}

// randomTrees visits n trees with tests and outcomes at random, most of them as deep as the class allows.
func randomTrees(c *Class, n int) iter.Seq[*Tree] {
	random := rand.New(rand.NewPCG(1, 0))
	var of func(depth int) *Tree
	of = func(depth int) *Tree {
		if depth == 0 || random.IntN(8) == 0 {
			return &Tree{Outcome: random.IntN(c.outcomes)}
		}
		return &Tree{Test: random.IntN(len(c.tests)), Yes: of(depth - 1), No: of(depth - 1)}
	}
	return func(yield func(*Tree) bool) {
		for range n {
			if !yield(of(c.depth)) {
				return
			}
		}
	}
}
