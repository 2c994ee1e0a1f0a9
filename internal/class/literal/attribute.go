// Package literal holds what hypotheses may ask about one categorical attribute:
// lists of tests, each a set of categories that it accepts.
package literal

import (
	"fmt"
	"slices"
)

// An Attribute says how many categories an attribute has and which tests a
// hypothesis may put on it. A test accepts some of the categories: at least
// one, and not all. The zero value is no attribute.
type Attribute struct {
	categories int
	tests      [][]uint16 // the categories that each accepts, ascending
	fault      string     // what is wrong with the parameters, if anything is
}

// MostAccepted is the greatest number of categories that all tests of an
// attribute accept together.
const MostAccepted = 1 << 24

// Equal has the tests x = c, for every category c of n. One category alone has
// no test.
func Equal(n int) Attribute {
	a := Attribute{categories: n}
	if n > 1 && a.room(int64(n)) {
		for c := range n {
			a.tests = append(a.tests, []uint16{uint16(c)})
		}
	}
	return a
}

// EqualOrNot has the tests x = c, and then the tests x ≠ c, for every category
// c of n. For two categories that is the same as Equal.
func EqualOrNot(n int) Attribute {
	a := Equal(n)
	if n > 2 && a.room(int64(n)*int64(n)) {
		for c := range n {
			a.tests = append(a.tests, Complement(a.tests[c], n))
		}
	}
	return a
}

// Positive has two categories and the one test x = 1: the literals of monotone
// conjunctions.
func Positive() Attribute { return Attribute{categories: 2, tests: [][]uint16{{1}}} }

// Intervals has the tests lo ≤ x ≤ hi for all lo ≤ hi that leave a category
// out, by lo and then by hi. With other, the last of the n categories stands
// outside the order, and no test accepts it.
func Intervals(n int, other bool) Attribute {
	a := Attribute{categories: n}
	ordered := n
	if other {
		ordered--
	}
	// All runs together accept ordered·(ordered+1)·(ordered+2)/6 categories.
	if ordered > 1<<10 || !a.room(int64(ordered)*int64(ordered+1)*int64(ordered+2)/6) {
		a.fault = fmt.Sprintf("the intervals of %d ordered categories are too many", ordered)
		return a
	}
	for lo := range ordered {
		var run []uint16
		for hi := lo; hi < ordered; hi++ {
			run = append(run, uint16(hi))
			if len(run) < n {
				a.tests = append(a.tests, slices.Clone(run))
			}
		}
	}
	return a
}

// Tests has the given tests on n categories: accepts[t][c] says whether test t
// accepts category c.
func Tests(n int, accepts [][]bool) Attribute {
	a := Attribute{categories: n}
	total := int64(0)
	for t, accept := range accepts {
		if len(accept) != n {
			a.fault = fmt.Sprintf("test %d speaks of %d categories instead of %d", t+1, len(accept), n)
			return a
		}
		var test []uint16
		for c, yes := range accept {
			if yes {
				test = append(test, uint16(c))
			}
		}
		total += int64(len(test))
		if !a.room(total) {
			return a
		}
		a.tests = append(a.tests, test)
	}
	return a
}

// Join has the tests of all the attributes, each once, in the order in which they
// come first. The attributes must have equally many categories.
func Join(first Attribute, others ...Attribute) Attribute {
	a := Attribute{categories: first.categories}
	seen := map[string]bool{}
	total := int64(0)
	for _, from := range append([]Attribute{first}, others...) {
		if from.fault != "" {
			return from
		}
		if from.categories != a.categories {
			a.fault = fmt.Sprintf("tests on %d categories join tests on %d", from.categories, a.categories)
			return a
		}
		for _, test := range from.tests {
			if key := fmt.Sprint(test); !seen[key] {
				seen[key] = true
				if total += int64(len(test)); !a.room(total) {
					return a
				}
				a.tests = append(a.tests, test)
			}
		}
	}
	return a
}

// room tells whether tests may accept so many categories in all, and notes the
// fault otherwise.
func (a *Attribute) room(accepted int64) bool {
	if a.categories > mostCategories {
		return false
	}
	if accepted > MostAccepted {
		a.fault = fmt.Sprintf("its tests accept more than %d categories in all; make groups of categories, or take no tests that accept many", MostAccepted)
	}
	return a.fault == ""
}

// mostCategories is the greatest number of categories, and mostTests the
// greatest number of tests of an attribute.
const (
	mostCategories = 1<<16 - 1
	mostTests      = 1 << 16
)

// Validate says in one sentence what is wrong with the attribute.
func (a Attribute) Validate() error {
	if a.categories < 1 || a.categories > mostCategories {
		return fmt.Errorf("%d categories are not 1..%d", a.categories, mostCategories)
	}
	if a.fault != "" {
		return fmt.Errorf("%s", a.fault)
	}
	if len(a.tests) > mostTests {
		return fmt.Errorf("%d tests are more than %d", len(a.tests), mostTests)
	}
	seen := map[string]int{}
	for t, test := range a.tests {
		if len(test) == 0 {
			return fmt.Errorf("test %d accepts nothing", t+1)
		}
		if len(test) == a.categories {
			return fmt.Errorf("test %d accepts everything", t+1)
		}
		key := fmt.Sprint(test)
		if twin, ok := seen[key]; ok {
			return fmt.Errorf("tests %d and %d are the same", twin+1, t+1)
		}
		seen[key] = t
	}
	return nil
}

// Categories returns the number of categories.
func (a Attribute) Categories() int { return a.categories }

// Tests returns the number of tests.
func (a Attribute) Tests() int { return len(a.tests) }

// Accepted returns the categories that test t accepts, ascending, t from 0.
func (a Attribute) Accepted(t int) []uint16 { return slices.Clone(a.tests[t]) }

// Find returns the test that accepts just these categories, ascending.
func (a Attribute) Find(accepted []uint16) (t int, ok bool) {
	t = slices.IndexFunc(a.tests, func(test []uint16) bool { return slices.Equal(test, accepted) })
	return t, t >= 0
}

// Accepts tells whether test t accepts category c.
func (a Attribute) Accepts(t int, c uint16) bool {
	_, found := slices.BinarySearch(a.tests[t], c)
	return found
}

// Complement returns the codes below n that are not in the ascending list.
func Complement(list []uint16, n int) []uint16 {
	out := make([]uint16, 0, n-len(list))
	for c := range n {
		if len(list) > 0 && int(list[0]) == c {
			list = list[1:]
			continue
		}
		out = append(out, uint16(c))
	}
	return out
}
