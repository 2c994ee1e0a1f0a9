package cells

import (
	"math/bits"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Packing encodes the codes of some attributes and the outcome as a key. It contains the number of bits for each
// of them, the smallest that suffices. The first code has the most significant bits, so the lexicographic order of
// keys is that of the codes.
type Packing []int

// NewPacking returns the packing for a list of attributes of a schema.
func NewPacking(s *table.Schema, list []int) Packing {
	sizes, p := s.Sizes(), make(Packing, 0, len(list)+1)
	for _, j := range list {
		p = append(p, bits.Len(uint(sizes[j]-1)))
	}
	return append(p, bits.Len(uint(s.Outcomes()-1)))
}

// NewRowPacking returns the packing for all attributes and the outcome, each of which may have one additional value.
func NewRowPacking(s *table.Schema) Packing {
	var p Packing
	for _, size := range append(s.Sizes(), s.Outcomes()) {
		p = append(p, bits.Len(uint(size)))
	}
	return p
}

// Len returns the length of a key in bytes.
func (p Packing) Len() int {
	sum := 0
	for _, width := range p {
		sum += width
	}
	return (sum + 7) / 8
}

// Append appends the key of the codes and the outcome. Each must be within its domain.
func (p Packing) Append(to []byte, codes []uint16, outcome int) []byte {
	word, held := uint32(0), 0
	for j, width := range p {
		code := uint32(outcome)
		if j < len(codes) {
			code = uint32(codes[j])
		}
		word, held = word<<width|code, held+width
		for ; held >= 8; held -= 8 {
			to = append(to, byte(word>>(held-8)))
		}
	}
	if held > 0 {
		to = append(to, byte(word<<(8-held)))
	}
	return to
}

// Unpack decodes a key. It writes the codes of the attributes to codes and returns the outcome.
func (p Packing) Unpack(key []byte, codes []uint16) (outcome int) {
	word, held := uint32(0), 0
	for j, width := range p {
		for ; held < width; held += 8 {
			word, key = word<<8|uint32(key[0]), key[1:]
		}
		held -= width
		code := word >> held & (1<<width - 1)
		if j == len(codes) {
			return int(code)
		}
		codes[j] = uint16(code)
	}
	return 0
}
