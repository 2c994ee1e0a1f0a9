package source_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// batches is a table.Counts that records the number of cells of each query. The last cell of each
// marginal has one unit.
type batches struct {
	table.Counts
	sizes  []int
	asked  []int // the number of cells of each query
	lists  int
	widest int // the maximum number of cells of a query
}

func (b *batches) Sizes() []int  { return b.sizes }
func (b *batches) Outcomes() int { return 2 }

func (b *batches) Marginals(_ context.Context, of [][]table.Axis) ([][]int64, error) {
	var all [][]int64
	cells := 0
	for _, axes := range of {
		own := make([]int64, table.Cells(axes))
		own[len(own)-1] = int64(1 + b.lists)
		b.lists++
		b.widest = max(b.widest, len(own))
		cells += len(own)
		all = append(all, own)
	}
	b.asked = append(b.asked, cells)
	return all, nil
}

// source.Cells queries the marginals in batches of limited size and visits their cells in order.
func TestCellsAreAskedInBatches(t *testing.T) {
	b := &batches{sizes: slices.Repeat([]int{64}, 8)}
	var lists [][]int
	for j := range b.sizes {
		for i := range j {
			for h := range i {
				lists = append(lists, []int{h, i, j})
			}
		}
	}
	next := 0
	err := source.Cells(context.Background(), b, lists, func(list int, codes []uint16, outcome int, units int64) error {
		if list != next || units != int64(1+next) || outcome != 1 || fmt.Sprint(codes) != "[63 63 63]" {
			return fmt.Errorf("list %d has %d at %v, %d", list, units, codes, outcome)
		}
		next++
		return nil
	})
	if err != nil || next != len(lists) {
		t.Fatalf("%d of %d lists: %v", next, len(lists), err)
	}
	const most = 1 << 20
	for i, cells := range b.asked {
		if last := i == len(b.asked)-1; cells >= most+b.widest || !last && cells < most {
			t.Errorf("%d cells at a time, where lists have %d", cells, b.widest)
		}
	}
}
