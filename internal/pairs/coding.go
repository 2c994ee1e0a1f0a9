package pairs

import "math/bits"

// A column of k values is coded by the m = K - 1 characters of the group of K = 2^b ≥ k
// values, its Walsh functions: character s = 1 … m of value a is + where s & a has an even
// number of ones. They are orthogonal, so that the counts of all values follow from their
// sums, those of two columns from the sums of products, and noise that is alike in all
// sums is alike in all counts. A column of two values is one sign.

// An attribute is a column of the table with its place among the signs.
type attribute struct {
	size  int // values, k
	full  int // K
	first int // its first sign among those of a row, of which the constant one is 0; also the place of its first sum
	pairs int // the place of the first sum of a product of its signs with those of a later column
}

// signs is how many an attribute has, m.
func (a attribute) signs() int { return a.full - 1 }

// coded lays out columns of these sizes, and returns the number of signs of a row, D.
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

// transform turns the K counts of the values of an attribute, which are stride apart, into
// the sums of its characters, the constant one first, or K times back.
func transform[T int64 | float64](v []T, stride, full int) {
	for half := stride; half < stride*full; half *= 2 {
		for i := 0; i < stride*full; i += 2 * half {
			for j := i; j < i+half; j += stride {
				v[j], v[j+half] = v[j]+v[j+half], v[j]-v[j+half]
			}
		}
	}
}

// transformPair is transform of a table of two attributes, row-major, in both.
func transformPair[T int64 | float64](v []T, full, other int) {
	for i := range full {
		transform(v[i*other:(i+1)*other], 1, other)
	}
	for j := range other {
		transform(v[j:], other, full)
	}
}
