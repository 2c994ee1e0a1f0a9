package parity

import (
	"fmt"
	"math/bits"
	"strings"
)

// A Parity predicts the XOR of the bits in S, and of 1 if Constant is set. Bit i of Bits is set if
// bit i of the records is in S. The bits of records are numbered attribute by attribute. The zero
// value predicts 0.
type Parity struct {
	Bits     uint64
	Constant bool
}

// String writes the parity as a sum modulo 2, such as x0⊕x3⊕1.
func (h Parity) String() string {
	var parts []string
	for s := h.Bits; s != 0; s &= s - 1 {
		parts = append(parts, fmt.Sprintf("x%d", bits.TrailingZeros64(s)))
	}
	if h.Constant {
		parts = append(parts, "1")
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, "⊕")
}

// odd returns the parity of the bits of w: 1 if their number is odd.
func odd(w uint64) int { return bits.OnesCount64(w) & 1 }
