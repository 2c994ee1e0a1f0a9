package parity

import (
	"fmt"
	"math/bits"
)

// An Attribute maps the categories of one attribute to bits. Make it with Binary, OneHot or
// BinaryCode.
type Attribute struct {
	categories int
	bits       int
	oneHot     bool
}

// Binary has one bit: the category, 0 or 1.
func Binary() Attribute { return BinaryCode(2) }

// OneHot has categories-1 bits: category c > 0 sets only bit c-1, and category 0 sets none. With a
// bit for category 0, the XOR of all bits would be constant.
func OneHot(categories int) Attribute {
	return Attribute{categories: categories, bits: categories - 1, oneHot: true}
}

// BinaryCode has ⌈log₂ categories⌉ bits, the binary digits of the category, lowest first.
func BinaryCode(categories int) Attribute {
	return Attribute{categories: categories, bits: bits.Len(uint(categories - 1))}
}

// mostCategories is the number of categories that a record can represent.
const mostCategories = 1 << 16

// validate returns an error if the attribute is invalid.
func (a Attribute) validate() error {
	if a.categories < 1 || a.categories > mostCategories {
		return fmt.Errorf("number of categories %d is outside 1..%d", a.categories, mostCategories)
	}
	return nil
}

// word returns the bits of category c.
func (a Attribute) word(c uint16) uint64 {
	switch {
	case !a.oneHot:
		return uint64(c)
	case c == 0:
		return 0
	}
	return 1 << (c - 1)
}
