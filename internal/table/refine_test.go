package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// publicCuts returns the numbers from, from + step, … below to.
func publicCuts(from, to, step int) (cuts []string) {
	for n := from; n < to; n += step {
		cuts = append(cuts, fmt.Sprint(n))
	}
	return cuts
}

// refinable returns a schema with one column of the given cuts. The profile completed the column with the given name.
func refinable(t *testing.T, column string, cuts []string) *table.Schema {
	return tabletest.Schema(t, fmt.Sprintf("[file]\nheader = true\n[[attribute]]\ncolumn = \"gain\"\ncuts = [%s]\n[[attribute]]\ncolumn = \"other\"\ncuts = [1]\n[[profile]]\ncolumns = [%q]\nnot_private = true\n", strings.Join(cuts, ", "), column))
}

// Refined adds integers of three significant digits between public cuts of two, and nothing else.
func TestRefined(t *testing.T) {
	tens, hundreds, thousands := publicCuts(10, 100, 1), publicCuts(100, 1000, 10), publicCuts(1000, 10_000, 100)
	var negative []string
	for _, cut := range slices.Backward(thousands) {
		negative = append(negative, "-"+cut)
	}
	for name, c := range map[string]struct {
		column string
		cuts   []string
		want   []string // nil for the same cuts
	}{
		"thousands":        {"gain", append([]string{"1"}, thousands...), append([]string{"1"}, publicCuts(1000, 9901, 10)...)},
		"three powers":     {"gain", slices.Concat(tens, hundreds, thousands), slices.Concat(tens, publicCuts(100, 1000, 1), publicCuts(1000, 9901, 10))},
		"negative":         {"gain", append(slices.Clone(negative), "0"), nil},
		"a gap":            {"gain", append(slices.Clone(hundreds), "2000"), append(publicCuts(100, 991, 1), "2000")},
		"below a hundred":  {"gain", tens, nil},
		"chosen cuts":      {"gain", thousands[:63], nil},
		"another column":   {"other", thousands, nil},
		"finer already":    {"gain", publicCuts(100, 1000, 1), nil},
		"too many":         {"gain", slices.Concat(hundreds, thousands, publicCuts(10_000, 100_000, 1000)), nil},
		"other distances":  {"gain", publicCuts(1000, 10_000, 120), nil},
		"no integers":      {"gain", append([]string{"0.5"}, tens...), nil},
		"multiples of 200": {"gain", publicCuts(1000, 100_000, 200), nil},
	} {
		if name == "negative" {
			for n := -9900; n <= -1000; n += 10 {
				c.want = append(c.want, fmt.Sprint(n))
			}
			c.want = append(c.want, "0")
		}
		s := refinable(t, c.column, c.cuts)
		refined, want := s.Refined(), c.want
		if want == nil {
			want = c.cuts
		}
		var got []string
		for _, cut := range refined.Attributes[0].Cuts {
			got = append(got, string(cut))
		}
		if !slices.Equal(got, want) || (refined == s) != (c.want == nil) || len(s.Attributes[0].Cuts) != len(c.cuts) {
			t.Errorf("%s: cuts %v", name, got)
		}
		if again := refined.Refined(); again != refined {
			t.Errorf("%s: the refined schema is refined again", name)
		}
		if _, err := table.NewSchema(*refined); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
