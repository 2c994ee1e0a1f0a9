package table_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// spell writes a plain decimal in a given spelling.
func spell(t *rapid.T, plain string, s table.Spelling) string {
	sign, digits := "", plain
	if plain[0] == '-' {
		sign, digits = "-", plain[1:]
	}
	whole, fraction, pointed := strings.Cut(digits, ".")
	if s.Thousands != "" && rapid.Bool().Draw(t, "grouped") {
		forms := map[string][]string{"'": {"'", "’"}, " ": {" ", "\u00a0", "\u202f"}}[s.Thousands]
		separator := rapid.SampledFrom(append(forms, s.Thousands)).Draw(t, "separator")
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + separator + whole[i:]
		}
	}
	number := whole
	if pointed {
		number += string(rune(s.Decimal)) + fraction
	}
	if rapid.IntRange(0, 4).Draw(t, "scientific") == 0 {
		number += "e0"
	}
	if len(s.Units) == 0 {
		return sign + number
	}
	unit := rapid.SampledFrom(s.Units).Draw(t, "unit")
	blank := rapid.SampledFrom([]string{"", " ", "\u00a0", "  "}).Draw(t, "blank")
	return rapid.SampledFrom([]string{sign + number, sign + number + blank + unit, sign + unit + blank + number, unit + blank + sign + number}).Draw(t, "text")
}

// TestSpelling writes numbers in all spellings, and compares their codes with those of plain
// decimals.
func TestSpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spelling := table.Spelling{
			Decimal:   rapid.SampledFrom([]byte{'.', ','}).Draw(t, "decimal"),
			Thousands: rapid.SampledFrom([]string{"", ",", ".", "'", " ", "_"}).Draw(t, "thousands"),
			Units:     rapid.SampledFrom([][]string{nil, {"%"}, {"€", "EUR", "E"}, {"kg"}}).Draw(t, "units"),
		}
		if spelling.Thousands == string(rune(spelling.Decimal)) {
			spelling.Thousands = ""
		}
		a := table.Attribute{Column: "x", Cuts: []table.Decimal{"-1234.5", "0", "0.25", "999", "1000", "1234567"}, Spelling: spelling}
		if rapid.Bool().Draw(t, "large cut") {
			a.Cuts = append(a.Cuts, "12345678901234567890") // too large to be stored as int64
		}
		coder, plain := a.Coder(&table.File{Decimal: '.'}), a.Coder(nil)
		number := rapid.OneOf(rapid.StringMatching(`-?[0-9]{1,21}(\.[0-9]{0,3})?`), rapid.SampledFrom([]string{"-1234.5", "1000", "999.999", "1234567", "12345678901234567890", "0", "-0.25"})).Draw(t, "number")
		text := spell(t, number, spelling)
		want, _ := plain.Code([]byte(number))
		if got, ok := coder.Code([]byte(text)); !ok || got != want {
			t.Fatalf("%q in %+v: %d, %v; %s has the code %d", text, spelling, got, ok, number, want)
		}
		if fault := coder.NumberFault([]byte(text)); fault != table.Readable {
			t.Fatalf("%q in %+v: fault %d", text, spelling, fault)
		}
	})
}

// A sign may precede the unit, as in -€5 and -€ 5.
func TestSignBeforeUnit(t *testing.T) {
	a := table.Attribute{Column: "x", Cuts: []table.Decimal{"-1", "1"}, Spelling: table.Spelling{Units: []string{"€"}}}
	for text, want := range map[string]int{"-€5": 0, "-€ 5": 0, "+€5": 2, "€-5": 0, "€0": 1} {
		if code, ok := a.Coder(&table.File{Decimal: '.'}).Code([]byte(text)); !ok || code != want {
			t.Errorf("%q has the code %d, %v, not %d", text, code, ok, want)
		}
	}
}

