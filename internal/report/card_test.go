package report_test

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Adjacent intervals with equal points share a line. Values and the category of other values have lines of their own.
func TestLines(t *testing.T) {
	whole := table.Writing{Draw: "integer"}
	age := table.Attribute{Cuts: []table.Decimal{"20", "30", "40", "50"}, Other: "missing", Writing: whole}
	admitted := table.Attribute{Cuts: []table.Decimal{"19000", "19001", "19002"}, Dates: table.Dates{Format: "iso"}}
	for _, test := range []struct {
		a           table.Attribute
		points      []int
		text, plain string
	}{
		{age, []int{1, 1, 2, 2, 2, 2}, "[{<30 1} {≥30 2} {missing 2}]", "[{under 30 1} {30 or more 2} {missing 2}]"},
		{age, []int{1, 2, 2, 2, 1, 1}, "[{<20 1} {[20,50) 2} {≥50 1} {missing 1}]", "[{under 20 1} {20 to 49 2} {50 or more 1} {missing 1}]"},
		{age, []int{1, 1, 1, 1, 1, 0}, "[{any number 1} {missing 0}]", "[{any number 1} {missing 0}]"},
		{age, []int{1, 2, 3, 4, 5, 6}, "[{<20 1} {[20,30) 2} {[30,40) 3} {[40,50) 4} {≥50 5} {missing 6}]", "[{under 20 1} {20 to 29 2} {30 to 39 3} {40 to 49 4} {50 or more 5} {missing 6}]"},
		{admitted, []int{0, 3, 3, 0}, "[{<2022-01-08 0} {[2022-01-08,2022-01-10) 3} {≥2022-01-10 0}]", "[{before 8 January 2022 0} {8 January 2022 to 9 January 2022 3} {10 January 2022 or later 0}]"},
		{table.Attribute{Values: []string{"a", "b", "c"}}, []int{1, 1, 0}, "[{a 1} {b 1} {c 0}]", "[{a 1} {b 1} {c 0}]"},
	} {
		for plain, want := range map[bool]string{false: test.text, true: test.plain} {
			if got := fmt.Sprint(report.Lines(test.a, test.points, plain)); got != want {
				t.Errorf("%v, plain %v: %s, not %s", test.points, plain, got, want)
			}
		}
	}
}

// The sentence on unused attributes ends in one point, even if the last name does.
func TestNotUsed(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{"age"}, "Not used: age."},
		{[]string{"RR syst.", "age"}, "Not used: RR syst., age."},
		{[]string{"age", "RR syst."}, "Not used: age, RR syst."},
	} {
		if got := report.NotUsed(test.names); got != test.want {
			t.Errorf("%q: %s, not %s", test.names, got, test.want)
		}
	}
}
