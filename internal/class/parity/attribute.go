package parity

import (
	"fmt"
	"math/bits"
)

// An Attribute says which bits one attribute of a record gives, by its
// category. Make it with Binary, OneHot or BinaryCode.
type Attribute struct {
	categories int
	bits       int
	oneHot     bool
}

// Binary gives one bit: the category, 0 or 1.
func Binary() Attribute { return BinaryCode(2) }

// OneHot gives categories-1 bits: category c > 0 sets bit c-1 and no other.
// Category 0 is the reference and sets none; with a bit of its own, the XOR of
// all of them would be constant.
func OneHot(categories int) Attribute {
	return Attribute{categories: categories, bits: categories - 1, oneHot: true}
}

// BinaryCode gives ⌈log₂ categories⌉ bits: those of the category's number, the
// lowest first.
func BinaryCode(categories int) Attribute {
	return Attribute{categories: categories, bits: bits.Len(uint(categories - 1))}
}

// mostCategories is how many a record can tell apart.
const mostCategories = 1 << 16

// validate reports in one sentence what is wrong with the attribute.
func (a Attribute) validate() error {
	if a.categories < 1 || a.categories > mostCategories {
		return fmt.Errorf("%d categories are outside 1..%d", a.categories, mostCategories)
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
