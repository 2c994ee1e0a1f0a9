package sparse

// SetsOf returns the attributes of each set. The sets are in the order of the class.
func (c *Class) SetsOf() [][]int {
	all := make([][]int, len(c.sets))
	for i, s := range c.sets {
		all[i] = s
	}
	return all
}

// Groups returns how attribute j is divided: the number n of groups, and the group of[category] to
// which each category belongs.
func (c *Class) Groups(j int) (n int, of []uint16) {
	of = make([]uint16, c.options.Sizes[j])
	for category := range of {
		of[category] = uint16(c.group(j, uint16(category)))
	}
	return c.groups[j], of
}

// Cells returns the total number of cells in the tables of all sets, if the base is 0.
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

// Given returns the class whose trees use the given tables instead of records. There is one table
// for each set. It has a cell for each combination of groups of the set's attributes, in which the
// last attribute varies fastest. A cell holds the cost of predicting 1 minus the cost of predicting
// 0. The base must be 0. The points of a problem then need no records; the sums of their costs must
// be those of all records.
func (c *Class) Given(tables [][]int64) *Class {
	given := *c
	given.tables = tables
	return &given
}
