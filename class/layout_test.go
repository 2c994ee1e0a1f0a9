package class_test

import (
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
)

// The layout of every class does not decrease as the number of records grows.
func TestLayoutOfEveryClass(t *testing.T) {
	for name, c := range everytest.Fixed() {
		before := c.Class.Layout(0)
		for _, records := range []int64{1, 2, 1000, 1 << 31, math.MaxInt64} {
			l := c.Class.Layout(records)
			if l.Cells < before.Cells || l.Bytes < before.Bytes || l.Cells <= 0 || l.Bytes <= 0 || l.Tabulated != before.Tabulated {
				t.Errorf("%s: %+v for %d records, and %+v for fewer", name, l, records, before)
			}
			before = l
		}
	}
}

func TestLayoutsAddUp(t *testing.T) {
	a := class.Layout{Cells: 3, Bytes: math.MaxInt64 - 1, Tabulated: true}
	if got := a.And(class.Layout{Cells: 4, Bytes: 5}); got != (class.Layout{Cells: 7, Bytes: math.MaxInt64}) {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct{ a, b, sum, product int64 }{
		{0, 5, 5, 0}, {3, 4, 7, 12}, {math.MaxInt64, 1, math.MaxInt64, math.MaxInt64},
		{1 << 32, 1 << 32, 1 << 33, math.MaxInt64}, {1 << 31, 1 << 31, 1 << 32, 1 << 62}, {math.MaxInt64, 0, math.MaxInt64, 0},
	} {
		if got := class.Sum(c.a, c.b); got != c.sum {
			t.Errorf("%d + %d = %d", c.a, c.b, got)
		}
		if got := class.Product(c.a, c.b); got != c.product {
			t.Errorf("%d · %d = %d", c.a, c.b, got)
		}
	}
}
