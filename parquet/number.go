package parquet

import (
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/sibyl-dp/sibyl/internal/source"
)

// Columns of numbers often have no dictionary. To write a number as text and to find that
// text's code takes far longer than to look up the codes of one that was there before.

const (
	memoBits = 12
	multiple = 0x9e3779b97f4a7c15 // odd, so that 0 alone has the product 0
)

// A memo remembers the codes of numbers, one for each slot; a number has one slot where it may
// be. Behind the slots stands the missing value.
type memo struct {
	kind   parquet.Kind
	append appender
	coders []source.Coder
	keys   [1 << memoBits]uint64
	codes  [][]uint16 // for each coder
	text   []byte
}

// isNumber tells whether values of the kind can be remembered.
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
	// In all slots stands the number 0, which is looked for in its own, the first.
	m.enter(0, 0)
	return m
}

// missing is the slot of the missing value.
func (m *memo) missing() int { return len(m.keys) }

// slot returns where the codes of a number are until the next one is looked for.
func (m *memo) slot(key uint64) int {
	at := int(key * multiple >> (64 - memoBits))
	if m.keys[at] != key {
		m.enter(at, key)
	}
	return at
}

func (m *memo) enter(at int, key uint64) {
	m.keys[at] = key
	m.text = m.append(m.text[:0], m.value(key))
	for k, code := range m.coders {
		m.codes[k][at] = code(m.text)
	}
}

// value returns the number of a key.
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

// read appends the keys of the numbers of a page.
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
