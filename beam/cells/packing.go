package cells

import (
	"math/bits"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Packing encodes a cell of a marginal as a key of fixed length. A cell consists of the codes of some attributes
// and the outcome. For each of these, the Packing has the number of bits that its code takes in the key. The first
// code has the most significant bits, so keys have the same lexicographic order as lists of codes.
type Packing []int

// NewPacking returns the packing for the cells of a marginal. The marginal is that of the outcome and of the
// attributes with the given indices.
func NewPacking(s *table.Schema, list []int) Packing {
	sizes, p := s.Sizes(), make(Packing, 0, len(list)+1)
	for _, j := range list {
		p = append(p, bits.Len(uint(sizes[j]-1)))
	}
	return append(p, bits.Len(uint(s.Outcomes()-1)))
}

// NewRowPacking returns the packing for all attributes and the outcome of a schema. It has room for one more code for
// each of them, which may stand for a value outside the schema's domain.
func NewRowPacking(s *table.Schema) Packing {
	var p Packing
	for _, size := range append(s.Sizes(), s.Outcomes()) {
		p = append(p, bits.Len(uint(size)))
	}
	return p
}

// Len returns the length, in bytes, of the key that the packing makes from the values of a cell.
func (p Packing) Len() int {
	sum := 0
	for _, width := range p {
		sum += width
	}
	return (sum + 7) / 8
}

// Append appends the key for the codes and the outcome to dst. All codes must be within the domains of their
// attributes.
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
