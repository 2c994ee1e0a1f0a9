package convex

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// An Encoding determines how the categories of an attribute are mapped to columns of a 0/1 vector.
type Encoding uint8

const (
	// Reference has a column for each category except the first.
	Reference Encoding = iota
	// OneHot has a column for each category, except that an attribute with two
	// categories has one column.
	OneHot
	// Binary has a column for each binary digit of the code.
	Binary
)

var encodings = []string{Reference: "reference", OneHot: "one-hot", Binary: "binary"}

// String returns "reference", "one-hot" or "binary".
func (e Encoding) String() string {
	if int(e) < len(encodings) {
		return encodings[e]
	}
	return fmt.Sprintf("Encoding(%d)", uint8(e))
}

// MarshalText returns the encoding's name, such as "one-hot".
func (e Encoding) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads the name of an encoding.
func (e *Encoding) UnmarshalText(text []byte) error {
	i := slices.Index(encodings, string(text))
	if i < 0 {
		return fmt.Errorf("%.40q must be one of %s", text, strings.Join(encodings, ", "))
	}
	*e = Encoding(i)
	return nil
}

// Features define the columns of the 0/1 vectors to which records are mapped. Column 0 is 1 for
// every record, and each attribute has columns of its own. Features are public and immutable.
type Features struct {
	ones    [][][]int // by attribute and code, the columns with a one
	widths  []int     // by attribute, the number of columns
	columns int
	most    int

	smoothed []smoothing // of the attributes whose order DPSGD uses
}

// NewFeatures returns the features for attributes that are all encoded in the same way. The
// parameter sizes lists the number of categories of each attribute.
func NewFeatures(e Encoding, sizes []int) (*Features, error) {
	f := &Features{columns: 1, most: 1}
	for j, size := range sizes {
		if size < 1 || size > 1<<16 {
			return nil, fmt.Errorf("convex: attribute %d has %d categories; 1 to %d are supported", j, size, 1<<16)
		}
		columns, ones := encode(e, size)
		most := 0
		for _, own := range ones {
			most = max(most, len(own))
			for i := range own {
				own[i] += f.columns
			}
		}
		f.columns += columns
		f.widths = append(f.widths, columns)
		f.most += most
		f.ones = append(f.ones, ones)
	}
	return f, nil
}

// encode applies an encoding to an attribute with the given number of categories. It returns the
// number of columns, and for each category the list of the columns that are 1.
func encode(e Encoding, size int) (columns int, ones [][]int) {
	ones = make([][]int, size)
	switch {
	case e == Binary:
		for c := range ones {
			for rest := uint(c); rest != 0; rest &= rest - 1 {
				ones[c] = append(ones[c], bits.TrailingZeros(rest))
			}
		}
		return bits.Len(uint(size - 1)), ones
	case e == OneHot && size != 2:
		for c := range ones {
			ones[c] = []int{c}
		}
		return size, ones
	}
	for c := 1; c < size; c++ {
		ones[c] = []int{c - 1}
	}
	return size - 1, ones
}

// Columns returns the number of columns of a 0/1 vector, including the constant column.
func (f *Features) Columns() int { return f.columns }

// Most returns the maximum number of ones in the 0/1 vector of a record, including the constant
// column.
func (f *Features) Most() int { return f.most }

// Row appends to the list own the columns in which the 0/1 vector of the record is 1, and returns
// the list. The record must have a valid code for each attribute.
func (f *Features) Row(own []int, record []uint16) []int {
	own = append(own, 0)
	for j, c := range record {
		own = append(own, f.ones[j][c]...)
	}
	return own
}
