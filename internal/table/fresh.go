package table

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// freshBytes is the approximate size, in bytes, of the buffer in which a Builder collects long rows before it sorts
// them.
var freshBytes = 4 << 20

// freshRows is a buffer for rows that need more than 64 bits. It stores rows in the order in which they are added;
// the method collapse sorts them and combines equal rows.
type freshRows struct {
	most   int // the size of rows in bytes at which the buffer is full
	rows   []byte
	length int
	counts []int64 // the count of each row; empty if all counts are 1
	order  []place // reused by collapse
}

// A place represents a row of the buffer while the rows are sorted. For fast comparisons it holds the first eight
// bytes of the row, in addition to the index of the row in the buffer (at).
type place struct {
	start uint64
	at    uint32
}

// heldFresh returns the maximum memory, in bytes, that a buffer needs for the given number of rows. The parameter
// stride is the length of a row in bytes.
func heldFresh(rows int64, stride int) int64 {
	return min(rows, int64(freshBytes/stride+1)) * int64(stride+placeBytes)
}

const placeBytes = 16

func (f *freshRows) add(words []uint64, stride int, count int64) {
	if count != 1 || len(f.counts) > 0 {
		for len(f.counts) < f.length {
			f.counts = append(f.counts, 1)
		}
		f.counts = append(f.counts, count)
	}
	f.rows = appendRow(f.rows, words, stride)
	f.length++
}

func (f *freshRows) full() bool { return len(f.rows) >= f.most }

// collapse sorts the rows, returns them as a run, which is a sorted list of distinct rows with counts, and empties
// the buffer. The parameter spare points to a list of unused memory, which the run may use.
func (f *freshRows) collapse(l *layout, spare *[][]byte) run {
	row := func(p place) []byte { return f.rows[int(p.at)*l.stride:][:l.stride] }
	f.order = slices.Grow(f.order[:0], f.length)
	for i := range f.length {
		f.order = append(f.order, place{binary.BigEndian.Uint64(f.rows[i*l.stride:]), uint32(i)})
	}
	slices.SortFunc(f.order, func(p, q place) int {
		if c := cmp.Compare(p.start, q.start); c != 0 {
			return c
		}
		return bytes.Compare(row(p)[8:], row(q)[8:])
	})
	w := newRunWriter(l, f.length, spare)
	for _, p := range f.order {
		count := int64(1)
		if len(f.counts) > 0 {
			count = f.counts[p.at]
		}
		w.add(row(p), count)
	}
	f.rows, f.counts, f.length = f.rows[:0], f.counts[:0], 0
	return w.end()
}
