package table

import "testing"

// Limits sets, for a test, the number of rows that a Builder holds before it sorts, and the size of
// chunks.
func Limits(t testing.TB, slots, fresh, chunk int) {
	before := [...]int{mostSlots, freshBytes, chunkBytes}
	t.Cleanup(func() { mostSlots, freshBytes, chunkBytes = before[0], before[1], before[2] })
	mostSlots, freshBytes, chunkBytes = slots, fresh, chunk
}

// Held returns the number of bytes of the rows of a Builder that are in no run.
func Held(b *Builder) int64 {
	if b.short != nil {
		return int64(slotBytes * cap(b.short.slots))
	}
	return int64(len(b.fresh.rows) + placeBytes*b.fresh.length)
}

// StreamedCells sets, for a test, the maximum number of cells of marginals that Streamed counts in one pass.
func StreamedCells(t testing.TB, cells int) {
	before := mostStreamedCells
	t.Cleanup(func() { mostStreamedCells = before })
	mostStreamedCells = cells
}
