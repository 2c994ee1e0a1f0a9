package table_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/table"
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

// TestCoder holds the prepared Coder to the plain search of Attribute.Code.
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
		coder, german := a.Coder('.'), a.Coder(',')
		fields := append([]string{""}, a.Values...)
		for _, cut := range a.Cuts {
			fields = append(fields, string(cut), string(cut)+"0", "-"+string(cut), string(cut)+"1")
		}
		for range 20 {
			fields = append(fields, decimals.Draw(t, "number"), words.Draw(t, "word"))
		}
		for _, field := range fields {
			code, ok := coder.Code([]byte(field))
			wantCode, wantOK := a.Code(field)
			if ok != wantOK || ok && code != wantCode {
				t.Fatalf("%q: %d, %v; want %d, %v", field, code, ok, wantCode, wantOK)
			}
			if len(a.Cuts) > 0 {
				// With the other decimal mark the two only change places.
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
	s := parse(t, people)
	for j, field := range []string{"35.49999999999999999999", "-7", "boss"} {
		coder, text := s.Attributes[j].Coder('.'), []byte(field)
		if n := testing.AllocsPerRun(100, func() { coder.Code(text) }); n != 0 {
			t.Errorf("%s: %v allocations", field, n)
		}
	}
}

func TestLabelCoder(t *testing.T) {
	label := table.Label{Column: "y", Positive: []string{"yes", "1"}, Negative: []string{"no"}}
	coder := label.Coder('.')
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

// A number is positive from at_least on, exactly, and what is none has no label.
func TestNumericLabelCoder(t *testing.T) {
	label := table.Label{Column: "y", AtLeast: "-0.30"}
	point, comma := label.Coder('.'), label.Coder(',')
	for text, want := range map[string]int{
		"-0.3": 1, "-.30": 1, "-0.29999999999999999999999": 1, "0": 1, "+7": 1, "-0.30000000000000000000001": 0, "-1": 0,
		"": -1, "high": -1, "1e3": -1, "NaN": -1, "-0,3": -1,
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
