package sparse

// SetsOf returns the attributes of each set, in the order of the sets.
func (c *Class) SetsOf() [][]int {
	all := make([][]int, len(c.sets))
	for i, s := range c.sets {
		all[i] = s
	}
	return all
}

// Groups returns the number of groups of attribute j, and the group of each of its categories.
func (c *Class) Groups(j int) (n int, of []uint16) {
	of = make([]uint16, c.options.Sizes[j])
	for category := range of {
		of[category] = uint16(c.group(j, uint16(category)))
	}
	return c.groups[j], of
}

// Cells returns the total number of cells of the tables of all sets.
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

// Given returns the class with given tables, one for each set: the cost of predicting 1 minus that
// of predicting 0 for each combination of groups of the set's attributes, the last attribute
// varying fastest. The base must be 0. Its trees use these tables instead of records. The points of
// a problem then need no records; their costs are those of all records together.
func (c *Class) Given(tables [][]int64) *Class {
	given := *c
	given.tables = tables
	return &given
}
