package synth

import (
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A row is a row of a table with its outcome last.
type row []uint16

// tabulated returns the table of the rows over columns of these sizes, the last of them the
// outcome.
func tabulated(t testing.TB, sizes []int, rows []row, nulls int64) *table.Table {
	t.Helper()
	last := len(sizes) - 1
	b := table.NewBuilderOf(sizes[:last], sizes[last])
	for _, r := range rows {
		if err := b.AddOutcome(r[:last], int(r[last]), 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(nulls); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}

// random returns n rows. A value is uniform over 0 to its column's index.
func random(r *rand.Rand, sizes []int, n int) []row {
	rows := make([]row, n)
	for i := range rows {
		for _, size := range sizes {
			rows[i] = append(rows[i], uint16(min(r.IntN(size), r.IntN(size))))
		}
	}
	return rows
}
