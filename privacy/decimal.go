package privacy

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// ErrDecimal is returned for a text or number that cannot be represented as a [Decimal].
var ErrDecimal = errors.New("not a plain non-negative decimal of at most 100 digits, such as 0.5 or 1e-9")

const maxDigits = 100 // maximum number of digits of a Decimal without an exponent

var ten = big.NewInt(10)

// A Decimal is an exact non-negative decimal number, such as an ε or a δ. Written without an exponent, it has at most
// 100 digits. Decimals are immutable, and == compares their values. The zero value is 0.
type Decimal struct {
	text string // plain form without redundant zeros; "" is 0
}

// ParseDecimal reads digits with at most one decimal point and an optional exponent: "0.5",
// "1", "1e-9", "2.5E-3". For any other text it returns ErrDecimal, for example if it contains a
// sign, a space, an infinity, hexadecimal digits, an underscore or a fraction.
func ParseDecimal(s string) (Decimal, error) {
	refused := func() (Decimal, error) {
		return Decimal{}, fmt.Errorf("%.60q is %w", s, ErrDecimal)
	}
	mantissa, exponent, hasExponent := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, hasExponent = s[:i], s[i+1:], true
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if len(digits) > maxDigits || !onlyDigits(digits) {
		return refused()
	}
	places := len(fraction)
	if hasExponent {
		sign := 1
		switch {
		case strings.HasPrefix(exponent, "-"):
			sign, exponent = -1, exponent[1:]
		case strings.HasPrefix(exponent, "+"):
			exponent = exponent[1:]
		}
		if !onlyDigits(exponent) {
			return refused()
		}
		e, err := strconv.Atoi(exponent)
		if err != nil || e > maxDigits {
			return refused()
		}
		places -= sign * e
	}
	n, _ := new(big.Int).SetString(digits, 10)
	d, err := scaled(n, places)
	if err != nil {
		return refused()
	}
	return d, nil
}

// RoundUp returns the least decimal that is at least r and has at most the given number of significant digits, from 1
// to 100. The least positive result is 1e-99, since a Decimal has at most 100 digits. If r is negative or too large
// for a Decimal, RoundUp returns ErrDecimal.
func RoundUp(r *big.Rat, digits int) (Decimal, error) { return round(r, digits, true) }

// RoundDown returns the greatest decimal that is at most r and has at most the given number of
// significant digits, 1 to 100, and at most 99 decimal places. If r is negative or too large
// for a Decimal, it returns ErrDecimal.
func RoundDown(r *big.Rat, digits int) (Decimal, error) { return round(r, digits, false) }

// RoundUpFloat applies [RoundUp] to the exact value of x. For an infinity or NaN it returns
// ErrDecimal.
func RoundUpFloat(x float64, digits int) (Decimal, error) {
	r := new(big.Rat).SetFloat64(x)
	if r == nil {
		return Decimal{}, fmt.Errorf("%v is %w", x, ErrDecimal)
	}
	return RoundUp(r, digits)
}

// round returns RoundUp(r, digits) if up is true, and RoundDown(r, digits) otherwise.
func round(r *big.Rat, digits int, up bool) (Decimal, error) {
	if digits < 1 || digits > maxDigits {
		panic("privacy: number of digits outside 1 to 100")
	}
	if r.Sign() < 0 {
		return Decimal{}, fmt.Errorf("a negative number is %w", ErrDecimal)
	}
	if r.Sign() == 0 {
		return Decimal{}, nil
	}
	places := min(digits-1-magnitude(r), maxDigits-1)
	num, den := new(big.Int).Set(r.Num()), new(big.Int).Set(r.Denom())
	if places >= 0 {
		num.Mul(num, power(places))
	} else {
		den.Mul(den, power(-places))
	}
	q, rest := new(big.Int).QuoRem(num, den, new(big.Int))
	if up && rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	d, err := scaled(q, places)
	if err != nil {
		return Decimal{}, fmt.Errorf("a number of about 10^%d is %w", magnitude(r), err)
	}
	return d, nil
}

// magnitude returns the integer e with 10^e ≤ r < 10^(e+1), for r > 0.
func magnitude(r *big.Rat) int {
	e := len(r.Num().String()) - len(r.Denom().String())
	bound := new(big.Rat).SetInt(power(max(e, -e)))
	if e < 0 {
		bound.Inv(bound)
	}
	if r.Cmp(bound) < 0 {
		e--
	}
	return e
}

// power returns the number 10^n.
func power(n int) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil) }

// scaled returns n / 10^places, for n ≥ 0, or ErrDecimal if this number has too many digits for a Decimal.
func scaled(n *big.Int, places int) (Decimal, error) {
	if n.Sign() == 0 {
		return Decimal{}, nil
	}
	whole, fraction := n.String(), ""
	if places <= 0 {
		whole += strings.Repeat("0", -places)
	} else {
		if missing := places + 1 - len(whole); missing > 0 {
			whole = strings.Repeat("0", missing) + whole
		}
		cut := len(whole) - places
		whole, fraction = whole[:cut], strings.TrimRight(whole[cut:], "0")
	}
	if len(whole)+len(fraction) > maxDigits {
		return Decimal{}, ErrDecimal
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return Decimal{whole}, nil
}

func onlyDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Rat returns the number in a new big.Rat.
func (d Decimal) Rat() *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}

// String returns the number in full, without an exponent: "0.000000001".
func (d Decimal) String() string {
	if d.text == "" {
		return "0"
	}
	return d.text
}

// IsZero reports whether the number d is 0.
func (d Decimal) IsZero() bool { return d.text == "" }

// Cmp returns -1 if d < e, 0 if d = e, and +1 if d > e.
func (d Decimal) Cmp(e Decimal) int { return d.Rat().Cmp(e.Rat()) }

// MarshalText returns the number in the format of String. In JSON a Decimal is a string.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a number in the format of ParseDecimal. On an error d is unchanged.
func (d *Decimal) UnmarshalText(text []byte) error {
	parsed, err := ParseDecimal(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
