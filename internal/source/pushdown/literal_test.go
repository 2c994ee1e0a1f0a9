package pushdown

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/source/plaintext"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// plain is a dialect that writes floating-point numbers as Go does.
var plain = &database.Dialect{
	Name: "plain", True: "TRUE", False: "FALSE",
	Literal: func(text string) string { return "'" + text + "'" },
	Blob:    func(b []byte) string { return string(b) },
	Float:   func(x float64, _ int) string { return strconv.FormatFloat(x, 'g', -1, 64) },
}

// A literal denotes the value with the given plain text. A text that is not the plain text of any
// value has no literal.
func TestLiterals(t *testing.T) {
	c := &coder{dialect: plain}
	for _, l := range []struct {
		of         database.Type
		text, want string
		some, ok   bool
	}{
		{database.Type{Kind: database.Text}, "it", "'it'", true, true},
		{database.Type{Kind: database.Decimal}, "1.50", "'1.50'", true, true},
		{database.Type{Kind: database.Whole}, "-12", "-12", true, true},
		{database.Type{Kind: database.Whole}, "012", "", false, true},
		{database.Type{Kind: database.Whole}, "9223372036854775808", "", false, true},
		{database.Type{Kind: database.Boolean}, "true", "TRUE", true, true},
		{database.Type{Kind: database.Boolean}, "false", "FALSE", true, true},
		{database.Type{Kind: database.Boolean}, "1", "", false, true},
		{database.Type{Kind: database.Float, Bits: 64}, "0.1", "0.1", true, true},
		{database.Type{Kind: database.Float, Bits: 64}, "0.10", "", false, true},
		{database.Type{Kind: database.Float, Bits: 64}, "NaN", "", false, false},
		{database.Type{Kind: database.Binary}, "ab", "ab", true, true},
		{database.Type{Kind: database.Instant, Moment: "at %s", Places: 6}, "2024-02-29T12:00:00.5Z", "at 2024-02-29 12:00:00.5", true, true},
		{database.Type{Kind: database.Instant, Moment: "at %s", Places: 6}, "2024-02-29T12:00:00.500Z", "", false, true},
		{database.Type{Kind: database.Instant, Moment: "at %s", Places: 6}, "2024-02-29T14:00:00+02:00", "", false, true},
		{database.Type{Kind: database.Instant, Moment: "at %s", Places: 3}, "2024-02-29T12:00:00.1234Z", "", false, true},
		{database.Type{Kind: database.Instant, Moment: "at %s"}, "noon", "", false, false},
		{database.Type{Kind: database.Date, Moment: "on %s"}, "2024-02-29", "on 2024-02-29", true, true},
		{database.Type{Kind: database.Date, Moment: "on %s"}, "2023-02-29", "", false, false},
		{database.Type{}, "x", "", false, false},
	} {
		literal, some, ok := c.literal(l.of, l.text)
		if some != l.some || ok != l.ok || some && literal != l.want {
			t.Errorf("%+v, %q: %q, %v, %v", l.of, l.text, literal, some, ok)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		x32 := math.Float32frombits(random.Uint32())
		x64 := math.Float64frombits(random.Uint64())
		for bits, x := range map[int]float64{32: float64(x32), 64: x64} {
			if x-x != 0 {
				continue
			}
			text := string(plaintext.AppendFloat(nil, x, bits))
			if literal, some, ok := c.literal(database.Type{Kind: database.Float, Bits: bits}, text); !some || !ok || literal != plain.Float(x, bits) {
				t.Errorf("%s of %d bits: %s, %v, %v", text, bits, literal, some, ok)
			}
		}
	}
}

// The bound of a cut separates the numbers whose plain text is at least the cut from the others.
func TestFloatBounds(t *testing.T) {
	c := &coder{dialect: plain}
	for _, cut := range []string{"0", "0.1", "-0.1", "0.30000001", "16777217", "1" + strings.Repeat("0", 38), "-0.000001"} {
		for _, bits := range []int{32, 64} {
			b := c.floatBound(table.Decimal(cut), bits)
			least, err := strconv.ParseFloat(b.literal, 64)
			if err != nil || b.always || b.never {
				t.Fatalf("%s of %d bits: %+v", cut, bits, b)
			}
			for way, x := range map[int]float64{-1: least, 1: least} {
				for range 20 {
					text, ok := table.ParseDecimal(string(plaintext.AppendFloat(nil, x, bits)))
					if !ok {
						t.Fatal(x)
					}
					if at := text.Rat().Cmp(table.Decimal(cut).Rat()) >= 0; at != (x >= least) {
						t.Errorf("%v of %d bits is written %s; it is at least %s: %v, and at least the bound %v: %v", x, bits, text, cut, at, least, x >= least)
					}
					if bits == 32 {
						x = float64(math.Nextafter32(float32(x), float32(math.Inf(way))))
					} else {
						x = math.Nextafter(x, math.Inf(way))
					}
				}
			}
		}
	}
	for bits, digits := range map[int]int{32: 39, 64: 309} {
		beyond := "1" + strings.Repeat("0", digits)
		if b := c.floatBound(table.Decimal(beyond), bits); !b.never || b.always {
			t.Errorf("10^%d of %d bits: %+v", digits, bits, b)
		}
		if b := c.floatBound(table.Decimal("-"+beyond), bits); b.never || !b.always {
			t.Errorf("-10^%d of %d bits: %+v", digits, bits, b)
		}
	}
}

// SQL compares decimals with cuts only if a decimal type can hold the digits of both.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		before, after, most int
		cuts                string
		want                bool
	}{
		{5, 2, 0, "123456789.123456789", true},
		{5, 2, 7, "1", true}, {5, 2, 7, "12345.67", true}, {5, 2, 7, "123456", false}, {5, 2, 7, "1.234", false},
		{5, 2, 7, "-12345.67", true}, {2, 5, 7, "12.34567", true}, {2, 5, 7, "123", false},
		{1, 1, 7, "1234 0.123", true}, {1, 1, 7, "1234 0.1234", false}, {1, 6, 8, "1", true}, {6, 1, 8, "1", true},
	} {
		var cuts []table.Decimal
		for _, cut := range strings.Fields(c.cuts) {
			cuts = append(cuts, table.Decimal(cut))
		}
		if got := fits(database.Type{Before: c.before, After: c.after, Most: c.most}, cuts); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The bytes of a person's row hold the code of each attribute and of the label, or 0 without a
// label.
func TestBytesOfRows(t *testing.T) {
	const attributes = "[person]\ncolumn = \"whose\"\nmost = 3\n[[attribute]]\ncolumn = \"v\"\ncuts = [5]\n[[attribute]]\ncolumn = \"w\"\ncuts = [5]\n"
	const label = "[label]\ncolumn = \"y\"\nat_least = 3\n"
	types := map[string]database.Type{}
	for column, name := range map[string]string{"whose": "TEXT", "v": "INT4", "w": "INT8", "y": "INT2"} {
		types[column] = typeOf(t, database.PostgreSQL, name)
	}
	number := database.PostgreSQL.Hashing.Number
	for text, parts := range map[string][]string{
		attributes:         {number(codeColumn(0), 2), number(codeColumn(1), 2), number("0", 2)},
		label + attributes: {number(codeColumn(0), 2), number(codeColumn(1), 2), number(codeColumn(2), 2)},
	} {
		statement := New(database.PostgreSQL, "Q", tabletest.Schema(t, text), types).bounded()
		codes := database.PostgreSQL.Hashing.Concat(append([]string{"u"}, parts...)...)
		if want := codes + " AS r"; !strings.Contains(statement, want) {
			t.Errorf("%s is not in\n%s", want, statement)
		}
	}
}

// A cut outside the range of a type is dropped from the SQL. The remaining codes still number the
// intervals of all cuts.
func TestCutsBeyondAType(t *testing.T) {
	const low, high = "-100000000000000000000", "100000000000000000000" // beyond 64-bit integers
	for cuts, want := range map[string]string{
		"5":                           "CASE WHEN v IS NOT NULL THEN CASE WHEN (v < 5) THEN 10 ELSE 11 END ELSE NULL END",
		low + " 5":                    "CASE WHEN v IS NOT NULL THEN CASE WHEN (v < 5) THEN 11 ELSE 12 END ELSE NULL END",
		"5 " + high:                   "CASE WHEN v IS NOT NULL THEN CASE WHEN (v < 5) THEN 10 ELSE 11 END ELSE NULL END",
		low + "0 " + low + " " + high: "CASE WHEN v IS NOT NULL THEN 12 ELSE NULL END",
		low + " 5 7 " + high:          "CASE WHEN v IS NOT NULL THEN CASE WHEN (v < 7) THEN CASE WHEN (v < 5) THEN 11 ELSE 12 END ELSE 13 END ELSE NULL END",
	} {
		a := &table.Attribute{}
		for _, cut := range strings.Fields(cuts) {
			a.Cuts = append(a.Cuts, table.Decimal(cut))
		}
		to := make([]int64, a.Len())
		for i := range to {
			to[i] = int64(10 + i)
		}
		if got, ok := newCoder(plain, a, to).coded(operand{"v", "t"}, database.Type{Kind: database.Whole}); !ok || got != want {
			t.Errorf("%s: %s, %v", cuts, got, ok)
		}
	}
}

// A floating-point value is missing if its shortest text is equal to a missing number.
func TestMissingFloat(t *testing.T) {
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\ncuts = [1]")
	c := newCoder(database.SQLite, &s.Attributes[0], identity(2))
	for text, bits := range map[table.Decimal]int{"0.1": 64, "-999": 64, "0": 64, "0.3": 32} {
		if c.floatEqual(text, bits) == "" {
			t.Errorf("no number of %d bits has the text %s", bits, text)
		}
	}
	for text, bits := range map[table.Decimal]int{"0.10000000000000001": 64, "0.30000001": 32, "9007199254740993": 64} {
		if literal := c.floatEqual(text, bits); literal != "" {
			t.Errorf("%s is the text of the number %s of %d bits", text, literal, bits)
		}
	}
}

// SQL compares decimals with cuts only if their type holds the cuts without loss.
func TestCutsOfDecimals(t *testing.T) {
	for cut, want := range map[table.Decimal]bool{"12345.67": true, "1.234": false, "123456": false} {
		a := &table.Attribute{Cuts: []table.Decimal{cut}}
		of := database.Type{Kind: database.Decimal, Text: "text(%s)", Before: 5, After: 2, Most: 7}
		if sql, ok := Code(plain, a, of, "v", "t"); ok != want {
			t.Errorf("%s: %s, %v", cut, sql, ok)
		}
	}
}

// A list is searched by the texts of integers only if SQL computes them. Other typed values are never searched by text.
func TestIndexedValues(t *testing.T) {
	d := *plain
	d.IndexOf = func(text string, _ []string) string { return "index of " + text }
	d.At = func(index string, _ []string) string { return index }
	a := &table.Attribute{Values: []string{"1"}}
	for _, c := range []struct {
		of   database.Type
		want bool
	}{
		{database.Type{Kind: database.Text, Text: "%s"}, true},
		{database.Type{Kind: database.Whole, Text: "text(%s)"}, true},
		{database.Type{Kind: database.Whole}, false},
		{database.Type{Kind: database.Float, Bits: 64, Text: "text(%s)"}, false},
	} {
		if sql, ok := Code(&d, a, c.of, "v", "t"); !ok || (sql == "index of t") != c.want {
			t.Errorf("%+v: %s, %v", c.of, sql, ok)
		}
	}
}
