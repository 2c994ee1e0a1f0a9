package conjunction_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction/conjunctiontest"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// predictions returns the predictions of formulas of the class on records.
func predictions(c *conjunction.Class, records []record) (all []string) {
	for h := range c.All() {
		var bits strings.Builder
		for _, x := range records {
			fmt.Fprint(&bits, c.Predict(h, x))
		}
		all = append(all, bits.String())
	}
	return all
}

// Neel, Roth and Wu (2018), Fact 1: the records with exactly one 0 separate the monotone
// conjunctions, and the records with exactly one 1 separate the monotone disjunctions. For these
// classes, the separator bits are the predictions on these records.
func TestNeelRothWuFact1(t *testing.T) {
	for d := 1; d <= 8; d++ {
		for _, disjunction := range []bool{false, true} {
			c, err := conjunction.New(slices.Repeat([]literal.Attribute{literal.Positive()}, d), conjunction.Options{Disjunction: disjunction})
			if err != nil {
				t.Fatal(err)
			}
			var records []record
			for j := range d {
				x := make(record, d)
				for i := range x {
					if (i == j) == disjunction {
						x[i] = 1
					}
				}
				records = append(records, x)
			}
			all := predictions(c, records)
			slices.Sort(all)
			if len(slices.Compact(all)) != 1<<d {
				t.Errorf("%v: the records do not separate", c)
			}
			if c.Separator() != d {
				t.Errorf("%v: %d bits", c, c.Separator())
			}
			for h := range c.All() {
				for j, bit := range c.Separate(h) {
					if c.Predict(h, records[j]) != (bit == disjunction) {
						t.Errorf("%v: bit %d of %v is not its prediction", c, j, h)
					}
				}
			}
		}
	}
}

// apart returns the minimum Hamming distance between the separator bits of two formulas.
func apart(c class.Enumerable[record, conjunction.Formula]) int {
	var words [][]bool
	for h := range c.All() {
		words = append(words, class.Separate(c, h))
	}
	least := class.SeparatorBits(c)
	for i, v := range words {
		for _, w := range words[:i] {
			n := 0
			for k := range v {
				if v[k] != w[k] {
					n++
				}
			}
			least = min(least, n)
		}
	}
	return least
}

func TestDistance(t *testing.T) {
	for name, c := range conjunctiontest.Fixed() {
		if c.Class.Size().Int64() > 1 && apart(c.Class) != class.Distance(c.Class) {
			t.Errorf("%s: formulas differ in %d bits, not %d", name, apart(c.Class), class.Distance(c.Class))
		}
	}
	for n := 2; n <= 9; n++ {
		for h := 1; h <= 20; h++ {
			for _, others := range [][]literal.Attribute{nil, {literal.Equal(3), literal.Positive()}} {
				c, err := conjunction.New(append(others, literal.Equal(n)), conjunction.Options{Distance: h})
				if err != nil {
					t.Fatal(err)
				}
				if c.Distance() < h || apart(c) != c.Distance() {
					t.Errorf("%v: formulas differ in %d bits; asked for %d", c, apart(c), h)
				}
			}
		}
	}
}

