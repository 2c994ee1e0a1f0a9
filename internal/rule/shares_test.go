package rule

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const stays = tabletest.Stays + `[[attribute]]
column = "home"
groups = { x = ["own", "rent"], y = ["none"] }
[[attribute]]
column = "school"
values = ["none", "some", "all"]
ordered = true
other = "rest"
`

func cond(operator string, values ...string) Test { return Test{Operator: operator, Values: values} }

// restrict returns the shares of the values that a Drawer writes.
func TestShares(t *testing.T) {
	s := tabletest.Schema(t, stays)
	f, err := s.Flat()
	if err != nil {
		t.Fatal(err)
	}
	attributes := map[string]*table.Attribute{}
	for j := range f.Attributes {
		attributes[f.Attributes[j].Name] = &f.Attributes[j]
	}
	for _, c := range []struct {
		attribute string
		of        []Test
		want      string // of the shares, or what the error says
	}{
		{"born", nil, "[1 1 1]"},
		{"born", []Test{cond("≥", "1950")}, "[0 1 1]"},
		{"born", []Test{cond(">", "1949.5")}, "[0 1 1]"},
		{"born", []Test{cond("<", "1935")}, "[0.5 0 0]"},
		{"born", []Test{cond("≤", "1934")}, "[0.5 0 0]"},
		{"born", []Test{cond("≥", "1950"), cond("<", "1960")}, "[0 0.25 0]"},
		{"born", []Test{cond("≥", "1950"), cond("<", "1960"), cond("≠", "1951"), cond("≠", "1951"), cond("≠", "1970")}, "[0 0.225 0]"},
		{"born", []Test{cond("in", "1950", "1951", "1950", "1950.5", "2000")}, "[0 0.05 0.05]"},
		{"born", []Test{cond("in", "1950", "1951"), cond("in", "1951", "1952")}, "[0 0.025 0]"},
		{"born", []Test{cond("=", "<1950")}, "[1 0 0]"},
		{"born", []Test{cond("≥", "[1950,1990)")}, "[0 1 1]"},
		{"born", []Test{cond(">", strings.Repeat("9", 40))}, "[0 0 0]"},
		{"born", []Test{cond(">", "-"+strings.Repeat("9", 40))}, "[1 1 1]"},
		{"born", []Test{cond("=", "x")}, `attribute "born" has numbers, but "x" is neither a number, such as 1.5, nor a category`},
		{"in", []Test{cond("<", "1990")}, "[1 1 0 0]"},
		{"in", []Test{cond("≠", "1960")}, "[1 0.9666666666666667 1 1]"},
		{"in", []Test{cond("=", "unknown")}, "[0 0 0 1]"},
		{"in", []Test{cond("≠", "?")}, "[1 1 1 0]"},
		{"out", []Test{cond("≥", "1985")}, "[0 1 1]"},
		{"out", []Test{cond("not in", "1985", "1940")}, "[0 0 1]"},
		{"out", []Test{cond("=", "1986")}, `attribute "out" has no value "1986"`},
		{"town", []Test{cond("<", "Kiel")}, `attribute "town" cannot be compared with "Kiel" by <, ≤, ≥ or >; use = or in`},
		{"school", []Test{cond("≥", "some")}, "[0 1 1 0]"},
		{"school", []Test{cond("≥", "rest")}, `attribute "school" cannot be compared with "rest" by <, ≤, ≥ or >; use = or in`},
		{"school", []Test{cond("≠", "some")}, "[1 0 1 1]"},
		{"school", []Test{cond("=", "")}, "[0 0 0 1]"},
		{"land", []Test{cond("=", "NW")}, "[1 0]"},
		{"land", []Test{cond("=", "nw")}, `attribute "land" has no value "nw"`},
		{"land", []Test{cond("=", "n or land = s")}, `; "or" joins no conditions, but a condition may list values, as in land in {…}`},
		{"home", []Test{cond("=", "own")}, "[0.5 0]"},
		{"land", []Test{cond("=", "west")}, "[1 0]"},
		{"dose", []Test{cond("≥", "5")}, "[0.5 1]"},
		{"dose", []Test{cond("=", "20.5")}, "[0 1]"},
		{"dose", []Test{cond("~", "1")}, "unknown operator"},
		{"dose", []Test{cond("<", "1", "2")}, "the operator < needs exactly one value"},
		{"weight", []Test{cond("<", "80.5")}, "[1 1 0]"},
		{"weight", []Test{cond("≥", "65.25")}, "[0 0.5 1]"},
		{"back", []Test{cond("=", "yes")}, "[0 1]"},
	} {
		r, err := restrict(attributes[c.attribute], c.of, nil)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %v: %v", c.attribute, c.of, err)
			}
			continue
		}
		got := r.Shares
		for i := range got {
			got[i] = math.Round(got[i]*1e15) / 1e15
		}
		if want := strings.ReplaceAll(c.want, "0.9666666666666667", fmt.Sprint(math.Round(29.0/30*1e15)/1e15)); fmt.Sprint(got) != want {
			t.Errorf("%s %v: the shares are %v, not %s", c.attribute, c.of, got, want)
		}
	}
}
