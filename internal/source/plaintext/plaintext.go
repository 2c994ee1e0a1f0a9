// Package plaintext converts typed values to the plain text that is compared with
// the values of a schema. Package source documents the formats.
package plaintext

import (
	"math/big"
	"strconv"
	"time"
)

// AppendFloat appends the plain text of a floating-point number of 32 or 64 bits: the shortest decimal without
// exponent that rounds to this number.
func AppendFloat(dst []byte, x float64, bits int) []byte {
	if x == 0 {
		return append(dst, '0')
	}
	return strconv.AppendFloat(dst, x, 'f', -1, bits)
}

// AppendDate appends the plain text of a date, such as 2006-01-02.
func AppendDate(dst []byte, t time.Time) []byte { return t.AppendFormat(dst, time.DateOnly) }

// AppendInstant appends the plain text of an instant, which is RFC 3339 in the time zone of t.
func AppendInstant(dst []byte, t time.Time) []byte { return t.AppendFormat(dst, time.RFC3339Nano) }

// AppendClock appends the plain text of a time of day, such as 15:04:05.
func AppendClock(dst []byte, sinceMidnight time.Duration) []byte {
	return time.Time{}.Add(sinceMidnight).AppendFormat(dst, "15:04:05.999999999")
}

// AppendDecimal appends the text of the decimal unscaled/10^scale, with as many digits after the point as the
// parameter scale states.
func AppendDecimal(dst []byte, unscaled *big.Int, scale int) []byte {
	if unscaled.Sign() < 0 {
		dst = append(dst, '-')
	}
	digits := new(big.Int).Abs(unscaled).String()
	for len(digits) <= scale {
		digits = "0" + digits
	}
	point := len(digits) - scale
	dst = append(dst, digits[:point]...)
	if scale > 0 {
		dst = append(dst, '.')
		dst = append(dst, digits[point:]...)
	}
	return dst
}
