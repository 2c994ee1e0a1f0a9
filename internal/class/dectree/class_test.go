package dectree

import (
	"math/big"
	"strings"
	"testing"
)

func mustNew(t testing.TB, attributes []Attribute, depth, outcomes int) *Class {
	t.Helper()
	c, err := New(attributes, depth, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// No two tests of an attribute split its categories into the same two sets. Some test separates
// each category from the others. For c = 1, …, Ordered-1, some test separates the categories below
// c from the others.
func TestTests(t *testing.T) {
	for categories := 1; categories <= 6; categories++ {
		for ordered := range categories + 1 {
			a := Attribute{categories, ordered}
			seen := map[string]bool{}
			side := func(test Test, flip bool) string {
				text := ""
				for c := range categories {
					text += map[bool]string{false: "0", true: "1"}[test.Accepts(uint16(c)) != flip]
				}
				return text
			}
			tests := a.tests(nil, 7)
			if len(tests) != a.equalTests()+a.belowTests() {
				t.Fatalf("%+v has %d tests, and says %d", a, len(tests), a.equalTests()+a.belowTests())
			}
			for _, test := range tests {
				text := side(test, false)
				if test.Attribute != 7 || seen[text] || !strings.Contains(text, "0") || !strings.Contains(text, "1") {
					t.Errorf("%+v: test %+v is %s", a, test, text)
				}
				seen[text], seen[side(test, true)] = true, true
			}
			for c := range categories {
				if categories > 1 && !seen[side(Test{Category: c}, false)] {
					t.Errorf("%+v: no test tells category %d", a, c)
				}
			}
			for c := 1; c < ordered; c++ {
				if !seen[side(Test{Below: true, Category: c}, false)] {
					t.Errorf("%+v: no test tells what is below %d", a, c)
				}
			}
		}
	}
}

// All, Contains, Size, Prior and LeastPrior agree, and the priors sum to 1.
func TestEnumeration(t *testing.T) {
	for _, c := range []*Class{
		mustNew(t, []Attribute{{2, 0}}, 1, 2), mustNew(t, []Attribute{{2, 0}}, 3, 2), mustNew(t, []Attribute{{3, 0}, {1, 1}}, 2, 2),
		mustNew(t, []Attribute{{5, 4}, {2, 2}}, 2, 2), mustNew(t, []Attribute{{5, 0}}, 1, 7), mustNew(t, []Attribute{{3, 0}}, 2, 3),
	} {
		n, sum, least, seen := int64(0), new(big.Rat), big.NewRat(2, 1), map[string]bool{}
		for h := range c.All() {
			n++
			p := c.Prior(h)
			sum.Add(sum, p)
			if p.Cmp(least) < 0 {
				least = p
			}
			if !c.Contains(h) || seen[h.String()] {
				t.Fatalf("%v: %v", c, h)
			}
			seen[h.String()] = true
		}
		if c.Size().Cmp(big.NewInt(n)) != 0 || sum.Cmp(big.NewRat(1, 1)) != 0 || least.Cmp(c.LeastPrior()) != 0 {
			t.Errorf("%v: %d trees of %v, whose priors add up to %v, the least %v", c, n, c.Size(), sum, least)
		}
	}
}

func TestContains(t *testing.T) {
	c := mustNew(t, []Attribute{{3, 3}}, 1, 3)
	leaf := &Tree{}
	for _, h := range []*Tree{
		nil, {Yes: leaf}, {No: leaf}, {Test: 1}, {Test: 3, Yes: leaf, No: leaf}, {Test: -1, Yes: leaf, No: leaf},
		{Outcome: 1, Yes: leaf, No: leaf}, {Outcome: 3}, {Outcome: -1}, {Yes: &Tree{Yes: leaf, No: leaf}, No: leaf}, {Yes: leaf, No: &Tree{Test: 2}},
	} {
		if c.Contains(h) {
			t.Errorf("%v contains %+v", c, h)
		}
	}
}

// A record reaches the leaf to which its tests lead.
func TestPredict(t *testing.T) {
	c := mustNew(t, []Attribute{{2, 0}, {5, 5}}, 3, 6)
	// Tests: 0 is "x is 1"; 1 to 5 are "y is 0" to "y is 4"; 6 and 7 are "y < 2", "y < 3".
	h := &Tree{Test: 7, Yes: &Tree{Test: 0, Yes: &Tree{Outcome: 1}, No: &Tree{Test: 1, Yes: &Tree{Outcome: 3}, No: &Tree{}}}, No: &Tree{Test: 5, Yes: &Tree{Outcome: 4}, No: &Tree{Outcome: 5}}}
	for x, want := range map[[2]uint16]int{{1, 2}: 1, {0, 0}: 3, {0, 1}: 0, {0, 4}: 4, {1, 3}: 5} {
		if outcome := c.Predict(h, x[:]); outcome != want {
			t.Errorf("%v is predicted %v, not %d", x, outcome, want)
		}
	}
	if h.Leaves() != 5 || h.String() != "(7 (0 1 (1 3 0)) (5 4 5))" {
		t.Errorf("%v has %d leaves", h, h.Leaves())
	}
}

func TestNewRefuses(t *testing.T) {
	for says, c := range map[string]struct {
		attributes      []Attribute
		depth, outcomes int
	}{
		"depth 0 is outside":                                  {[]Attribute{{2, 0}}, 0, 2},
		"depth 7 is outside":                                  {[]Attribute{{2, 0}}, 7, 2},
		"number of outcomes is 1":                             {[]Attribute{{2, 0}}, 1, 1},
		"number of outcomes is 65":                            {[]Attribute{{2, 0}}, 1, 65},
		"every attribute has one category":                    {[]Attribute{{1, 0}, {1, 1}}, 2, 2},
		"number of categories is 0":                           {[]Attribute{{2, 0}, {0, 0}}, 2, 2},
		"categories is 70000":                                 {[]Attribute{{70000, 0}}, 2, 2},
		"ordered categories is 3":                             {[]Attribute{{2, 3}}, 2, 2},
		"more tests than the maximum of 1024":                 {[]Attribute{{1000, 0}, {25, 0}}, 2, 2},
		"attribute 2: the number of ordered categories is -1": {[]Attribute{{2, 0}, {2, -1}}, 2, 2},
		"for 3 outcomes is too large":                         {[]Attribute{{1000, 0}}, 6, 3},
	} {
		if _, err := New(c.attributes, c.depth, c.outcomes); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, depth %d, %d outcomes: %v", c.attributes, c.depth, c.outcomes, err)
		}
	}
	mustNew(t, []Attribute{{1024, 0}}, MostDepth, 2)
	mustNew(t, []Attribute{{1024, 0}}, MostDepth-1, MostOutcomes)
}