func TestNotInSpelling(t *testing.T) {
	for _, test := range []struct {
		spelling table.Spelling
		texts    []string
	}{
		{table.Spelling{Thousands: ","}, []string{"12,34,567", "1,23", "1,2345", "1234,567", ",123", "1,,234", "1,234,", "1.234,567", "0.1,234", "1'234", "1 234", "1,234e1,000", ",", "-,123", "1,-234"}},
		{table.Spelling{Decimal: ',', Thousands: "."}, []string{"1.5", "1,234.5", "1,5,5", "1.234.5", "."}},
		{table.Spelling{Thousands: " "}, []string{" 1234", "1  234", "1 234 ", "1,234"}},
		{table.Spelling{Units: []string{"%"}}, []string{"%", "5%%", "%5%", "5 €", "-%-5", "--5%", "%", " 5%", "5% ", "+ %5", "5%5", "%e5", "-", "- %"}},
		{table.Spelling{Units: []string{"EUR"}}, []string{"5 eur", "EUR", "5 EU", "-EUR", "EUR EUR 5"}},
	} {
		a := table.Attribute{Column: "x", Cuts: []table.Decimal{"1"}, Spelling: test.spelling}
		for _, text := range test.texts {
			if code, ok := a.Coder(&table.File{Decimal: '.'}).Code([]byte(text)); ok {
				t.Errorf("%q in %+v is read with the code %d", text, test.spelling, code)
			}
		}
	}
}

const spelled = `
[label]
column = "cost"
at_least = "1000"
decimal = ","
thousands = "."
unit = "€"
[[attribute]]
column = "rate"
cuts = [1, 2.5]
unit = ["%", "percent"]
decimal = ","
draw = "uniform"
least = 0
most = 10
`

// A model stores the spelling. The digest of the categories does not depend on it.
func TestSpellingInJSON(t *testing.T) {
	s := tabletest.Schema(t, spelled)
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again table.Schema
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.Attributes, again.Attributes) || !reflect.DeepEqual(s.Label, again.Label) {
		t.Errorf("%s\n%+v\n%+v", text, s, again)
	}
	without := tabletest.Schema(t, strings.NewReplacer("decimal = \",\"\n", "", "thousands = \".\"\n", "", "unit = \"€\"\n", "", "unit = [\"%\", \"percent\"]\n", "").Replace(spelled))
	if without.Attributes[0].Spelled() || without.Digest() != s.Digest() {
		t.Error("the digest depends on the spelling")
	}
}

