package conjunction

import "math/bits"

// A code assigns a code word to every option of an attribute. The indices of the options have s
// binary digits. The code word of option o consists of copies of two encodings of o:
//
//   - the s digits of o; any two options differ in at least one digit;
//   - the simplex code of o, which has a bit for each number v from 1 to 2^s-1: the parity of o &
//     v. Any two options differ in exactly 2^(s-1) of these bits.
type code struct {
	digits  int // s
	simplex int // number of copies of the simplex code
	plain   int // number of copies of the digits
}

// codeFor returns the shortest code of this kind for n options whose minimum distance is at least
// h.
func codeFor(n, h int) code {
	best := code{digits: bits.Len(uint(n - 1))}
	if best.digits == 0 {
		return best // a single option needs no bits
	}
	best.plain = h
	simplexDistance := 1 << (best.digits - 1)
	for _, simplex := range []int{h / simplexDistance, (h + simplexDistance - 1) / simplexDistance} {
		k := code{best.digits, simplex, max(0, h-simplex*simplexDistance)}
		if k.len() < best.len() {
			best = k
		}
	}
	return best
}

// len returns the number of bits of each code word of the code.
func (k code) len() int { return k.plain*k.digits + k.simplex*(1<<k.digits-1) }

// distance returns the minimum Hamming distance between the code words of two options, of which
// there must be at least two.
func (k code) distance() int { return k.plain + k.simplex<<(k.digits-1) }

// appendWord appends the code word of option o to word.
func (k code) appendWord(word []bool, o int) []bool {
	for range k.plain {
		for i := range k.digits {
			word = append(word, o>>i&1 == 1)
		}
	}
	for range k.simplex {
		for mask := 1; mask < 1<<k.digits; mask++ {
			word = append(word, bits.OnesCount(uint(o&mask))%2 == 1)
		}
	}
	return word
}

// cost returns the sum of the terms of those bits that are 1 in the code word of option o.
func (k code) cost(terms []int64, o int) int64 {
	sum := int64(0)
	for i, set := range k.appendWord(make([]bool, 0, k.len()), o) {
		if set {
			sum += terms[i]
		}
	}
	return sum
}
