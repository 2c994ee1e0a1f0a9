package cells

import (
	"math/bits"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Packing describes how a cell of a marginal is encoded as a key of fixed length. A cell consists of the codes of
// some attributes and of the outcome. The Packing has the number of bits of each code in the key. The first code has
// the most significant bits, so keys have the same lexicographic order as lists of codes.
type Packing []int

// NewPacking returns the packing for the cells of the marginal of the attributes with the given indices and of the
// outcome.
func NewPacking(s *table.Schema, list []int) Packing {
	sizes, p := s.Sizes(), make(Packing, 0, len(list)+1)
	for _, j := range list {
		p = append(p, bits.Len(uint(sizes[j]-1)))
	}
	return append(p, bits.Len(uint(s.Outcomes()-1)))
}

// NewRowPacking returns the packing for all attributes and the outcome of a schema. It allows one additional code for
// each of them, which can represent a value outside the schema's domain.
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

// Append appends the key of a cell, given by its codes and its outcome, to dst. All codes must be within the domains
// of their attributes.
func (p Packing) Append(dst []byte, codes []uint16, outcome int) []byte {
	word, held := uint32(0), 0
	for j, width := range p {
		code := uint32(outcome)
		if j < len(codes) {
			code = uint32(codes[j])
		}
		word, held = word<<width|code, held+width
		for ; held >= 8; held -= 8 {
			dst = append(dst, byte(word>>(held-8)))
		}
	}
	if held > 0 {
		dst = append(dst, byte(word<<(8-held)))
	}
	return dst
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
