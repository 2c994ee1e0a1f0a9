package table

import (
	"bytes"
	"cmp"
)

// A numeral is a number as its text writes it: ±whole.fraction·10^exponent. Its digits are slices of the text, so
// parsing allocates no memory.
type numeral struct {
	negative        bool
	whole, fraction []byte // digits; whole may also contain separators, which are bytes other than digits
	digits          int    // the number of digits in whole
	exponent        int64
}

// mostExponent is the maximum absolute value of an exponent that a numeral stores. Larger exponents are clamped,
// which does not change comparisons, because no text has as many digits.
const mostExponent = 1 << 40

// parseNumeral parses a number: an optional sign, digits and at most one decimal mark, with at least one digit. If
// the parameter exponent is true, an exponent may follow: e or E, an optional sign and an integer, as in
// "-1.25e+3". If separators are given, one of them may divide the digits before the decimal mark into groups, of
// which the first has 1 to 3 digits and all others have 3.
func parseNumeral(text []byte, mark byte, exponent bool, separators []string) (n numeral, ok bool) {
	if len(text) > 0 && isSign(text[0]) {
		n.negative = text[0] == '-'
		text = text[1:]
	}
	point, digits := -1, 0
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9':
			digits++
			continue
		case c == mark && point < 0:
			point, n.digits = i, digits
			continue
		case exponent && (c == 'e' || c == 'E'):
			if n.exponent, ok = parseExponent(text[i+1:]); !ok {
				return numeral{}, false
			}
			text = text[:i]
		case separators != nil && point < 0: // grouped checks it
			continue
		default:
			return numeral{}, false
		}
		break
	}
	n.whole = text
	if point >= 0 {
		n.whole, n.fraction = text[:point], text[point+1:]
	} else {
		n.digits = digits
	}
	if digits == 0 || n.digits < len(n.whole) && !grouped(n.whole, separators) {
		return numeral{}, false
	}
	return n, true
}

// grouped reports whether the text consists of digits that separators divide into groups of three, where the first
// group may be shorter.
func grouped(text []byte, separators []string) bool {
	for first := true; ; first = false {
		digits := 0
		for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
			digits++
		}
		if digits != 3 && (!first || digits < 1 || digits > 3) {
			return false
		}
		if text = text[digits:]; len(text) == 0 {
			return true
		}
		separated := false
		for _, s := range separators {
			if bytes.HasPrefix(text, []byte(s)) {
				text, separated = text[len(s):], true
				break
			}
		}
		if !separated {
			return false
		}
	}
}

// numeralOf converts a canonical Decimal to a numeral.
func numeralOf(d Decimal) numeral {
	n, _ := parseNumeral([]byte(d), '.', false, nil)
	return n
}

// parseExponent reads an integer with an optional sign, and clamps it to ±mostExponent.
func parseExponent(text []byte) (exponent int64, ok bool) {
	negative := false
	if len(text) > 0 && isSign(text[0]) {
		negative = text[0] == '-'
		text = text[1:]
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		exponent = min(10*exponent+int64(c-'0'), mostExponent)
	}
	if negative {
		exponent = -exponent
	}
	return exponent, len(text) > 0
}

// floorScaled returns the number multiplied by 10^places and rounded down. The result exact is false if the
// product is not an integer. A product above scaleLimit becomes scaleLimit, and a product below -scaleLimit
// becomes -scaleLimit or -scaleLimit-1.
func (n numeral) floorScaled(places int) (scaled int64, exact bool) {
	left := int64(n.digits) + int64(places) + n.exponent // the digits before the point of x·10^places
	var m int64
	exact = true
	for _, part := range [2][]byte{n.whole, n.fraction} {
		for _, c := range part {
			if c < '0' || c > '9' {
				continue
			}
			if left > 0 {
				m = shift(m, int64(c-'0'))
				left--
			} else if c != '0' {
				exact = false
			}
		}
	}
	for ; left > 0 && m != 0 && m < scaleLimit; left-- {
		m = shift(m, 0)
	}
	if !n.negative {
		return m, exact
	}
	if !exact {
		return -m - 1, false
	}
	return -m, true
}

// shift appends the decimal digit d to the number m: it returns 10m + d, but at most scaleLimit.
func shift(m, d int64) int64 {
	if m >= scaleLimit/10 {
		return scaleLimit
	}
	return 10*m + d
}

// compare compares two numbers: it returns -1, 0 or 1 if n is less than, equal to, or greater than other. Its
// running time is linear in the lengths of the two texts and does not depend on the exponents.
func (n numeral) compare(other numeral) int {
	a, b := n.significant(), other.significant()
	sign := n.sign(a)
	if by := cmp.Compare(sign, other.sign(b)); by != 0 || sign == 0 {
		return by
	}
	if by := cmp.Compare(a.magnitude, b.magnitude); by != 0 {
		return sign * by
	}
	for a.left() || b.left() {
		if by := cmp.Compare(a.next(), b.next()); by != 0 {
			return sign * by
		}
	}
	return 0
}

func (n numeral) sign(s significant) int {
	switch {
	case !s.left():
		return 0
	case n.negative:
		return -1
	}
	return 1
}

// A significant iterates over the digits of a numeral, from the first digit that is not 0. Unless the numeral is
// 0, its absolute value is less than 10^magnitude and at least 10^(magnitude-1).
type significant struct {
	parts     [2][]byte
	magnitude int64
}

func (n numeral) significant() significant {
	s := significant{[2][]byte{n.whole, n.fraction}, int64(n.digits) + n.exponent}
	for s.left() && s.peek() == '0' {
		s.next()
		s.magnitude--
	}
	return s
}

// left reports whether the iterator has another digit. It moves past separators of thousands.
func (s *significant) left() bool {
	for len(s.parts[0]) > 0 && (s.parts[0][0] < '0' || s.parts[0][0] > '9') {
		s.parts[0] = s.parts[0][1:]
	}
	return len(s.parts[0])+len(s.parts[1]) > 0
}

func (s *significant) peek() byte {
	if len(s.parts[0]) > 0 {
		return s.parts[0][0]
	}
	return s.parts[1][0]
}

// next returns the next digit of the numeral, or 0 after the last one.
func (s *significant) next() byte {
	if !s.left() {
		return '0'
	}
	c := s.peek()
	if len(s.parts[0]) > 0 {
		s.parts[0] = s.parts[0][1:]
	} else {
		s.parts[1] = s.parts[1][1:]
	}
	return c
}
