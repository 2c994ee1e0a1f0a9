package audit

import (
	"slices"
	"testing"

	_ "github.com/sibyl-dp/sibyl/internal/smallheap"
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
		w := NewWorld(c.r, c.kinds, c.most, counts)
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
