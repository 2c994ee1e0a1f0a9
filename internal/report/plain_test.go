package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Intervals and categories are written in words.
func TestPlainCategories(t *testing.T) {
	whole := table.Writing{Draw: "integer"}
	date := func(part, age string) table.Dates { return table.Dates{Format: "iso", Part: part, AgeAt: age} }
	for _, test := range []struct {
		a    table.Attribute
		want string
	}{
		{table.Attribute{Cuts: []table.Decimal{"40", "60", "75"}, Writing: whole}, "under 40|40 to 59|60 to 74|75 or more"},
		{table.Attribute{Cuts: []table.Decimal{"40", "60", "75"}}, "under 40|40 to under 60|60 to under 75|75 or more"},
		{table.Attribute{Cuts: []table.Decimal{"0.5", "2.75"}}, "under 0.5|0.5 to under 2.75|2.75 or more"},
		{table.Attribute{Cuts: []table.Decimal{"1", "2", "4"}, Writing: table.Writing{Draw: "integer", Least: "0", Most: "4"}}, "0|1|2 to 3|4"},
		{table.Attribute{Cuts: []table.Decimal{"0.5", "2.5", "2.75"}, Writing: whole}, "under 1|1 to 2|2.5 to under 2.75|3 or more"},
		{table.Attribute{Cuts: []table.Decimal{"-20", "-5", "0"}, Writing: whole}, "under −20|−20 to −6|−5 to −1|0 or more"},
		{table.Attribute{Cuts: []table.Decimal{"9999", "10000", "1234567.5"}, Writing: whole}, "under 9999|9999|10,000 to 1,234,567|1,234,568 or more"},
		{table.Attribute{Cuts: []table.Decimal{"1", "5"}, Writing: table.Writing{Listed: []table.Decimal{"0", "3", "7"}}}, "under 1|1 to 4|5 or more"},
		{table.Attribute{Cuts: []table.Decimal{"1", "5"}, Writing: table.Writing{Listed: []table.Decimal{"0", "3.5", "7"}}, Other: "not measured"}, "under 1|1 to under 5|5 or more|not measured"},
		{table.Attribute{Cuts: []table.Decimal{"0", "19000", "19001"}, Dates: date("", "")}, "before 1 January 1970|1 January 1970 to 7 January 2022|8 January 2022|9 January 2022 or later"},
		{table.Attribute{Cuts: []table.Decimal{"4", "7", "12"}, Dates: date("month", "")}, "January to March|April to June|July to November|December"},
		{table.Attribute{Cuts: []table.Decimal{"6"}, Dates: date("weekday", "")}, "Monday to Friday|Saturday to Sunday"},
		{table.Attribute{Cuts: []table.Decimal{"1990", "10000"}, Dates: date("year", "")}, "under 1990|1990 to 9999|10000 or more"},
		{table.Attribute{Cuts: []table.Decimal{"18", "65"}, Dates: date("", "2026-01-01")}, "under 18|18 to 64|65 or more"},
		{table.Attribute{Values: []string{"1", "12"}, Dates: date("month", "")}, "January|December"},
		{table.Attribute{Values: []string{"1", "x y"}, Other: "rest"}, "1|x y|rest"},
		{table.Attribute{Groups: []table.Group{{Name: "heart or lung"}, {Name: "surgery"}}}, "heart or lung|surgery"},
	} {
		if got := strings.Join(report.PlainCategories(&test.a), "|"); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// Conditions are written in words.
func TestPlainConditions(t *testing.T) {
	age := table.Attribute{Name: "age_now", Cuts: []table.Decimal{"40", "60", "75"}, Other: "not known", Writing: table.Writing{Draw: "integer"}}
	place := table.Attribute{Name: "place", Values: []string{"Zug", "heart or lung", "x"}, Other: "rest"}
	for _, test := range []struct {
		a        table.Attribute
		accepted []uint16
		want     string
	}{
		{age, []uint16{0, 1}, "age now is under 60"},
		{age, []uint16{1, 2}, "age now is 40 to 74"},
		{age, []uint16{0, 3}, "age now is under 40, or 75 or more"},
		{age, []uint16{2, 3, 4}, `age now is 60 or more, or "not known"`},
		{age, []uint16{0, 1, 2, 3}, "age now is any number"},
		{place, []uint16{0}, "place is Zug"},
		{place, []uint16{0, 1}, `place is Zug or "heart or lung"`},
		{place, []uint16{0, 2, 3}, `place is not "heart or lung"`},
		{table.Attribute{Name: "x, y", Values: []string{"1", "2", "3", "4", "5"}}, []uint16{0, 1, 4}, `"x, y" is neither 3 nor 4`},
	} {
		if got := report.PlainCondition(&test.a, slices.Clone(test.accepted)); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
