package scorecard

import "slices"

// Attributes returns the attributes, in order.
func (c *Class) Attributes() []Attribute { return slices.Clone(c.attributes) }

// Categories returns how many categories the attribute has.
func (a Attribute) Categories() int { return a.categories }

// Levels returns the distinct contributions that category c may have,
// ascending. The bits of the separator for category c say which of them, but
// the least, it reaches.
func (a Attribute) Levels(c int) []int { return a.levels(c) }

// Order returns the categories whose points must not fall in this order, of a
// one-hot attribute; at most one of them is no order.
func (a Attribute) Order() []int { return slices.Clone(a.ordered) }

// List returns all contribution vectors of an attribute that is given by
// them, and nil for a one-hot attribute, whose categories take their levels
// freely but for its order.
func (a Attribute) List() [][]int {
	if a.oneHot() {
		return nil
	}
	list := make([][]int, len(a.vectors))
	for i, v := range a.vectors {
		list[i] = slices.Clone(v)
	}
	return list
}
