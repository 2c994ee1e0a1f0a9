package literal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

func list(a literal.Attribute) string {
	var b strings.Builder
	for t := range a.Tests() {
		fmt.Fprint(&b, a.Accepted(t))
	}
	return b.String()
}

func TestTests(t *testing.T) {
	for want, a := range map[string]literal.Attribute{
		"":                              literal.Equal(1),
		"[0][1]":                        literal.EqualOrNot(2),
		"[0][1][2]":                     literal.Equal(3),
		"[0][1][2][1 2][0 2][0 1]":      literal.EqualOrNot(3),
		"[1]":                           literal.Positive(),
		"[0][0 1][1][1 2][2]":           literal.Intervals(3, false),
		"[0][0 1][1]":                   literal.Intervals(3, true),
		"[2][0 1]":                      literal.Tests(3, [][]bool{{false, false, true}, {true, true, false}}),
		"[0][0 1][1][1 2][2][0 2]":      literal.Join(literal.Intervals(3, false), literal.EqualOrNot(3)),
		"[0][1][2][3][0 1][0 1 2][1 2]": literal.Join(literal.Equal(4), literal.Intervals(4, true)),
		"[0][0 1][1][2][1 2][0 2]":      literal.Join(literal.Intervals(3, true), literal.EqualOrNot(3)),
		"[1][0 1][0][2]":                literal.Join(literal.Tests(3, [][]bool{{false, true, false}, {true, true, false}}), literal.Equal(3)),
	} {
		if err := a.Validate(); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if got := list(a); got != want {
			t.Errorf("%s instead of %s", got, want)
		}
		for i := range a.Tests() {
			if found, ok := a.Find(a.Accepted(i)); !ok || found != i {
				t.Errorf("%s: test %d is found as %d, %v", want, i, found, ok)
			}
			in := map[uint16]bool{}
			for _, c := range a.Accepted(i) {
				in[c] = true
			}
			for c := range a.Categories() {
				if a.Accepts(i, uint16(c)) != in[uint16(c)] {
					t.Errorf("%s: test %d accepts %d: %v", want, i, c, !in[uint16(c)])
				}
			}
		}
		if _, ok := a.Find([]uint16{7}); ok {
			t.Errorf("%s: a test of category 7", want)
		}
	}
}

func TestFaults(t *testing.T) {
	for want, a := range map[string]literal.Attribute{
		"the number of categories is 0, but must be":     literal.Equal(0),
		"the number of categories is 70000, but must be": literal.Equal(70000),
		"too many":                      literal.Intervals(5000, false),
		"accept more than":              literal.EqualOrNot(60000),
		"has 2 entries":                 literal.Tests(3, [][]bool{{true, false}}),
		"test 1 accepts no category":    literal.Tests(2, [][]bool{{false, false}}),
		"test 1 accepts every category": literal.Tests(2, [][]bool{{true, true}}),
		"tests 1 and 2 accept the same": literal.Tests(2, [][]bool{
			{true, false}, {true, false}}),
		"join": literal.Join(literal.Equal(3), literal.Equal(4)),
	} {
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v instead of %q", err, want)
		}
	}
}
