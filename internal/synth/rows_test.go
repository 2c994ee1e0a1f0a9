package synth

import (
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// row is a row of a table with its outcome last.
type row []uint16

// tabulated returns the table of rows over columns of these sizes, the last of them the
// outcome, each row as often as it is listed.
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

// random returns so many rows, uniform over values that are at most the column's own number.
func random(r *rand.Rand, sizes []int, n int) []row {
	rows := make([]row, n)
	for i := range rows {
		for _, size := range sizes {
			rows[i] = append(rows[i], uint16(min(r.IntN(size), r.IntN(size))))
		}
	}
	return rows
}
