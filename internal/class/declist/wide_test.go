package declist

import (
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// A class over one attribute with the maximum number of categories is built in a short time. If the
// work for each category examined all others, it would take minutes.
func TestWideAttribute(t *testing.T) {
	const categories = 1<<16 - 1
	c, err := New([]literal.Attribute{literal.Equal(categories)}, Options{Rules: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{0, 1000} {
		var p class.Problem[[]uint16]
		for i := range rows {
			p.Points = append(p.Points, class.Point[[]uint16]{
				X: []uint16{uint16(i * 37 % categories)}, Cost: [2]int64{int64(i % 2), int64(1 - i%2)},
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
		more := w.Children() - 1
		if _, entered := w.Down(more, math.MaxInt64); !entered || w.Children() != 2*categories {
			t.Errorf("%d rows: %d lists of one rule, not %d", rows, w.Children(), 2*categories)
		}
	}
}
