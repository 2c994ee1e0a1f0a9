package parity

import (
	"fmt"
	"math/bits"
	"strings"
)

// A Parity predicts the XOR of the bits in a set S, and of 1 if Constant is true. The bits of a
// record are numbered from 0, attribute by attribute. The set S contains the numbers of the bits
// that are set in Bits. The zero value predicts 0.
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

// odd returns 1 if an odd number of bits of w are set, and 0 otherwise.
func odd(w uint64) int { return bits.OnesCount64(w) & 1 }
