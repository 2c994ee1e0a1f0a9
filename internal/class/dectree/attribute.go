package dectree

import "fmt"

// An Attribute has Categories categories, coded from 0. The first Ordered of them are ordered;
// Ordered is 0 for none.
type Attribute struct{ Categories, Ordered int }

// A Test is true of a record if its category of Attribute equals Category, or is less than Category
// if Below is set.
type Test struct {
	Attribute int
	Below     bool
	Category  int
}

// Accepts reports whether the test is true of a category of its attribute.
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

// equalTests returns the number of tests "= c" of the attribute: one for two categories, none for
// one category.
func (a Attribute) equalTests() int {
	if a.Categories <= 2 {
		return a.Categories - 1
	}
	return a.Categories
}

// belowTests returns the number of tests "< c" of the attribute, from c = 2 on. It excludes those
// that divide the categories like a test "= c".
func (a Attribute) belowTests() int {
	last := a.Categories - 2
	if a.Ordered < a.Categories {
		last = a.Ordered - 1
	}
	return max(0, last-1)
}

// tests appends the tests of attribute j: first all "= c", then all "< c".
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
