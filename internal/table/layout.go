package table

import (
	"encoding/binary"
	"math/bits"
)

// A layout says how a record and its outcome are written as a row of bits: the code of each
// attribute in as many bits as its size needs, and after them the outcome, from the high bit
// of the first byte on, and zeros up to the end of the last byte. So rows in the order of
// their bytes are in canonical order.
type layout struct {
	sizes    []int
	outcomes int
	fields   []field // of the attributes, and of the outcome
	stride   int     // bytes of a row, at least one
	words    int     // of 64 bits that hold a row
	shift    int     // a full chunk has 1<<shift rows
}

// A field is where a code lies in a row.
type field struct {
	size  int // that codes are below
	first int // its first bit
	bits  int // at most 16
	word  int // of 64 bits, where it begins
	up    int // bits of the word behind it; negative where it goes on in the next
}

// chunkBytes is about how many bytes of rows a full chunk has.
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

// set enters a code into the words of a row, where it is zero so far.
func (f field) set(words []uint64, code uint16) {
	if f.up >= 0 {
		words[f.word] |= uint64(code) << (f.up & 63)
		return
	}
	words[f.word] |= uint64(code) >> -f.up
	words[f.word+1] |= uint64(code) << (64 + f.up)
}

// get reads a code of the row that starts there; behind the last row lie padding bytes.
func (f field) get(rows []byte, start int) uint16 {
	four := binary.BigEndian.Uint32(rows[start+f.first/8:])
	return uint16(four << (f.first % 8) >> (32 - f.bits))
}

// padding is how many bytes follow the last row of a chunk, so that four can be read where a
// row ends.
const padding = 4

// pack sets the words of a row.
func (l *layout) pack(words []uint64, r Record, outcome int) {
	clear(words)
	for j, code := range r {
		l.fields[j].set(words, code)
	}
	l.fields[len(r)].set(words, uint16(outcome))
}

// appendRow appends a row of that many bytes.
func appendRow(rows []byte, words []uint64, stride int) []byte {
	end := len(rows) + stride
	for _, word := range words {
		rows = binary.BigEndian.AppendUint64(rows, word)
	}
	return rows[:end]
}
