package table

import (
	"encoding/binary"
	"math/bits"
)

// A layout describes how a record and its outcome are packed into a row of bits. A row consists of the codes of the
// attributes, the outcome, and zeros up to the next byte boundary. Each code has as many bits as are needed for the
// number of categories. Bits are filled from the high bit of the first byte on. So sorting rows as byte strings
// sorts records by their codes and then by their outcomes.
type layout struct {
	sizes    []int
	outcomes int
	fields   []field // the fields of the attributes, and then that of the outcome
	stride   int     // the number of bytes of a row, at least one
	words    int     // the number of 64-bit words of a row
	shift    int     // a full chunk has 1<<shift rows
}

// A field describes where the code of one attribute, or the outcome, is stored in the bits of a row.
type field struct {
	size  int // codes are less than size
	first int // the index of the code's first bit in the row
	bits  int // the number of the code's bits, at most 16
	word  int // the index of the 64-bit word that contains the first bit
	up    int // the number of bits that follow the code in this word; negative if the code continues in the next word
}

// chunkBytes is the approximate number of bytes of the rows in a chunk. A run stores its rows in chunks.
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

// set stores a code in the words of a row. The bits of the field must be zero before the call.
func (f field) set(words []uint64, code uint16) {
	if f.up >= 0 {
		words[f.word] |= uint64(code) << (f.up & 63)
		return
	}
	words[f.word] |= uint64(code) >> -f.up
	words[f.word+1] |= uint64(code) << (64 + f.up)
}

// get returns the code in the field f of the row that begins at rows[start]. It may read padding bytes after the row.
func (f field) get(rows []byte, start int) uint16 {
	four := binary.BigEndian.Uint32(rows[start+f.first/8:])
	return uint16(four << (f.first % 8) >> (32 - f.bits))
}

// padding is the number of bytes after the last row of a chunk. It allows field.get to read four bytes from every
// position of a row.
const padding = 4

// pack sets words to the packed form of a record with its outcome.
func (l *layout) pack(words []uint64, r Record, outcome int) {
	clear(words)
	for j, code := range r {
		l.fields[j].set(words, code)
	}
	l.fields[len(r)].set(words, uint16(outcome))
}

// appendRow appends a packed row, given as 64-bit words, to the parameter rows. Only the first n bytes of the words
// belong to the row, where n is the field stride.
func appendRow(rows []byte, words []uint64, stride int) []byte {
	end := len(rows) + stride
	for _, word := range words {
		rows = binary.BigEndian.AppendUint64(rows, word)
	}
	return rows[:end]
}
