package table_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

func TestNumberFault(t *testing.T) {
	a := table.Attribute{Column: "x", Cuts: []table.Decimal{"10"}}
	point, comma, plain := &table.File{Decimal: '.'}, &table.File{Decimal: ','}, (*table.File)(nil)
	for _, test := range []struct {
		file *table.File
		text string
		want table.NumberFault
	}{
		{point, "", table.Readable}, {point, "-1.5", table.Readable}, {point, "1e5", table.Readable}, {plain, "1e5", table.HasExponent}, {plain, "1.5", table.Readable},
		{point, " 1", table.HasBlanks}, {point, "1.5\u00a0", table.HasBlanks}, {point, " ", table.HasBlanks},
		{point, "1,5", table.HasComma}, {comma, "1.5", table.HasPoint}, {comma, "-1.5e3", table.HasPoint}, {point, "1,2345", table.HasComma}, {point, "1,234", table.HasSeparators},
		{point, "1,234,567", table.HasSeparators}, {point, "-1,234.50", table.HasSeparators}, {point, "1.234,5", table.HasSeparators}, {comma, "1.234,5", table.HasSeparators},
		{point, "1 234", table.HasSeparators}, {point, "1\u202f234,5", table.HasSeparators}, {point, "1'234'567.89", table.HasSeparators}, {point, "12,34,567", table.NotNumber},
		{point, "12 %", table.HasSymbol}, {point, "$1,234.50", table.HasSymbol}, {point, "12,5 €", table.HasSymbol}, {point, "EUR 3", table.HasSymbol}, {point, "12 kg", table.HasSymbol}, {point, "-$1,000,000", table.HasSymbol}, {point, "% -5", table.HasSymbol},
		{point, "NA", table.NotNumber}, {point, "?", table.NotNumber}, {point, "1-2", table.NotNumber}, {point, "NaN", table.NotNumber}, {point, "1_2", table.NotNumber}, {point, "%", table.NotNumber},
	} {
		if got := a.Coder(test.file).NumberFault([]byte(test.text)); got != test.want {
			t.Errorf("%q in %+v: %d, want %d", test.text, test.file, got, test.want)
		}
	}
	words := table.Attribute{Column: "x", Values: []string{"a"}}
	if got := words.Coder(point).NumberFault([]byte("b")); got != table.Readable {
		t.Errorf("values: %d", got)
	}
}