// Synthetic numbers are written with the attribute's decimal mark, and are read as the same
// category.
func TestSpellingOfDrawnNumbers(t *testing.T) {
	s := tabletest.Schema(t, spelled)
	flat, err := s.Project([]int{0}).Flat()
	if err == nil {
		flat.Attributes = flat.Attributes[:1]
	}
	d, err := table.NewDrawer(flat, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	coder := s.Attributes[0].Coder(&s.File)
	for i := range 30 {
		record := []uint16{uint16(i % 3)}
		field := d.Draw(nil, record, nil)[0]
		if code, ok := coder.Code([]byte(field)); !ok || code != i%3 || !strings.Contains(field, ",") {
			t.Errorf("%q: %d, %v", field, code, ok)
		}
	}
}

// A schema states the first column of texts that has a spelling.
func TestSpelledText(t *testing.T) {
	s := tabletest.Schema(t, spelled)
	for _, texts := range [][]string{nil, {"other"}, {"rate"}, {"cost"}} {
		want := [2]string{}
		switch {
		case slices.Contains(texts, "rate"):
			want = [2]string{"rate", "decimal and unit"}
		case slices.Contains(texts, "cost"):
			want = [2]string{"cost", "decimal, thousands and unit"}
		}
		column, keys := s.SpelledText(func(column string) bool { return slices.Contains(texts, column) })
		if got := [2]string{column, keys}; got != want {
			t.Errorf("%v: %v", texts, got)
		}
	}
}

// TestMissingNumbers compares the codes of a Coder with those of Attribute.Code and with the definition.
func TestMissingNumbers(t *testing.T) {
	for _, cuts := range [][]table.Decimal{{"-999.5", "0", "100"}, {"-999.5", "0", "100000000000000000000"}} { // cuts of the second list are compared digit by digit
		for _, other := range []string{"", "missing"} {
			a := table.Attribute{Column: "x", Cuts: cuts, Other: other, Spelling: table.Spelling{Missing: []string{"-999", "NA", "99.50"}}}
			text, plain := a.Coder(&table.File{Decimal: '.'}), a.Coder(nil)
			for field, want := range map[string]bool{
				"-999": true, "-999.00": true, "-0999": true, "NA": true, "99.5": true, "+99.500": true, "": true, "?": true,
				"999": false, "-999.001": false, "-998.9999": false, "-1000": false, "99.50000000000000000001": false, "99": false, "0": false, "1000000000000000000000": false,
			} {
				for _, c := range []*table.Coder{text, plain} {
					code, ok := c.Code([]byte(field))
					if missing := !ok || other != "" && code == a.Len()-1; missing != want {
						t.Errorf("%q with cuts %v: missing is %v", field, cuts, missing)
					}
					plainCode, plainOK := a.Code(field)
					if ok != plainOK || code != plainCode {
						t.Errorf("%q: the coder has %d, %v; the attribute %d, %v", field, code, ok, plainCode, plainOK)
					}
				}
			}
			if code, ok := text.Code([]byte("-9.99e2")); ok != (other != "") || ok && code != a.Len()-1 {
				t.Errorf("-9.99e2: %d, %v", code, ok)
			}
			for field, want := range map[string]table.NumberFault{"NA": table.Readable, "-999": table.Readable, "n/a": table.NotNumber} {
				if got := text.NumberFault([]byte(field)); got != want {
					t.Errorf("%q: fault %d", field, got)
				}
			}
		}
	}
}

// A number that means a missing value must not be one of the numbers that synthetic data may draw.
func TestMissingAndDrawn(t *testing.T) {
	for draw, drawn := range map[string]map[string]bool{
		"draw = \"integer\"\nleast = 0\nmost = 9":             {"8": true, "8.0": true, "8.5": false, "10": false, "-1": false},
		"draw = \"uniform\"\nleast = 0\nmost = 9":             {"8.25": true, "8.255": false},
		"draw = \"uniform\"\nplaces = 1\nleast = 0\nmost = 9": {"8.5": true, "8.25": false},
		"draw = [2, 8.5]": {"8.5": true, "8": false},
	} {
		for missing, refused := range drawn {
			text := fmt.Sprintf("[[attribute]]\ncolumn = \"x\"\ncuts = [5]\nother = \"none\"\n%s\nmissing = %q", draw, missing)
			if _, err := table.ParseSchema("s.toml", strings.NewReader(text)); (err != nil) != refused || refused && !strings.Contains(err.Error(), "which synthetic data may draw") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// The digest of the categories depends on the numbers that mean a missing value, but not on other texts for it.
func TestMissingInDigest(t *testing.T) {
	const schema = "[[attribute]]\ncolumn = \"x\"\ncuts = [0]\nother = \"none\"\n"
	plain := tabletest.Schema(t, schema)
	for missing, same := range map[string]bool{`missing = "NA"`: true, `missing = ["NA", "?"]`: true, `missing = "-9"`: false} {
		s := tabletest.Schema(t, schema+missing)
		if (s.Digest() == plain.Digest()) != same {
			t.Errorf("%s: the same digest is %v", missing, !same)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again table.Schema
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(s.Attributes, again.Attributes) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if a, b := tabletest.Schema(t, schema+`missing = ["-9", "7", "NA"]`), tabletest.Schema(t, schema+`missing = ["7.0", "-9.0", "-9"]`); a.Digest() != b.Digest() {
		t.Error("the digest depends on how the numbers are listed")
	}
}

// A pattern of numbers has the separators of the attribute, and takes a dot literally.
func TestPatternOfThousands(t *testing.T) {
	for thousands, reads := range map[string]string{",": "1,234", "'": "1'234", "_": "12_345_678"} {
		a := table.Attribute{Column: "x", Cuts: []table.Decimal{"1"}, Spelling: table.Spelling{Thousands: thousands}}
		pattern := regexp.MustCompile(a.NumberPattern(&table.File{Decimal: '.'}))
		for text, want := range map[string]bool{reads: true, "1234": true, "1" + thousands + "23": false, "1;234": false} {
			if pattern.MatchString(text) != want {
				t.Errorf("%s matches %q: %v", pattern, text, !want)
			}
		}
	}
	a := table.Attribute{Column: "x", Cuts: []table.Decimal{"1"}, Spelling: table.Spelling{Decimal: ',', Thousands: "."}}
	if pattern := regexp.MustCompile(a.NumberPattern(&table.File{Decimal: '.'})); !pattern.MatchString("1.234,5") || pattern.MatchString("1x234,5") {
		t.Errorf("pattern %s", pattern)
	}
}

// Listed numbers are integers if none has decimal places.
func TestWhole(t *testing.T) {
	for text, want := range map[string]bool{"": false, "1 20": true, "1 2.5": false, "0.5": false} {
		a := table.Attribute{Column: "x", Cuts: []table.Decimal{"1"}}
		for _, number := range strings.Fields(text) {
			a.Listed = append(a.Listed, table.Decimal(number))
		}
		if a.Whole() != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
