package sparse

// SetsOf returns the sets of attributes to which a card may give points. Each set is a list of
// attributes, and the sets are in the order of their indices.
func (c *Class) SetsOf() [][]int {
	all := make([][]int, len(c.sets))
	for i, s := range c.sets {
		all[i] = s
	}
	return all
}

// Groups returns how the categories of attribute j are grouped: n is the number of groups, and
// of[category] is the index of the group to which the category belongs.
func (c *Class) Groups(j int) (n int, of []uint16) {
	of = make([]uint16, c.options.Sizes[j])
	for category := range of {
		of[category] = uint16(c.group(j, uint16(category)))
	}
	return c.groups[j], of
}

// Cells returns the total number of cells in the cost tables of all sets of attributes (see Given),
// if the base is 0.
func (c *Class) Cells() int64 {
	sum := int64(0)
	for _, s := range c.sets {
		cells := int64(1)
		for _, j := range s {
			cells *= int64(c.groups[j])
		}
		sum += cells
	}
	return sum
}

// Given returns a class whose trees use the given cost tables instead of records, for example
// tables that a database has computed. There is one table for each set of attributes, with a cell
// for each combination of groups of the set's attributes. The last attribute varies fastest. A cell
// holds the cost of predicting 1 minus the cost of predicting 0. The base must be 0.
//
// The points of a problem then serve only to compute sums of costs. They need not be the records,
// if their costs have the same sums.
func (c *Class) Given(tables [][]int64) *Class {
	given := *c
	given.tables = tables
	return &given
}
