package source

import (
	"math/big"
	"strconv"
	"time"
)

// The plain text forms of typed values, appended to dst, as the package
// comment states them.

func appendFloat(dst []byte, x float64, bits int) []byte {
	if x == 0 {
		return append(dst, '0')
	}
	return strconv.AppendFloat(dst, x, 'f', -1, bits)
}

func appendDate(dst []byte, t time.Time) []byte { return t.AppendFormat(dst, time.DateOnly) }

func appendInstant(dst []byte, t time.Time) []byte { return t.AppendFormat(dst, time.RFC3339Nano) }

func appendClock(dst []byte, sinceMidnight time.Duration) []byte {
	return time.Time{}.Add(sinceMidnight).AppendFormat(dst, "15:04:05.999999999")
}

// appendDecimal appends unscaled/10^scale with scale digits after the point.
func appendDecimal(dst []byte, unscaled *big.Int, scale int) []byte {
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
