package dectree

import "testing"

// A reduced tree predicts as the tree does, its leaves predict as the leaves that records
// end at, in order, and at each of them some record ends.
func TestReduce(t *testing.T) {
	smaller := 0
	for _, c := range []*Class{
		mustNew(t, []Attribute{{2, 0}}, 2, 2), mustNew(t, []Attribute{{3, 0}, {1, 1}}, 2, 2),
		mustNew(t, []Attribute{{5, 4}, {2, 2}}, 2, 2),
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
		for h := range c.All() {
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
