package table_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

func TestParseDecimal(t *testing.T) {
	for text, want := range map[string]table.Decimal{
		"0": "0", "-0": "0", "+3": "3", "007": "7", "-12.50": "-12.5", ".5": "0.5", "5.": "5", "-.0": "0", "100": "100",
	} {
		if got, ok := table.ParseDecimal(text); !ok || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", ".", "+.", "1e3", "inf", "NaN", "0x1A", "1_000", " 1", "1 ", "1,5", "--1", "1.2.3", "١"} {
		if got, ok := table.ParseDecimal(text); ok {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

var decimals = rapid.StringMatching(`[+-]?[0-9]{0,3}(\.[0-9]{0,4})?|-?[0-9]{15,24}(\.[0-9]{0,20})?|[0-9a-z.+ -]{0,4}`)

var (
	scientific = rapid.StringMatching(`[+-]?[0-9]{0,5}(\.[0-9]{0,4})?[eE][+-]?[0-9]{0,2}`)
	exponent   = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]+$`)
)

// codeOfText computes the code of a field by big.Rat. The decimal mark is a point.
func codeOfText(a *table.Attribute, field string) (code int, ok bool) {
	if len(a.Cuts) == 0 || !exponent.MatchString(field) {
		return a.Code(field)
	}
	x, _ := new(big.Rat).SetString(field)
	for code < len(a.Cuts) && a.Cuts[code].Rat().Cmp(x) <= 0 {
		code++
	}
	return code, true
}

// TestCoder compares a Coder with the linear search of Attribute.Code and with big.Rat.
func TestCoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a table.Attribute
		a.Column = "a"
		words := rapid.StringMatching(`[a-c]{1,3}|[a-c]{7,18}`)
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			a.Values = rapid.SliceOfNDistinct(words, 1, 40, rapid.ID).Draw(t, "values")
		case 1:
			all := rapid.SliceOfNDistinct(words, 2, 20, rapid.ID).Draw(t, "values")
			n := rapid.IntRange(1, len(all)-1).Draw(t, "first")
			a.Groups = []table.Group{{Name: "g", Values: all[:n]}, {Name: "h", Values: all[n:]}}
		case 2:
			for range rapid.IntRange(1, 6).Draw(t, "cuts") {
				if cut, ok := table.ParseDecimal(decimals.Draw(t, "cut")); ok {
					if n := len(a.Cuts); n == 0 || a.Cuts[n-1].Rat().Cmp(cut.Rat()) < 0 {
						a.Cuts = append(a.Cuts, cut)
					}
				}
			}
			if a.Cuts == nil {
				a.Cuts = []table.Decimal{"0"}
			}
		}
		if rapid.Bool().Draw(t, "with other") {
			a.Other = "other"
		}
		coder, text, german := a.Coder(nil), a.Coder(&table.File{Decimal: '.'}), a.Coder(&table.File{Decimal: ','})
		fields := append([]string{""}, a.Values...)
		for _, cut := range a.Cuts {
			fields = append(fields, string(cut), string(cut)+"0", "-"+string(cut), string(cut)+"1", string(cut)+"e0", string(cut)+"0E-1", string(cut)+"e+1")
		}
		for range 20 {
			fields = append(fields, decimals.Draw(t, "number"), words.Draw(t, "word"), scientific.Draw(t, "with exponent"))
		}
		for _, field := range fields {
			code, ok := coder.Code([]byte(field))
			wantCode, wantOK := a.Code(field)
			if ok != wantOK || ok && code != wantCode {
				t.Fatalf("%q: %d, %v; want %d, %v", field, code, ok, wantCode, wantOK)
			}
			wantCode, wantOK = codeOfText(&a, field)
			if code, ok := text.Code([]byte(field)); ok != wantOK || ok && code != wantCode {
				t.Fatalf("%q in a text: %d, %v; want %d, %v", field, code, ok, wantCode, wantOK)
			}
			if len(a.Cuts) > 0 {
				// With the other decimal mark, points and commas are exchanged.
				code, ok := german.Code([]byte(strings.NewReplacer(".", ",", ",", ".").Replace(field)))
				if ok != wantOK || ok && code != wantCode {
					t.Fatalf("%q with a decimal comma: %d, %v; want %d, %v", field, code, ok, wantCode, wantOK)
				}
			}
			if ok && code >= a.Len() {
				t.Fatalf("%q: code %d of %d", field, code, a.Len())
			}
		}
	})
}

func TestCoderAllocatesNothing(t *testing.T) {
	s := tabletest.Schema(t, people)
	for j, field := range []string{"35.49999999999999999999", "-7", "boss"} {
		coder, text := s.Attributes[j].Coder(nil), []byte(field)
		if n := testing.AllocsPerRun(100, func() { coder.Code(text) }); n != 0 {
			t.Errorf("%s: %v allocations", field, n)
		}
	}
}

func TestLabelCoder(t *testing.T) {
	label := table.Label{Column: "y", Positive: []string{"yes", "1"}, Negative: []string{"no"}}
	coder := label.Coder(nil)
	for text, want := range map[string]int{"yes": 1, "1": 1, "no": 0, "": -1, "maybe": -1} {
		code, ok := coder.Code([]byte(text))
		if !ok {
			code = -1
		}
		if code != want {
			t.Errorf("%q: %d, want %d", text, code, want)
		}
	}
}

// A number is positive if it is at least at_least, compared exactly. A text that is not a number
// has no label.
func TestNumericLabelCoder(t *testing.T) {
	label := table.Label{Column: "y", AtLeast: "-0.30"}
	point, comma := label.Coder(&table.File{Decimal: '.'}), label.Coder(&table.File{Decimal: ','})
	for text, want := range map[string]int{
		"-0.3": 1, "-.30": 1, "-0.29999999999999999999999": 1, "0": 1, "+7": 1, "-0.30000000000000000000001": 0, "-1": 0,
		"": -1, "high": -1, "1e3": 1, "-3.1E-1": 0, "-30e-2": 1, "NaN": -1, "-0,3": -1,
	} {
		for _, c := range []struct {
			coder *table.Coder
			text  string
		}{{point, text}, {comma, strings.NewReplacer(".", ",", ",", ".").Replace(text)}} {
			code, ok := c.coder.Code([]byte(c.text))
			if !ok {
				code = -1
			}
			if code != want {
				t.Errorf("%q: %d, want %d", c.text, code, want)
			}
		}
	}
}

// TestExponents encodes numbers with the largest and smallest possible exponents.
func TestExponents(t *testing.T) {
	zeros := strings.Repeat("0", 1<<16)
	nines := strings.Repeat("9", 30)
	for _, a := range []table.Attribute{
		{Column: "x", Cuts: []table.Decimal{"-1", "0", "0.01", "1", "100000"}},
		{Column: "x", Cuts: []table.Decimal{"-1", "0", "0.01", "1", "100000", "1000000000000000000000"}}, // too large to be stored as int64
	} {
		coder := a.Coder(&table.File{Decimal: '.'})
		last := len(a.Cuts)
		for text, want := range map[string]int{
			"1.00E+05": 5, "1e5": 5, "100000e0": 5, "99999.9e0": 4, "9.99999e4": 4, "1e0": 4, "1e-2": 3, "0.9e-2": 2, "1E-1": 3, ".1e1": 4, "1.e0": 4,
			"0e5": 2, "-0e-5": 2, "0e" + nines: 2, "-0.0e-" + nines: 2, "-1e0": 1, "-10.1e-1": 0, "-9.9e-1": 1,
			"1e" + nines: last, "-1e" + nines: 0, "1e-" + nines: 2, "-1e-" + nines: 1, "1e18446744073709551616": last, "1e-9223372036854775808": 2,
			"1" + zeros + "e-65536": 4, "0." + zeros + "1e65537": 4, "0." + zeros + "1e65536": 3, "1" + zeros + "e-65539": 2, "-1" + zeros + "e-65536": 1,
			"e5": -1, "1e": -1, "1e+": -1, "1e5.0": -1, "1e 5": -1, "1ee5": -1, "1e5e5": -1, "1e--5": -1, ".e5": -1, "+e5": -1, "1d5": -1, "1e:": -1, "1e/": -1, "0x1p5": -1, "1e5 ": -1,
		} {
			code, ok := coder.Code([]byte(text))
			if !ok {
				code = -1
			}
			if code != want {
				t.Errorf("%.40q with %d cuts: %d, want %d", text, len(a.Cuts), code, want)
			}
			if _, ok := a.Coder(nil).Code([]byte(text)); ok {
				t.Errorf("%.40q is a plain decimal", text)
			}
		}
	}
}
