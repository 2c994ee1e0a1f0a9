package pairs

import "math/bits"

// A column with k values is coded by signs: the values of m = K - 1 Walsh functions on K = 2^n ≥ k points. Sign s of
// value a, for s = 1 … m, is +1 if the number of ones in the binary form of s & a is even, and otherwise -1. Walsh
// functions are orthogonal. So the counts of all values follow from the sums of the signs, and the counts of two
// columns follow from the sums of products of signs. Equal noise in all sums is equal noise in all counts. A column
// with two values has one sign.

// An attribute is a column of the table, with the positions of its signs in the code of a row and of its sums in a
// release.
type attribute struct {
	size  int // k
	full  int // K
	value int // the position of its first value in the list of the values of all attributes
	first int // the position of its first sign in a row, where the constant sign has position 0; also the position of its first sum
	pairs int // the position of its first sum of products with signs of a later column
}

// signs returns the number of signs by which the attribute is coded (m in the package comment).
func (a attribute) signs() int { return a.full - 1 }

// coded returns the attributes of a table whose columns have the given numbers of values. It also returns the number
// D of signs by which a row is coded, including the constant sign.
func coded(sizes []int) (attributes []attribute, signs int) {
	signs = 1
	values := 0
	for _, k := range sizes {
		a := attribute{size: k, full: 1 << bits.Len(uint(k-1)), value: values, first: signs}
		attributes = append(attributes, a)
		values += k
		signs += a.signs()
	}
	at := signs
	for j := range attributes {
		a := &attributes[j]
		a.pairs = at
		at += a.signs() * (signs - a.first - a.signs())
	}
	return attributes, signs
}

// transform replaces the counts of the values of one attribute by sums of signs. The counts are the elements 0,
// stride, 2·stride, … of v, and their number, full, is a power of two. Each result is the sum of one sign over all
// rows, and the first result is the sum of the constant sign. This is a fast Walsh-Hadamard transform. A second call
// restores the counts, multiplied by full.
func transform[T int64 | float64](v []T, stride, full int) {
	for half := stride; half < stride*full; half *= 2 {
		for i := 0; i < stride*full; i += 2 * half {
			for j := i; j < i+half; j += stride {
				v[j], v[j+half] = v[j]+v[j+half], v[j]-v[j+half]
			}
		}
	}
}

// transformPair applies transform to both dimensions of a row-major table with the given numbers of rows (full) and
// columns (other).
func transformPair[T int64 | float64](v []T, full, other int) {
	for i := range full {
		transform(v[i*other:(i+1)*other], 1, other)
	}
	for j := range other {
		transform(v[j:], other, full)
	}
}
