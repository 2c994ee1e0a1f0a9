package rule

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const hostile = `
[[attribute]]
column = "sex and \"age\" in {x}"
values = ["and", "not", "in", "a,b", "}", "say \"x\"", " ", "=", "≤ 3", "AND x"]
[[attribute]]
column = "hours"
cuts = [-3, 35, 41.5]
draw = "integer"
least = -9
most = 99
other = "not in"
[[attribute]]
column = "hours "
groups = { "<35" = ["x"], "hours = 3" = ["y", "z"] }
[[attribute]]
column = "hours not"
values = ["a", "b", "c"]
[[attribute]]
column = "hours = a"
values = ["a", "b", "c"]
`

// ParseTests reads the text of tests as the same tests. A test made of a condition accepts the categories of the condition.
func TestConditionsAsText(t *testing.T) {
	s := tabletest.Schema(t, hostile)
	r := rand.New(rand.NewPCG(6, 0))
	for range 500 {
		var tests []Test
		for range 1 + r.IntN(3) {
			c := Condition{Attribute: r.IntN(5)}
			for len(c.Accepts) == 0 {
				for code := range s.Attributes[c.Attribute].Len() {
					if r.IntN(3) == 0 {
						c.Accepts = append(c.Accepts, uint16(code))
					}
				}
			}
			test := c.Test(s.Attributes)
			if not := c.Complement(s.Attributes[c.Attribute].Len()); r.IntN(3) == 0 && len(not.Accepts) > 0 {
				if test = not.Test(s.Attributes); test.Operator == "in" {
					test.Operator = "not in"
				} else {
					test.Operator = "≠"
				}
			}
			tests = append(tests, test)
			r, err := restrict(&s.Attributes[c.Attribute], []Test{test}, nil)
			for code, share := range r.Shares {
				if err != nil || (share == 1) != c.accepts(uint16(code)) || share != 0 && share != 1 {
					t.Fatalf("%v has the shares %v, %v", c, r.Shares, err)
				}
			}
		}
		text := Text(s.Attributes, tests...)
		again, err := ParseTests(s.Attributes, text)
		if err != nil || !reflect.DeepEqual(again, tests) {
			t.Fatalf("%s\nof %v is read as %v, %v", text, tests, again, err)
		}
	}
}
