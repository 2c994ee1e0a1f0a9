package explicit

import (
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// Separator returns the number m of separator bits, the bits that represent a hypothesis. If the class has a code, m
// is the length of its codewords. Otherwise m is ⌈log₂ N⌉ for N hypotheses.
func (c *Class[X]) Separator() int {
	if c.code != nil {
		return len(c.code[0])
	}
	return class.NumberBits(len(c.hypotheses))
}

// Separate returns the separator bits of hypothesis h: its codeword or, without a code, the binary digits of its index,
// the lowest first.
func (c *Class[X]) Separate(h int) []bool {
	if c.code != nil {
		return slices.Clone(c.code[h])
	}
	return class.Number(h, c.Separator())
}

// Distance returns the minimum number of separator bits in which two hypotheses differ. It returns 1 if the class has
// no code, or only one hypothesis.
func (c *Class[X]) Distance() int { return c.distance }

// distance checks that code is a valid code for n hypotheses, and returns its minimum Hamming distance.
func distance(code [][]bool, n int) (int, error) {
	if len(code) != n {
		return 0, fmt.Errorf("explicit: the code of the separator, Code, has %d codewords, but must have one for each of the %d hypotheses", len(code), n)
	}
	each := (len(code[0]) + 63) / 64
	packed := make([]uint64, n*each)
	for i, word := range code {
		if len(word) != len(code[0]) {
			return 0, fmt.Errorf("explicit: all codewords must have the same length, but codeword %d has %d bits and the first has %d", i+1, len(word), len(code[0]))
		}
		for b, set := range word {
			if set {
				packed[i*each+b/64] |= 1 << (b % 64)
			}
		}
	}
	if n == 1 {
		return 1, nil
	}
	d := 0
	if each > 0 {
		d = class.LeastDistance(packed, each)
	}
	if d == 0 {
		return 0, fmt.Errorf("explicit: the codewords must be distinct, but two of them are equal")
	}
	return d, nil
}
