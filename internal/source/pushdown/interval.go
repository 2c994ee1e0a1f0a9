package pushdown

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/source/plaintext"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A cut is compared with the number that a value's plain text denotes. For an integer, this number is the
// value. For a floating-point number it may differ from the value, but it is a monotone function of the
// value. So the values that count as at least a cut are all values from some number on, and SQL can compare
// values with this number.

// interval returns the coder's SQL expression (see coded) for attributes whose categories are intervals of
// numbers.
func (c *coder) interval(column operand, t database.Type) (string, bool) {
	compared, number := column.value, column.value+" IS NOT NULL"
	missing := c.attribute.MissingNumbers()
	equal := func(d table.Decimal) string { return string(d) } // the literal of a number, "" if no value equals it
	if t.Special != "" {
		number += " AND NOT (" + database.In(t.Special, column.value) + ")"
	}
	var boundOf func(table.Decimal) bound
	switch t.Kind {
	case database.Whole:
		boundOf, equal = wholeBound, c.wholeEqual
	case database.Decimal:
		if !fits(t, slices.Concat(c.attribute.Cuts, missing)) {
			return "", false
		}
		boundOf = func(cut table.Decimal) bound { return bound{literal: string(cut)} }
	case database.Float:
		boundOf = func(cut table.Decimal) bound { return c.floatBound(cut, t.Bits) }
		equal = func(d table.Decimal) string { return c.floatEqual(d, t.Bits) }
	case database.Boolean, database.Date, database.Instant:
		return c.rest, true // the values are not numbers
	case database.Text, database.Binary:
		pattern, text := t.Text, column.text
		if t.Kind == database.Binary {
			pattern, text = t.Digits, database.In(t.Digits, column.value)
		}
		d, ok := newDigits(slices.Concat(c.attribute.Cuts, missing))
		if !ok || pattern == "" || c.dialect.Position == "" {
			return "", false
		}
		number, compared = d.written(c.dialect, text)
		boundOf, equal = d.bound, func(m table.Decimal) string { return d.bound(m).literal }
	default:
		return "", false
	}
	var bounds []string
	to := c.to[:1:1]
	for i, cut := range c.attribute.Cuts {
		b := boundOf(cut)
		switch {
		case b.never:
		case b.always:
			to = c.to[i+1 : i+2 : i+2]
		case c.to[i+1] != to[len(to)-1]:
			bounds = append(bounds, b.literal)
			to = append(to, c.to[i+1])
		}
	}
	interval := tree(c.dialect, compared, bounds, to)
	var codes []string
	for _, d := range missing {
		if literal := equal(d); literal != "" {
			codes = append(codes, c.dialect.Apply("=", compared, literal))
		}
	}
	if len(codes) == 0 {
		return c.when(number, interval), true
	}
	// A CASE expression fixes the order of evaluation, so that only numbers are compared.
	absent := strings.Join(codes, " OR ")
	if c.inside {
		return "CASE WHEN " + number + " THEN NOT (" + absent + ") ELSE " + c.dialect.False + " END", true
	}
	return c.when(number, "CASE WHEN "+absent+" THEN "+c.rest+" ELSE "+interval+" END"), true
}

// fits reports whether SQL can compare values of the decimal type t with all cuts without rounding.
func fits(t database.Type, cuts []table.Decimal) bool {
	before, places := t.Before, t.After
	for _, cut := range cuts {
		b, a, _ := strings.Cut(strings.TrimPrefix(string(cut), "-"), ".")
		before, places = max(before, len(b)), max(places, len(a))
	}
	return t.Most == 0 || before+places <= t.Most
}

// wholeBound returns the condition, as a bound, that a value in a column of 64-bit integers is at least the cut.
func wholeBound(cut table.Decimal) bound {
	r := cut.Rat()
	least := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(r.Num()), r.Denom()))
	switch {
	case least.IsInt64() && least.Int64() > math.MinInt64:
		return bound{literal: least.String()}
	case least.Sign() < 0:
		return bound{always: true}
	}
	return bound{never: true}
}

// wholeEqual returns the SQL literal of the 64-bit integer that equals the decimal d, or "" if d is not such an
// integer.
func (c *coder) wholeEqual(d table.Decimal) string {
	n, err := strconv.ParseInt(string(d), 10, 64)
	switch {
	case err != nil:
		return ""
	case n == math.MinInt64: // without its sign it would be no 64-bit integer
		return c.dialect.Apply("-", whole(n+1), "1")
	}
	return whole(n)
}

