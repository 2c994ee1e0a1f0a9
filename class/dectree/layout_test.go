package dectree

import (
	"math"
	"testing"
)

// A layout does not fall with the records or the depth, however many, and neither does
// the work.
func TestLayout(t *testing.T) {
	last, work := mustNew(t, []Attribute{{900, 0}, {60, 60}}, 1, 2).Layout(0), int64(0)
	for depth := 1; depth <= MostDepth; depth++ {
		c := mustNew(t, []Attribute{{900, 0}, {60, 60}}, depth, 2)
		for _, records := range []int64{0, 1, 1000, 1 << 31, math.MaxInt64} {
			l := c.Layout(records)
			if records > 0 && (l.Cells < last.Cells || l.Bytes < last.Bytes) || l.Tabulated {
				t.Errorf("depth %d, %d records: %+v after %+v", depth, records, l, last)
			}
			last = l
		}
		if last.Cells != math.MaxInt64 || c.Work(1<<20) < work || c.Work(0) > c.Work(1<<20) {
			t.Errorf("depth %d: %+v, and %d steps after %d", depth, last, c.Work(1<<20), work)
		}
		last, work = c.Layout(0), c.Work(1<<20)
	}
}