func TestSeparatorIsShort(t *testing.T) {
	for _, in := range []struct {
		tests, distance, bits int
	}{
		{1, 1, 1}, {2, 1, 2}, {3, 1, 2}, {4, 1, 3}, {7, 1, 3}, {8, 1, 4}, {42, 1, 6},
		{1, 5, 5}, {3, 2, 3}, {3, 4, 6}, {7, 4, 7}, {7, 8, 14}, {7, 5, 10}, {42, 32, 63},
	} {
		c, err := conjunction.New([]literal.Attribute{literal.Equal(max(in.tests, 2))}, conjunction.Options{Distance: in.distance})
		if in.tests == 1 {
			c, err = conjunction.New([]literal.Attribute{literal.Positive()}, conjunction.Options{Distance: in.distance})
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.Separator() != in.bits {
			t.Errorf("%d tests at distance %d take %d bits, not %d", in.tests, in.distance, c.Separator(), in.bits)
		}
	}
}

// PredictPartial returns a label if and only if the formula predicts this label for all completions
// of the record, unless the literals on unknown attributes cannot all be satisfied.
func TestPredictPartial(t *testing.T) {
	for name, in := range conjunctiontest.Fixed() {
		c := in.Class.(*conjunction.Class)
		d := c.Attributes()
		for h := range c.All() {
			for set := range 1 << d {
				known := make([]bool, d)
				for j := range known {
					known[j] = set>>j&1 == 1
				}
				for _, x := range in.Domain {
					agree := true
					for _, y := range in.Domain {
						same := true
						for j := range known {
							same = same && (!known[j] || x[j] == y[j])
						}
						agree = agree && (!same || c.Predict(h, x) == c.Predict(h, y))
					}
					label, ok := c.PredictPartial(h, x, known)
					if ok != agree || ok && label != c.Predict(h, x) {
						t.Fatalf("%s: %v on %v, known %v: %v, %v", name, h, x, known, label, ok)
					}
				}
			}
		}
	}
}

func TestTests(t *testing.T) {
	for want, a := range map[string]literal.Attribute{
		"[]":                              literal.Equal(1),
		"[[0] [1]]":                       literal.Equal(2),
		"[[0] [1] [2]]":                   literal.Equal(3),
		"[[0] [1] [2] [1 2] [0 2] [0 1]]": literal.EqualOrNot(3),
		"[[1]]":                           literal.Positive(),
		"[[0] [0 1] [1] [1 2] [2]]":       literal.Intervals(3, false),
		"[[0] [0 1] [1]]":                 literal.Intervals(3, true),
		"[[1 3] [0]]":                     literal.Tests(4, [][]bool{{false, true, false, true}, {true, false, false, false}}),
	} {
		var tests [][]uint16
		for i := range a.Tests() {
			tests = append(tests, a.Accepted(i))
		}
		if got := fmt.Sprint(tests); got != want {
			t.Errorf("tests %v, not %v", got, want)
		}
	}
	two := fmt.Sprint(literal.EqualOrNot(2), literal.Equal(2))
	if two != fmt.Sprint(literal.Equal(2), literal.EqualOrNot(2)) {
		t.Errorf("two categories: %v", two)
	}
}

func TestNewRefuses(t *testing.T) {
	good := literal.Equal(3)
	for name, in := range map[string]struct {
		attributes []literal.Attribute
		options    conjunction.Options
	}{
		"no attribute":               {},
		"too many attributes":        {attributes: slices.Repeat([]literal.Attribute{good}, 1<<10+1)},
		"the zero attribute":         {attributes: []literal.Attribute{good, {}}},
		"no category":                {attributes: []literal.Attribute{literal.Equal(0)}},
		"a negative number":          {attributes: []literal.Attribute{literal.Intervals(-1, true)}},
		"too many categories":        {attributes: []literal.Attribute{literal.Equal(1 << 16)}},
		"far too many categories":    {attributes: []literal.Attribute{literal.EqualOrNot(math.MaxInt32 >> 7)}},
		"too many intervals":         {attributes: []literal.Attribute{literal.Intervals(2000, false)}},
		"too many negations":         {attributes: []literal.Attribute{literal.EqualOrNot(5000)}},
		"too many complements":       {attributes: []literal.Attribute{literal.Equal(5000)}, options: conjunction.Options{Disjunction: true}},
		"a test of the wrong length": {attributes: []literal.Attribute{literal.Tests(3, [][]bool{{true, false}})}},
		"a test of nothing":          {attributes: []literal.Attribute{literal.Tests(2, [][]bool{{false, false}})}},
		"a test of everything":       {attributes: []literal.Attribute{literal.Tests(2, [][]bool{{true, true}})}},
		"a test twice":               {attributes: []literal.Attribute{literal.Tests(2, [][]bool{{true, false}, {true, false}})}},
		"a negative penalty":         {attributes: []literal.Attribute{good}, options: conjunction.Options{Penalty: -1}},
		"too large a penalty":        {attributes: []literal.Attribute{good}, options: conjunction.Options{Penalty: 1<<40 + 1}},
		"a negative limit":           {attributes: []literal.Attribute{good}, options: conjunction.Options{Most: -1}},
		"a negative distance":        {attributes: []literal.Attribute{good}, options: conjunction.Options{Distance: -1}},
		"too great a distance":       {attributes: []literal.Attribute{good}, options: conjunction.Options{Distance: 1<<10 + 1}},
		"too long a separator":       {attributes: slices.Repeat([]literal.Attribute{literal.Equal(300)}, 1<<10), options: conjunction.Options{Distance: 1 << 10}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := conjunction.New(in.attributes, in.options)
			if err == nil {
				t.Fatal("taken")
			}
			t.Log(err)
		})
	}
}

// New accepts the limits of the ranges of options.
func TestNewTakesLimits(t *testing.T) {
	for _, o := range []conjunction.Options{
		{Penalty: 1 << 40}, {Distance: 1 << 10}, {Most: math.MaxInt}, {Penalty: 1 << 40, Distance: 1 << 10, Most: 1, Disjunction: true},
	} {
		if _, err := conjunction.New([]literal.Attribute{literal.Equal(3)}, o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestContains(t *testing.T) {
	c := conjunctiontest.Fixed()["cells of marginals of two"].Class
	for _, in := range []struct {
		tests []int
		want  bool
	}{
		{[]int{0, 0, 0, 0}, true}, {[]int{3, 0, 0, 2}, true},
		{[]int{1, 0, 1, 1}, false}, {[]int{4, 0, 0, 0}, false}, {[]int{-1, 0, 0, 0}, false},
		{[]int{0, 1, 0, 0}, false}, {[]int{0, 0, 0}, false}, {nil, false},
	} {
		if c.Contains(conjunction.Formula{Tests: in.tests}) != in.want {
			t.Errorf("%v: %v", in.tests, !in.want)
		}
	}
}
