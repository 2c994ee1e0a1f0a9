package scorecard

import (
	"math"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// A class over an attribute with the maximum number of categories can be counted, built and walked
// in a moment with some megabytes. Storing for each category a number of the length of all
// categories, or examining all categories for each one, would take minutes and many gigabytes.
func TestWideAttribute(t *testing.T) {
	c, err := New([]Attribute{OneHot(mostCategories, -1, 1), OneHot(3, -1, 1)}, Options{Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := new(big.Int).Exp(big.NewInt(3), big.NewInt(mostCategories+3), nil); c.Size().Cmp(want) != 0 {
		t.Errorf("the size has %d bits, not %d", c.Size().BitLen(), want.BitLen())
	}
	for _, rows := range []int{0, 1, 300} {
		var p class.Problem[[]uint16]
		for i := range rows {
			p.Points = append(p.Points, class.Point[[]uint16]{
				X: []uint16{uint16(i * 37), uint16(i % 3)}, Cost: [2]int64{int64(i / 2 % 2), int64(1 - i/2%2)},
			})
		}
		tree, err := c.Tree(p)
		if err != nil {
			t.Fatal(err)
		}
		h, cost := tree.Incumbent()
		if exact := class.Cost(c, p, h); exact != cost {
			t.Errorf("%d rows: the incumbent is said to cost %d, and costs %d", rows, cost, exact)
		}
		w := tree.Walker()
		for range heavy.Pick(100, 400) {
			whole := w.Leaves()
			sum := new(big.Int)
			for i := range w.Children() {
				sum.Add(sum, w.ChildLeaves(i))
			}
			if sum.Cmp(whole) != 0 {
				t.Fatalf("%d rows: the children have %d bits of leaves, the node %d", rows, sum.BitLen(), whole.BitLen())
			}
			w.Down(0, math.MaxInt64)
		}
	}
}

func TestPowers(t *testing.T) {
	p := newPowers(big.NewInt(7))
	for _, n := range []int{0, 1, 1000, 999, 998, 1001, 5, 3, 4, 2000} {
		if want := new(big.Int).Exp(big.NewInt(7), big.NewInt(int64(n)), nil); p.of(n).Cmp(want) != 0 {
			t.Errorf("7^%d is wrong", n)
		}
	}
	for n := 3000; n > 2800; n-- {
		p.of(n)
	}
	if len(p.kept) > mostPowers {
		t.Errorf("%d powers are kept", len(p.kept))
	}
}
