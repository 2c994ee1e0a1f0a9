package table

import (
	"slices"
	"testing"
)

// compareDecimals orders decimals as the rational numbers that they write.
func TestCompareDecimals(t *testing.T) {
	var all []Decimal
	for _, text := range []string{"0", "7", "10", "09.50", "9.5", "0.05", "0.5", "0.51", "100", "99.999", "123456789012345678901234567890"} {
		for _, sign := range []string{"", "-", "+"} {
			d, ok := ParseDecimal(sign + text)
			if !ok {
				t.Fatal(text)
			}
			all = append(all, d)
		}
	}
	for _, a := range all {
		for _, b := range all {
			if got, want := compareDecimals(a, b), a.Rat().Cmp(b.Rat()); got != want {
				t.Errorf("compareDecimals(%s, %s) = %d, not %d", a, b, got, want)
			}
		}
	}
	if !slices.IsSortedFunc([]Decimal{"-10", "-9.5", "0", "0.05", "9"}, compareDecimals) {
		t.Error("increasing decimals are not sorted")
	}
}
