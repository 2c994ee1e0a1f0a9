package dectree

import "fmt"

// An Attribute describes a column of records. Its categories have the codes 0, 1, …, Categories-1.
// The first Ordered of them have a meaningful order; 0 means that no categories do.
type Attribute struct{ Categories, Ordered int }

// A Test compares the category of one attribute of a record with a constant. It is true if the
// category is equal to the constant or, if Below is true, less than the constant.
type Test struct {
	Attribute int
	Below     bool
	Category  int
}

// Accepts reports whether the test is true for category c of its attribute.
func (t Test) Accepts(c uint16) bool {
	if t.Below {
		return int(c) < t.Category
	}
	return int(c) == t.Category
}

const mostCategories = 1<<16 - 1

// validate returns an error if the attribute is invalid.
func (a Attribute) validate() error {
	if a.Categories < 1 || a.Categories > mostCategories {
		return fmt.Errorf("the number of categories is %d, but must be 1 to %d", a.Categories, mostCategories)
	}
	if a.Ordered < 0 || a.Ordered > a.Categories {
		return fmt.Errorf("the number of ordered categories is %d, but must be 0 to %d", a.Ordered, a.Categories)
	}
	return nil
}

// equalTests returns the number of tests "= c" of the attribute. There is one for each category,
// except that two categories need only one test, and a single category none.
func (a Attribute) equalTests() int {
	if a.Categories <= 2 {
		return a.Categories - 1
	}
	return a.Categories
}

// belowTests returns the number of tests "< c" of the attribute: those for c = 2, 3, … up to
// Categories-2 if all categories are ordered, and up to Ordered-1 otherwise. For other c, a test
// "< c" would split the categories into the same two sets as a test "= c".
func (a Attribute) belowTests() int {
	last := a.Categories - 2
	if a.Ordered < a.Categories {
		last = a.Ordered - 1
	}
	return max(0, last-1)
}

// Tests returns the number of tests on the attribute: "= c" and, for ordered categories, "< c".
func (a Attribute) Tests() int { return a.equalTests() + a.belowTests() }

// tests appends the tests of the attribute to a list: first all tests "= c", then all tests "< c".
// The parameter j is the index of the attribute.
func (a Attribute) tests(list []Test, j int) []Test {
	for i := range a.equalTests() {
		c := i
		if a.Categories == 2 {
			c = 1
		}
		list = append(list, Test{Attribute: j, Category: c})
	}
	for i := range a.belowTests() {
		list = append(list, Test{Attribute: j, Below: true, Category: i + 2})
	}
	return list
}
