package table_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

func cond(operator string, values ...string) table.Condition {
	return table.Condition{Operator: operator, Values: values}
}

// Shares are those of values that a Drawer writes.
func TestShares(t *testing.T) {
	f := flat(t, parse(t, stays+"[[attribute]]\ncolumn = \"home\"\ngroups = { x = [\"own\", \"rent\"], y = [\"none\"] }\n[[attribute]]\ncolumn = \"school\"\nvalues = [\"none\", \"some\", \"all\"]\nordered = true\nother = \"rest\"\n"))
	attributes := map[string]*table.Attribute{}
	for j := range f.Attributes {
		attributes[f.Attributes[j].Name] = &f.Attributes[j]
	}
	for _, c := range []struct {
		attribute string
		of        []table.Condition
		want      string // of the shares, or what the error says
	}{
		{"born", nil, "[1 1 1]"},
		{"born", []table.Condition{cond("≥", "1950")}, "[0 1 1]"},
		{"born", []table.Condition{cond(">", "1949.5")}, "[0 1 1]"},
		{"born", []table.Condition{cond("<", "1935")}, "[0.5 0 0]"},
		{"born", []table.Condition{cond("≤", "1934")}, "[0.5 0 0]"},
		{"born", []table.Condition{cond("≥", "1950"), cond("<", "1960")}, "[0 0.25 0]"},
		{"born", []table.Condition{cond("≥", "1950"), cond("<", "1960"), cond("≠", "1951"), cond("≠", "1951"), cond("≠", "1970")}, "[0 0.225 0]"},
		{"born", []table.Condition{cond("in", "1950", "1951", "1950", "1950.5", "2000")}, "[0 0.05 0.05]"},
		{"born", []table.Condition{cond("in", "1950", "1951"), cond("in", "1951", "1952")}, "[0 0.025 0]"},
		{"born", []table.Condition{cond("=", "<1950")}, "[1 0 0]"},
		{"born", []table.Condition{cond("≥", "[1950,1990)")}, "[0 1 1]"},
		{"born", []table.Condition{cond(">", strings.Repeat("9", 40))}, "[0 0 0]"},
		{"born", []table.Condition{cond(">", "-"+strings.Repeat("9", 40))}, "[1 1 1]"},
		{"born", []table.Condition{cond("=", "x")}, `attribute "born" has numbers, and "x" is neither a number nor a category`},
		{"in", []table.Condition{cond("<", "1990")}, "[1 1 0 0]"},
		{"in", []table.Condition{cond("≠", "1960")}, "[1 0.9666666666666667 1 1]"},
		{"in", []table.Condition{cond("=", "unknown")}, "[0 0 0 1]"},
		{"in", []table.Condition{cond("≠", "?")}, "[1 1 1 0]"},
		{"out", []table.Condition{cond("≥", "1985")}, "[0 1 1]"},
		{"out", []table.Condition{cond("not in", "1985", "1940")}, "[0 0 1]"},
		{"out", []table.Condition{cond("=", "1986")}, `attribute "out" has no value "1986"`},
		{"town", []table.Condition{cond("<", "Kiel")}, `attribute "town" cannot be compared with "Kiel"; use = or in`},
		{"school", []table.Condition{cond("≥", "some")}, "[0 1 1 0]"},
		{"school", []table.Condition{cond("≥", "rest")}, `attribute "school" cannot be compared with "rest"; use = or in`},
		{"school", []table.Condition{cond("≠", "some")}, "[1 0 1 1]"},
		{"school", []table.Condition{cond("=", "")}, "[0 0 0 1]"},
		{"land", []table.Condition{cond("=", "NW")}, "[1 0]"},
		{"land", []table.Condition{cond("=", "nw")}, `attribute "land" has no value "nw"`},
		{"home", []table.Condition{cond("=", "own")}, "[0.5 0]"},
		{"land", []table.Condition{cond("=", "west")}, "[1 0]"},
		{"dose", []table.Condition{cond("≥", "5")}, "[0.5 1]"},
		{"dose", []table.Condition{cond("=", "20.5")}, "[0 1]"},
		{"dose", []table.Condition{cond("~", "1")}, "unknown operator"},
		{"dose", []table.Condition{cond("<", "1", "2")}, "the operator < needs exactly one value"},
		{"weight", []table.Condition{cond("<", "80.5")}, "[1 1 0]"},
		{"weight", []table.Condition{cond("≥", "65.25")}, "[0 0.5 1]"},
		{"back", []table.Condition{cond("=", "yes")}, "[0 1]"},
	} {
		got, err := attributes[c.attribute].Shares(c.of)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %v: %v", c.attribute, c.of, err)
			}
			continue
		}
		for i := range got {
			got[i] = math.Round(got[i]*1e15) / 1e15
		}
		if want := strings.ReplaceAll(c.want, "0.9666666666666667", fmt.Sprint(math.Round(29.0/30*1e15)/1e15)); fmt.Sprint(got) != want {
			t.Errorf("%s %v: the shares are %v, not %s", c.attribute, c.of, got, want)
		}
	}
}
