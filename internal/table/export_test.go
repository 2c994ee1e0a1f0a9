package table

import "testing"

// Limits sets how much a Builder holds before it sorts, and the size of chunks, for a test.
func Limits(t testing.TB, slots, fresh, chunk int) {
	before := [...]int{mostSlots, freshBytes, chunkBytes}
	t.Cleanup(func() { mostSlots, freshBytes, chunkBytes = before[0], before[1], before[2] })
	mostSlots, freshBytes, chunkBytes = slots, fresh, chunk
}

// Held is how many bytes a Builder holds of rows that are in no run.
func Held(b *Builder) int64 {
	if b.short != nil {
		return int64(slotBytes * cap(b.short.slots))
	}
	return int64(len(b.fresh.rows) + placeBytes*b.fresh.length)
}
