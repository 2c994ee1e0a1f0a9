package table_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

func TestDoubt(t *testing.T) {
	numbers := table.Attribute{Column: "x", Cuts: []table.Decimal{"10"}, Spelling: table.Spelling{Missing: []string{"-9", "n/a"}}, Writing: table.Writing{Draw: "integer", Least: "0", Most: "100"}}
	boundless := table.Attribute{Column: "x", Cuts: []table.Decimal{"10"}}
	days := table.Attribute{Column: "x", Cuts: []table.Decimal{"20000"}, Dates: table.Dates{Format: "d.m.y"}, Writing: table.Writing{Draw: "day", Least: "18262", Most: "20453"}} // 2020-01-01 to 2025-12-31
	words := table.Attribute{Column: "x", Values: []string{"Ja", " nein"}, Other: "other", Spelling: table.Spelling{Missing: []string{"NA"}}}
	groups := table.Attribute{Column: "x", Groups: []table.Group{{Name: "some", Values: []string{"Ä"}}}}
	codes := table.Attribute{Column: "x", Values: []string{"1", "2.50", "03", "n"}, Other: "other"}
	label := (&table.Label{Column: "x", Positive: []string{"yes", "YES"}, Negative: []string{"no"}}).Attribute()
	comma := &table.File{Decimal: ','}
	for _, test := range []struct {
		of   table.Attribute
		text string
		want table.Doubt
	}{
		{numbers, "0", table.NoDoubt}, {numbers, "100", table.NoDoubt}, {numbers, "100,0", table.NoDoubt}, {numbers, "100,01", table.BeyondLimits}, {numbers, "-999", table.BeyondLimits},
		{numbers, "1e9", table.BeyondLimits}, {numbers, "-9", table.NoDoubt}, {numbers, "-9,0", table.NoDoubt}, {numbers, "n/a", table.NoDoubt}, {numbers, "", table.NoDoubt}, {numbers, "x", table.NoDoubt},
		{boundless, "-999", table.NoDoubt},
		{days, "31.12.2025", table.NoDoubt}, {days, "1.1.2026", table.BeyondLimits}, {days, "31.12.2019", table.BeyondLimits}, {days, "31.2.2019", table.NoDoubt}, {days, "", table.NoDoubt},
		{words, "Ja", table.NoDoubt}, {words, " Ja", table.HasMargins}, {words, "Ja\u00a0", table.HasMargins}, {words, "JA", table.HasOtherCase}, {words, " ja ", table.HasOtherCase},
		{words, "nein", table.NoDoubt}, {words, "NA", table.NoDoubt}, {words, "na", table.HasOtherCase}, {words, "jawohl", table.NoDoubt}, {words, "", table.NoDoubt}, {words, "  ", table.NoDoubt},
		{groups, "ä", table.HasOtherCase}, {groups, "A\u0308", table.HasOtherForm}, {groups, " A\u0308", table.HasOtherForm}, {groups, "a\u0308", table.HasOtherCase}, {groups, "Ä", table.NoDoubt}, {groups, "some", table.NoDoubt},
		{codes, "1.0", table.HasOtherDigits}, {codes, "+1", table.HasOtherDigits}, {codes, " 2.5", table.HasOtherDigits}, {codes, "3", table.HasOtherDigits}, {codes, "03", table.NoDoubt}, {codes, "4", table.NoDoubt}, {codes, "N", table.HasOtherCase},
		{label, "No", table.HasOtherCase}, {label, "YES", table.NoDoubt}, {label, "no ", table.HasMargins},
	} {
		if got := test.of.Doubter(comma).Doubt([]byte(test.text)); got != test.want {
			t.Errorf("%q: %d, want %d", test.text, got, test.want)
		}
	}
}
