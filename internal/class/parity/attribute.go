package parity

import (
	"fmt"
	"math/bits"
)

// An Attribute defines how the categories of one attribute are encoded as bits. Use OneHot or
// BinaryCode to create one.
type Attribute struct {
	categories int
	bits       int
	oneHot     bool
}

// OneHot returns an attribute with categories-1 bits: category c > 0 sets only bit c-1, and
// category 0 sets no bit. A bit for category 0 would make the XOR of all bits constant.
func OneHot(categories int) Attribute {
	return Attribute{categories: categories, bits: categories - 1, oneHot: true}
}

// BinaryCode returns an attribute with ⌈log₂ categories⌉ bits, the binary digits of the category,
// lowest first.
func BinaryCode(categories int) Attribute {
	return Attribute{categories: categories, bits: bits.Len(uint(categories - 1))}
}

// Attributes returns one attribute for each element of sizes, the number of categories: BinaryCode
// if digits is true, and otherwise OneHot.
func Attributes(sizes []int, digits bool) []Attribute {
	all := make([]Attribute, len(sizes))
	for j, n := range sizes {
		if all[j] = OneHot(n); digits {
			all[j] = BinaryCode(n)
		}
	}
	return all
}

// mostCategories is the maximum number of categories of an attribute. Records store categories as
// uint16.
const mostCategories = 1 << 16

// validate returns an error if the attribute is invalid.
func (a Attribute) validate() error {
	if a.categories < 1 || a.categories > mostCategories {
		return fmt.Errorf("the number of categories is %d, but must be 1 to %d", a.categories, mostCategories)
	}
	return nil
}

// word returns the bits that encode category c, as the bits of an integer.
func (a Attribute) word(c uint16) uint64 {
	switch {
	case !a.oneHot:
		return uint64(c)
	case c == 0:
		return 0
	}
	return 1 << (c - 1)
}
