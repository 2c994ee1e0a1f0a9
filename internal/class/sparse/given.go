package sparse

// SetsOf lists the attributes of each set, in the order of the sets.
func (c *Class) SetsOf() [][]int {
	all := make([][]int, len(c.sets))
	for i, s := range c.sets {
		all[i] = s
	}
	return all
}

// Groups returns how many groups an attribute has, and the group of each of its categories.
func (c *Class) Groups(j int) (n int, of []uint16) {
	of = make([]uint16, c.options.Sizes[j])
	for category := range of {
		of[category] = uint16(c.group(j, uint16(category)))
	}
	return c.groups[j], of
}

// Cells returns how many cells the tables of all sets have together.
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

// Given returns the class, whose base has no points, with the table of each set: the cost of
// predicting 1 less that of predicting 0, by the groups of the set's attributes, the last one
// fastest. Its trees read these and no records: the points of a problem need none, and their
// costs are those of all records together.
func (c *Class) Given(tables [][]int64) *Class {
	given := *c
	given.given = tables
	return &given
}
