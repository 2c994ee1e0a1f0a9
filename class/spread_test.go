package class_test

import (
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

func TestSpread(t *testing.T) {
	half := class.Problem[int]{Points: []class.Point[int]{{Cost: [2]int64{-1 << 60, 0}}}}
	for _, c := range []struct {
		p    class.Problem[int]
		unit int64
		most int64
		ok   bool
	}{
		{class.Problem[int]{}, 0, 1 << 61, true},
		{class.Problem[int]{}, 0, 1<<61 + 1, false},
		{class.Problem[int]{}, 1 << 30, 1 << 31, true},
		{class.Problem[int]{}, 1 << 30, 1<<31 + 1, false},
		{class.Problem[int]{}, math.MaxInt64, math.MaxInt64, false},
		{class.Problem[int]{}, 1 << 32, 1 << 32, false},
		{half, 0, 1 << 60, true},
		{half, 0, 1<<60 + 1, false},
		{class.Problem[int]{Terms: []int64{1 << 61, 1}}, 0, 0, false},
		{class.Problem[int]{Points: []class.Point[int]{{Cost: [2]int64{1<<61 + 1, 0}}}}, 0, 0, false},
		{class.Problem[int]{Points: []class.Point[int]{{Cost: [2]int64{0, 1<<61 + 1}}}}, 0, 0, false},
		{class.Problem[int]{Points: []class.Point[int]{{Cost: [2]int64{-1 << 60, -1<<60 - 1}}}}, 0, 0, false},
	} {
		c.p.Unit = c.unit
		if _, ok := c.p.Spread(c.most); ok != c.ok {
			t.Errorf("%v, penalties up to %d: %v", c.p, c.most, ok)
		}
	}
}
