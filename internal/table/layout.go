package table

import (
	"encoding/binary"
	"math/bits"
)

// A layout describes how a record and its outcome are packed into the bits of a row. A row consists of the codes of
// the attributes, the outcome, and zeros up to the next byte boundary. Each code has as many bits as are needed for
// the number of categories, and bits are filled from the high bit of the first byte on. Therefore, sorting rows as
// byte strings sorts records by their codes and then by their outcomes.
type layout struct {
	sizes    []int
	outcomes int
	fields   []field // the fields of the attributes, and then that of the outcome
	stride   int     // the number of bytes of a row, at least one
	words    int     // the number of 64-bit words of a row
	shift    int     // a full chunk has 1<<shift rows
}

// A field describes which bits of a packed row hold the code of one attribute, or the outcome.
type field struct {
	size  int // codes are less than size
	first int // the index of the code's first bit in the row
	bits  int // the number of the code's bits, at most 16
	word  int // the index of the 64-bit word that contains the first bit
	up    int // the number of bits that follow the code in this word; negative if the code continues in the next word
}

// chunkBytes is the approximate size, in bytes, of the chunks in which a run, a sorted list of rows, is stored.
var chunkBytes = 1 << 20

func newLayout(sizes []int, outcomes int) *layout {
	l := &layout{sizes: append([]int(nil), sizes...), outcomes: outcomes}
	at := 0
	for _, size := range append(l.sizes[:len(sizes):len(sizes)], outcomes) {
		f := field{size: size, first: at, bits: bits.Len(uint(size - 1)), word: at / 64}
		at += f.bits
		f.up = 64*(f.word+1) - at
		l.fields = append(l.fields, f)
	}
	l.stride = max(1, (at+7)/8)
	l.words = (l.stride + 7) / 8
	l.shift = bits.Len(uint(chunkBytes/l.stride)) - 1
	l.shift = max(l.shift, 0)
	return l
}

// set stores a code in the bits of the field f in a packed row. These bits must be zero before the call.
func (f field) set(words []uint64, code uint16) {
	if f.up >= 0 {
		words[f.word] |= uint64(code) << (f.up & 63)
		return
	}
	words[f.word] |= uint64(code) >> -f.up
	words[f.word+1] |= uint64(code) << (64 + f.up)
}

// get returns the code in the bits of the field f of a packed row. The row begins at the index start of the slice
// rows. The function may read padding bytes after the row.
func (f field) get(rows []byte, start int) uint16 {
	four := binary.BigEndian.Uint32(rows[start+f.first/8:])
	return uint16(four << (f.first % 8) >> (32 - f.bits))
}

// padding is the number of unused bytes after the last row of a chunk, so that field.get can read four bytes from
// every position of a row.
const padding = 4

// pack converts a record and its outcome to a packed row, and stores the row in the slice words.
func (l *layout) pack(words []uint64, r Record, outcome int) {
	clear(words)
	for j, code := range r {
		l.fields[j].set(words, code)
	}
	l.fields[len(r)].set(words, uint16(outcome))
}

// appendRow appends a packed row, given as 64-bit words, to the slice rows. The parameter stride is the number of
// bytes of a row; the remaining bytes of the words are dropped.
func appendRow(rows []byte, words []uint64, stride int) []byte {
	end := len(rows) + stride
	for _, word := range words {
		rows = binary.BigEndian.AppendUint64(rows, word)
	}
	return rows[:end]
}