// floatEqual returns the SQL literal of the floating-point number whose plain text equals the decimal d, or "" if
// there is no such number.
func (c *coder) floatEqual(d table.Decimal, bits int) string {
	x, err := strconv.ParseFloat(string(d), bits)
	if err != nil {
		return ""
	}
	if text, _ := table.ParseDecimal(string(plaintext.AppendFloat(nil, x, bits))); text != d {
		return ""
	}
	return c.dialect.Float(x, bits)
}

// floatBound returns the condition, as a bound, that a value in a column of finite floating-point numbers of 32
// or 64 bits is at least the cut. The comparison is between the value's plain text, read as a decimal, and the
// cut.
func (c *coder) floatBound(cut table.Decimal, bits int) bound {
	x, _ := strconv.ParseFloat(string(cut), bits)
	if !math.IsInf(x, 0) {
		text, _ := table.ParseDecimal(string(plaintext.AppendFloat(nil, x, bits)))
		if text.Rat().Cmp(cut.Rat()) < 0 {
			if bits == 32 {
				x = float64(math.Nextafter32(float32(x), float32(math.Inf(1))))
			} else {
				x = math.Nextafter(x, math.Inf(1))
			}
		}
	}
	if math.IsInf(x, 0) {
		return bound{never: x > 0, always: x < 0}
	}
	return bound{literal: c.dialect.Float(x, bits)}
}

// A digits describes how SQL converts a number x in a text to an integer n, so that comparing x with a cut of an
// attribute becomes a comparison of integers. Let p be the maximum number of decimal places of the cuts. A cut is
// represented by cut·10^(p+1), which is a multiple of 10. The integer n has the sign of x, and its absolute value
// is ⌊|x|·10^p⌋·10, plus 1 if x has non-zero digits after p decimal places. Therefore, n is less than, equal to
// or greater than the representation of a cut if and only if x is less than, equal to or greater than the cut.
type digits struct {
	places int // p
	length int // the maximum number of digits before the decimal point in the cuts
}

// mostDigits is the maximum number of decimal digits of the integers that represent numbers and cuts. Every
// integer of this length fits into 64 bits.
const mostDigits = 18

func newDigits(cuts []table.Decimal) (d digits, ok bool) {
	for _, cut := range cuts {
		before, after, _ := strings.Cut(strings.TrimPrefix(string(cut), "-"), ".")
		d.places, d.length = max(d.places, len(after)), max(d.length, len(before))
	}
	return d, d.length+d.places+1 <= mostDigits
}

func (d digits) bound(cut table.Decimal) bound {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.places+1)), nil)
	return bound{literal: new(big.Rat).Mul(cut.Rat(), new(big.Rat).SetInt(scale)).Num().String()}
}

// written returns two SQL expressions for a text: the condition that the text is a plain decimal number, and the
// integer that represents this number (see digits).
func (d digits) written(dialect *database.Dialect, text string) (condition, number string) {
	in, literal, apply := database.In, dialect.Literal, dialect.Apply
	join := func(a, b string) string { return "(" + in(dialect.Join, a, b) + ")" }
	all := literal("0123456789")
	unsigned := in(dialect.TrimLeft, text, literal("+-"))
	between := in(dialect.TrimLeft, in(dialect.TrimRight, unsigned, all), all)
	none := []string{literal(""), literal(".")}
	condition = fmt.Sprintf("%s AND NOT (%s) AND (%s OR %s)", dialect.OneOf(between, none), dialect.OneOf(unsigned, none),
		apply("=", text, unsigned), apply("=", in(dialect.Part, text, "2"), unsigned))

	// bare is the text without its sign and leading zeros.
	bare := in(dialect.TrimLeft, text, literal("+-0"))
	point := in(dialect.Position, join(bare, literal(".")), literal("."))
	after := in(dialect.Part, bare, apply("+", point, "1"))
	scaled := in(dialect.PartOf, bare, "1", apply("-", point, "1"))
	if d.places > 0 {
		scaled = join(scaled, in(dialect.PartOf, join(after, literal(strings.Repeat("0", d.places))), "1", strconv.Itoa(d.places)))
	}
	more := in(dialect.TrimRight, in(dialect.Part, after, strconv.Itoa(d.places+1)), literal("0"))
	scaled = join(scaled, fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", apply("=", more, literal("")), literal("0"), literal("1")))
	size := fmt.Sprintf("CASE WHEN %s THEN 1%s ELSE CAST(%s AS %s) END",
		apply(">", point, strconv.Itoa(d.length+1)), strings.Repeat("0", mostDigits), scaled, dialect.Whole)
	sign := fmt.Sprintf("CASE WHEN %s THEN -1 ELSE 1 END", apply("=", in(dialect.PartOf, text, "1", "1"), literal("-")))
	return condition, apply("*", sign, size)
}
