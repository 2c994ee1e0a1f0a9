package pairs

import "math/bits"

// A column with k values is coded by signs, the values of m = K - 1 Walsh functions on K = 2^n ≥ k points. For s = 1
// … m, sign s of value a is +1 if the number of ones in the binary form of s & a is even, and otherwise -1. Walsh
// functions are orthogonal. So the counts of all values follow from the sums of the signs, the counts of two columns
// follow from the sums of products of signs, and equal noise in all sums is equal noise in all counts. A column with
// two values has one sign.

// An attribute is a column, with the positions of its signs and of its sums.
type attribute struct {
	size  int // k
	full  int // K
	first int // the position of its first sign in a row, where the constant sign has position 0; also the position of its first sum
	pairs int // the position of its first sum of products with signs of a later column
}

// signs returns m, the number of signs of the attribute.
func (a attribute) signs() int { return a.full - 1 }

// coded returns the attributes of columns whose numbers of values are sizes, and the number D of signs of a row.
func coded(sizes []int) (attributes []attribute, signs int) {
	signs = 1
	for _, k := range sizes {
		a := attribute{size: k, full: 1 << bits.Len(uint(k-1)), first: signs}
		attributes = append(attributes, a)
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

// transform replaces the K counts of an attribute's values by the sums of its signs, the constant sign first. It is a
// fast Walsh-Hadamard transform. The counts are stride elements apart in v. Applying it twice multiplies by K.
func transform[T int64 | float64](v []T, stride, full int) {
	for half := stride; half < stride*full; half *= 2 {
		for i := 0; i < stride*full; i += 2 * half {
			for j := i; j < i+half; j += stride {
				v[j], v[j+half] = v[j]+v[j+half], v[j]-v[j+half]
			}
		}
	}
}

// transformPair applies transform to both dimensions of a row-major table of two attributes.
func transformPair[T int64 | float64](v []T, full, other int) {
	for i := range full {
		transform(v[i*other:(i+1)*other], 1, other)
	}
	for j := range other {
		transform(v[j:], other, full)
	}
}
