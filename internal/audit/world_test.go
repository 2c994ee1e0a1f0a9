package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/privacy"
)

func TestWorld(t *testing.T) {
	for _, c := range []struct {
		r             privacy.Relation
		kinds, most   int
		tables, pairs int
	}{
		{privacy.AddRemove, 4, 3, 35, 4 * (1 + 4 + 10)},
		{privacy.AddRemove, 1, 3, 4, 3},
		{privacy.ReplaceOne, 2, 3, 10, 1 + 2 + 3},
		{privacy.ReplaceOne, 4, 3, 35, 6 + 6*4 + 6*10},
		{privacy.ReplaceOne, 1, 3, 4, 0},
	} {
		w := audit.NewWorld(c.r, c.kinds, c.most, audittest.Counts)
		if len(w.Tables) != c.tables || len(w.Pairs) != c.pairs {
			t.Errorf("%v, %d kinds, %d records: %d tables, %d pairs, want %d and %d",
				c.r, c.kinds, c.most, len(w.Tables), len(w.Pairs), c.tables, c.pairs)
		}
		slices.SortFunc(w.Tables, slices.Compare)
		if n := len(slices.CompactFunc(w.Tables, slices.Equal)); n != c.tables {
			t.Errorf("%d distinct tables of %d", n, c.tables)
		}
	}
}

// The world of tables with exactly n records is a part of the world of tables with at most n records.
// So are its pairs of neighbours.
func TestWorldOfSize(t *testing.T) {
	const kinds, records = 3, 4
	all, some := audit.NewWorld(privacy.ReplaceOne, kinds, records, audittest.Counts), audit.WorldOfSize(kinds, records, audittest.Counts)
	pairs := func(w audit.World[[]int64]) (names []string) {
		for _, p := range w.Pairs {
			a, b := fmt.Sprint(w.Tables[p[0]]), fmt.Sprint(w.Tables[p[1]])
			if sum := w.Tables[p[0]]; sum[0]+sum[1]+sum[2] == records {
				names = append(names, min(a, b)+max(a, b))
			}
		}
		slices.Sort(names)
		return names
	}
	if want, got := pairs(all), pairs(some); len(some.Tables) != 15 || len(some.Pairs) != len(got) || !slices.Equal(got, want) {
		t.Errorf("%d tables with the neighbours %v, want 15 with %v", len(some.Tables), got, want)
	}
}
