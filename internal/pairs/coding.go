package pairs

import "math/bits"

// A column of k values is coded by the m = K - 1 Walsh functions on K = 2^n ≥ k values: sign s, for
// s = 1 … m, of value a is +1 if s & a has an even number of ones, and else -1. Walsh functions are
// orthogonal. So the counts of all values follow from the sums of the signs, and the counts of two
// columns from the sums of products; equal noise in all sums is equal noise in all counts. A column
// of two values has one sign.

// An attribute is a column with the positions of its signs and sums.
type attribute struct {
	size  int // k
	full  int // K
	first int // position of its first sign in a row, where the constant sign is 0; also the position of its first sum
	pairs int // position of its first sum of products with a later column
}

// signs returns m, the number of signs of the attribute.
func (a attribute) signs() int { return a.full - 1 }

// coded returns the attributes of columns with these sizes, and the number of signs of a row, D.
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

// transform replaces the K counts of the values of an attribute, which are stride apart, by the sums
// of its signs, the constant sign first: a fast Walsh-Hadamard transform. Applied twice it multiplies
// by K.
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
