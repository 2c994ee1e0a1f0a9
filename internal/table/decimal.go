package table

import (
	"cmp"
	"math/big"
	"strings"
)

// A Decimal is an exact decimal number as text: an optional minus sign, digits, and optionally a point and more
// digits. A canonical Decimal has no redundant zeros, so equal numbers have equal texts.
type Decimal string

// ParseDecimal reads a decimal number and returns it in canonical form. The text must consist of an optional
// sign, digits and at most one point, with at least one digit, as in "-12.50", "+3" and ".5". Exponents,
// spaces, digit separators, "inf" and "NaN" are not accepted.
func ParseDecimal(text string) (Decimal, bool) {
	sign, digits := "", text
	if digits != "" && (digits[0] == '+' || digits[0] == '-') {
		sign, digits = digits[:1], digits[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole == "" && fraction == "" {
		return "", false
	}
	for _, part := range [...]string{whole, fraction} {
		for _, c := range []byte(part) {
			if c < '0' || c > '9' {
				return "", false
			}
		}
	}
	whole = strings.TrimLeft(whole, "0")
	fraction = strings.TrimRight(fraction, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if sign == "-" && whole != "0" {
		whole = "-" + whole
	}
	return Decimal(whole), true
}

// Rat returns the decimal as a big.Rat. It panics if the text is not a decimal that ParseDecimal accepts.
func (d Decimal) Rat() *big.Rat {
	r, ok := new(big.Rat).SetString(string(d))
	if !ok {
		panic("table: not a plain decimal")
	}
	return r
}

// compareDecimals returns -1 if a < b, 0 if a = b, and +1 if a > b. Both decimals must be canonical.
func compareDecimals(a, b Decimal) int {
	x, negative := strings.CutPrefix(string(a), "-")
	y, other := strings.CutPrefix(string(b), "-")
	switch {
	case negative && !other:
		return -1
	case other && !negative:
		return 1
	case negative:
		x, y = y, x
	}
	whole, fraction, _ := strings.Cut(x, ".")
	otherWhole, otherFraction, _ := strings.Cut(y, ".")
	return cmp.Or(cmp.Compare(len(whole), len(otherWhole)), cmp.Compare(whole, otherWhole), cmp.Compare(fraction, otherFraction))
}

// marks removes the minus sign and the decimal point of a Decimal, so that only its digits remain.
var marks = strings.NewReplacer("-", "", ".", "")

// Digits returns the number of significant digits of the decimal. The number 0 has no significant digit.
func (d Decimal) Digits() int {
	return len(strings.Trim(marks.Replace(string(d)), "0"))
}

// places returns the number of digits after the decimal point.
func (d Decimal) places() int {
	_, fraction, _ := strings.Cut(string(d), ".")
	return len(fraction)
}
