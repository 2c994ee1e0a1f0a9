// Package literal describes the tests that a hypothesis may apply to one categorical attribute. A
// test is given by the set of categories that it accepts.
package literal

import (
	"fmt"
	"slices"
)

// An Attribute is a column of records, described by its number of categories and the list of tests
// that a hypothesis may apply to it. Each test accepts at least one category and rejects at least
// one. The zero value is invalid.
type Attribute struct {
	categories int
	tests      [][]uint16 // tests[t] lists the categories that test t accepts, in ascending order
	invalid    string     // the reason why the parameters are invalid, or ""
}

// MostAccepted limits the tests of one attribute: it is the maximum of the sum, over all tests, of
// the number of categories that the test accepts.
const MostAccepted = 1 << 24

// Equal returns an attribute of n categories with one test x = c for each category c. If n = 1, it
// has no tests.
func Equal(n int) Attribute {
	a := Attribute{categories: n}
	if n > 1 && a.fits(int64(n)) {
		for c := range n {
			a.tests = append(a.tests, []uint16{uint16(c)})
		}
	}
	return a
}

// EqualOrNot returns an attribute of n categories with the tests x = c for each category c,
// followed by the tests x ≠ c. For n = 2 it returns Equal(2), in which each test is the negation of
// the other.
func EqualOrNot(n int) Attribute {
	a := Equal(n)
	if n > 2 && a.fits(int64(n)*int64(n)) {
		for c := range n {
			a.tests = append(a.tests, Complement(a.tests[c], n))
		}
	}
	return a
}

// Positive returns the attribute of two categories with the single test x = 1. Monotone
// conjunctions have only tests of this kind.
func Positive() Attribute { return Attribute{categories: 2, tests: [][]uint16{{1}}} }

// Intervals returns an attribute of n categories whose tests are all intervals lo ≤ x ≤ hi that
// reject at least one category. Tests are sorted by lo and then by hi. If other is true, the last
// category is not part of the order, and no test accepts it.
func Intervals(n int, other bool) Attribute {
	a := Attribute{categories: n}
	ordered := n
	if other {
		ordered--
	}
	// All intervals together accept ordered·(ordered+1)·(ordered+2)/6 categories.
	if ordered > 1<<10 || !a.fits(int64(ordered)*int64(ordered+1)*int64(ordered+2)/6) {
		a.invalid = fmt.Sprintf("%d ordered categories have too many intervals; merge categories", ordered)
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

// Tests returns an attribute of n categories with the given tests: accepts[t][c] is true if test t
// accepts category c.
func Tests(n int, accepts [][]bool) Attribute {
	a := Attribute{categories: n}
	total := int64(0)
	for t, accept := range accepts {
		if len(accept) != n {
			a.invalid = fmt.Sprintf("test %d: has %d entries, but the attribute has %d categories", t+1, len(accept), n)
			return a
		}
		var test []uint16
		for c, yes := range accept {
			if yes {
				test = append(test, uint16(c))
			}
		}
		total += int64(len(test))
		if !a.fits(total) {
			return a
		}
		a.tests = append(a.tests, test)
	}
	return a
}

// Join returns an attribute with the tests of all given attributes, without duplicates, in the
// order of their first occurrence. All attributes must have the same number of categories.
func Join(first Attribute, others ...Attribute) Attribute {
	a := Attribute{categories: first.categories}
	seen := map[string]bool{}
	total := int64(0)
	for _, from := range append([]Attribute{first}, others...) {
		if from.invalid != "" {
			return from
		}
		if from.categories != a.categories {
			a.invalid = fmt.Sprintf("cannot join tests on %d categories with tests on %d", from.categories, a.categories)
			return a
		}
		for _, test := range from.tests {
			if key := fmt.Sprint(test); !seen[key] {
				seen[key] = true
				if total += int64(len(test)); !a.fits(total) {
					return a
				}
				a.tests = append(a.tests, test)
			}
		}
	}
	return a
}

// fits reports whether the tests of an attribute satisfy the limit MostAccepted. The parameter is
// the number of categories that they accept, added up over all tests. If it exceeds the limit, fits
// records this as the reason why the attribute is invalid.
func (a *Attribute) fits(accepted int64) bool {
	if a.categories > mostCategories {
		return false
	}
	if accepted > MostAccepted {
		a.invalid = fmt.Sprintf("tests accept more than %d categories in total: group categories, or choose tests that accept fewer", MostAccepted)
	}
	return a.invalid == ""
}

// The constants are the maximum number of categories and the maximum number of tests of one
// attribute.
const (
	mostCategories = 1<<16 - 1
	mostTests      = 1 << 16
)

// Validate returns an error that describes the first invalid parameter of the attribute, or nil.
func (a Attribute) Validate() error {
	if a.categories < 1 || a.categories > mostCategories {
		return fmt.Errorf("the number of categories is %d, but must be 1 to %d", a.categories, mostCategories)
	}
	if a.invalid != "" {
		return fmt.Errorf("%s", a.invalid)
	}
	if len(a.tests) > mostTests {
		return fmt.Errorf("there are %d tests, but the maximum is %d", len(a.tests), mostTests)
	}
	seen := map[string]int{}
	for t, test := range a.tests {
		if len(test) == 0 {
			return fmt.Errorf("test %d accepts no category", t+1)
		}
		if len(test) == a.categories {
			return fmt.Errorf("test %d accepts every category", t+1)
		}
		key := fmt.Sprint(test)
		if twin, ok := seen[key]; ok {
			return fmt.Errorf("tests %d and %d accept the same categories", twin+1, t+1)
		}
		seen[key] = t
	}
	return nil
}

// Categories returns the number of categories of the attribute.
func (a Attribute) Categories() int { return a.categories }

// Tests returns the number of tests on the attribute.
func (a Attribute) Tests() int { return len(a.tests) }

// Accepted returns the categories that test t accepts, in ascending order. Tests are numbered from
// 0.
func (a Attribute) Accepted(t int) []uint16 { return slices.Clone(a.tests[t]) }

// Find returns the index of the test that accepts exactly the given categories, which must be in
// ascending order. The result ok is false if there is none.
func (a Attribute) Find(accepted []uint16) (t int, ok bool) {
	t = slices.IndexFunc(a.tests, func(test []uint16) bool { return slices.Equal(test, accepted) })
	return t, t >= 0
}

// Accepts reports whether test t accepts category c.
func (a Attribute) Accepts(t int, c uint16) bool {
	_, found := slices.BinarySearch(a.tests[t], c)
	return found
}

// Complement returns the numbers from 0 to n-1 that the list does not contain, in ascending order.
// The list must be in ascending order.
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
