package parquet

import (
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/sibyl-dp/sibyl/internal/source"
)

// Columns of numbers often have no dictionary. A number is coded by converting it to text and coding this text. This
// takes much longer than looking up the codes of a number that occurred before, so a memo caches the codes.

const (
	memoBits = 12
	multiple = 0x9e3779b97f4a7c15 // odd, so that only the key 0 has the product 0
)

// A memo is a direct-mapped cache of the category codes of numbers. The key of a number is the bits of its value,
// and a hash of the key determines the only slot in which the number can be stored. The index after the last slot
// represents a missing value.
type memo struct {
	kind   parquet.Kind
	append appender
	coders []source.Coder
	keys   [1 << memoBits]uint64
	codes  [][]uint16 // by coder and slot, the code of the number in the slot
	text   []byte
}

// isNumber reports whether the values of the given Parquet type are numbers, so that a memo can cache their codes.
func isNumber(kind parquet.Kind) bool {
	return kind == parquet.Int32 || kind == parquet.Int64 || kind == parquet.Float || kind == parquet.Double
}

func newMemo(kind parquet.Kind, text appender, coders []source.Coder) *memo {
	m := &memo{kind: kind, append: text, coders: coders}
	for _, code := range coders {
		codes := make([]uint16, len(m.keys)+1)
		codes[len(m.keys)] = code(nil)
		m.codes = append(m.codes, codes)
	}
	// All keys are 0 at first. Only slot 0 may have the key 0, so its codes are set here.
	m.enter(0, 0)
	return m
}

// missing returns the index that represents a missing value, which is the one after the last slot of the memo.
func (m *memo) missing() int { return len(m.keys) }

// slot returns the slot of the number with the given key, after storing the number there if necessary. The codes in
// the slot are valid until the next call.
func (m *memo) slot(key uint64) int {
	at := int(key * multiple >> (64 - memoBits))
	if m.keys[at] != key {
		m.enter(at, key)
	}
	return at
}

// enter stores a number, given by its key, and its codes in the slot with the index at.
func (m *memo) enter(at int, key uint64) {
	m.keys[at] = key
	m.text = m.append(m.text[:0], m.value(key))
	for k, code := range m.coders {
		m.codes[k][at] = code(m.text)
	}
}

// value converts a key of the memo to the number that it represents.
func (m *memo) value(key uint64) parquet.Value {
	switch m.kind {
	case parquet.Int32:
		return parquet.Int32Value(int32(key))
	case parquet.Int64:
		return parquet.Int64Value(int64(key))
	case parquet.Float:
		return parquet.FloatValue(math.Float32frombits(uint32(key)))
	}
	return parquet.DoubleValue(math.Float64frombits(key))
}

// read appends the keys of the numbers of a page to the slice keys. A key is the bits of a number.
func (m *memo) read(keys []uint64, data encoding.Values) []uint64 {
	switch m.kind {
	case parquet.Int32:
		for _, v := range data.Int32() {
			keys = append(keys, uint64(uint32(v)))
		}
	case parquet.Int64:
		for _, v := range data.Int64() {
			keys = append(keys, uint64(v))
		}
	case parquet.Float:
		for _, v := range data.Float() {
			keys = append(keys, uint64(math.Float32bits(v)))
		}
	case parquet.Double:
		for _, v := range data.Double() {
			keys = append(keys, math.Float64bits(v))
		}
	}
	return keys
}
