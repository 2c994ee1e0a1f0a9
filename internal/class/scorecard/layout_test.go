package scorecard

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// No tree has more cells, cost tables or patterns than Layout states, for any points.
func TestLayoutIsABound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var attributes []Attribute
		for range 1 + rng.IntN(5) {
			lo := -rng.IntN(3)
			attributes = append(attributes, OneHot(1+rng.IntN(6), lo, lo+rng.IntN(4)))
		}
		o := Options{Threshold: rng.IntN(4) - 1}
		if rng.IntN(3) == 0 {
			o.Norm = 1 + rng.IntN(30)
		}
		c, err := New(attributes, o)
		if err != nil {
			continue
		}
		records := rng.IntN(60)
		var p class.Problem[[]uint16]
		for range records {
			x := make([]uint16, len(attributes))
			for j, a := range attributes {
				x[j] = uint16(rng.IntN(a.categories))
			}
			p.Points = append(p.Points, class.Point[[]uint16]{X: x, Cost: [2]int64{rng.Int64N(9), rng.Int64N(9)}})
		}
		if rng.IntN(2) == 0 {
			p.Terms = make([]int64, c.Separator())
			for i := range p.Terms {
				p.Terms[i] = rng.Int64N(9) - 4
			}
		}
		made, err := c.Tree(p)
		if err != nil {
			t.Fatal(err)
		}
		laid, plain := made.(*tree[int32])
		if !plain {
			laid = made.(*normTree[int32]).tree
		}
		l := c.Layout(int64(records))
		if cells := int64(len(laid.arena)); cells > l.Cells {
			t.Errorf("%v, norm %d, %d records: %d cells, and Layout says %d at most", c, o.Norm, records, cells, l.Cells)
		}
		if memory := int64(4*2*len(laid.arena) + 4*len(laid.mins)); memory > l.Bytes {
			t.Errorf("%v: %d bytes of tables, and Layout says %d in all", c, memory, l.Bytes)
		}
	}
}

// Records that have no category in common do not merge, so their tables nearly reach the bound.
func TestLayoutIsNearlyReached(t *testing.T) {
	const records, attributes = 60, 5
	c, err := New(Uniform(slices.Repeat([]int{records}, attributes), -8, 8), Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	var p class.Problem[[]uint16]
	for i := range records {
		x := make([]uint16, attributes)
		for j := range x {
			x[j] = uint16(i)
		}
		p.Points = append(p.Points, class.Point[[]uint16]{X: x, Cost: [2]int64{int64(i % 2), int64(1 - i%2)}})
	}
	made, err := c.Tree(p)
	if err != nil {
		t.Fatal(err)
	}
	cells, most := int64(len(made.(*tree[int32]).arena)), c.Layout(records).Cells
	if cells > most || 2*cells < most {
		t.Errorf("%d cells, and Layout says %d at most", cells, most)
	}
}
