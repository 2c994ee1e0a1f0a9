package dectree

import "fmt"

// An Attribute is a column of records whose Categories categories have the codes 0, 1, …. The first
// Ordered of them have an order; Ordered is 0 if none has.
type Attribute struct{ Categories, Ordered int }

// A Test is true for a record if the record's category of Attribute equals Category or, if Below is
// set, is less than Category.
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
		return fmt.Errorf("number of categories %d is outside 1..%d", a.Categories, mostCategories)
	}
	if a.Ordered < 0 || a.Ordered > a.Categories {
		return fmt.Errorf("number of ordered categories %d is outside 0..%d", a.Ordered, a.Categories)
	}
	return nil
}

// equalTests returns the number of tests "= c" of the attribute. It is the number of categories,
// except 1 for two categories and 0 for one category.
func (a Attribute) equalTests() int {
	if a.Categories <= 2 {
		return a.Categories - 1
	}
	return a.Categories
}

// belowTests returns the number of tests "< c" of the attribute. The values of c are 2, 3, … up to
// Categories-2 if all categories are ordered, and up to Ordered-1 otherwise. With other values, a
// test "< c" would split the categories into the same two sets as a test "= c".
func (a Attribute) belowTests() int {
	last := a.Categories - 2
	if a.Ordered < a.Categories {
		last = a.Ordered - 1
	}
	return max(0, last-1)
}

// Tests returns the number of tests on the attribute.
func (a Attribute) Tests() int { return a.equalTests() + a.belowTests() }

// tests appends the tests of attribute a, which has index j, to list: first all tests "= c", then
// all tests "< c".
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
