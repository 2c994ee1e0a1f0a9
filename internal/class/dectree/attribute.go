package dectree

import "fmt"

// An Attribute has Categories, coded from 0. The first Ordered of them stand in
// order; 0 for none.
type Attribute struct{ Categories, Ordered int }

// A Test asks whether attribute number Attribute is Category, or below it.
type Test struct {
	Attribute int
	Below     bool
	Category  int
}

// Accepts tells whether the test is true of a category of its attribute.
func (t Test) Accepts(c uint16) bool {
	if t.Below {
		return int(c) < t.Category
	}
	return int(c) == t.Category
}

const mostCategories = 1<<16 - 1

// validate says in one sentence what is wrong with the attribute.
func (a Attribute) validate() error {
	if a.Categories < 1 || a.Categories > mostCategories {
		return fmt.Errorf("%d categories are not 1..%d", a.Categories, mostCategories)
	}
	if a.Ordered < 0 || a.Ordered > a.Categories {
		return fmt.Errorf("%d of %d categories cannot be ordered", a.Ordered, a.Categories)
	}
	return nil
}

// equal returns how many tests "is c" the attribute has. Of two categories one
// test tells all, and of one there is nothing to tell.
func (a Attribute) equal() int {
	if a.Categories <= 2 {
		return a.Categories - 1
	}
	return a.Categories
}

// below returns how many tests "is below c" the attribute has, from c = 2 on:
// those that divide the categories as no test "is c" does.
func (a Attribute) below() int {
	last := a.Categories - 2
	if a.Ordered < a.Categories {
		last = a.Ordered - 1
	}
	return max(0, last-1)
}

// tests appends the tests of attribute j: first all "is c", then all "is below c".
func (a Attribute) tests(list []Test, j int) []Test {
	for i := range a.equal() {
		c := i
		if a.Categories == 2 {
			c = 1
		}
		list = append(list, Test{Attribute: j, Category: c})
	}
	for i := range a.below() {
		list = append(list, Test{Attribute: j, Below: true, Category: i + 2})
	}
	return list
}
