package dectree

// Reduce returns the tree without the tests whose answer the tests before them tell,
// and without the leaves at which, for that reason, no record ends. It predicts as h.
func (c *Class) Reduce(h *Tree) *Tree {
	possible := make([][]bool, len(c.attributes))
	for j, a := range c.attributes {
		possible[j] = make([]bool, a.Categories)
		for k := range possible[j] {
			possible[j][k] = true
		}
	}
	return c.reduce(h, possible)
}

// reduce is Reduce for records of these categories.
func (c *Class) reduce(h *Tree, possible [][]bool) *Tree {
	if h.Leaf() {
		return &Tree{Outcome: h.Outcome}
	}
	t := c.tests[h.Test]
	all := possible[t.Attribute]
	yes, no := make([]bool, len(all)), make([]bool, len(all))
	some := [2]bool{}
	for k, is := range all {
		if is && t.Accepts(uint16(k)) {
			yes[k], some[0] = true, true
		} else if is {
			no[k], some[1] = true, true
		}
	}
	under := func(h *Tree, narrowed []bool) *Tree {
		possible[t.Attribute] = narrowed
		defer func() { possible[t.Attribute] = all }()
		return c.reduce(h, possible)
	}
	switch {
	case !some[1]:
		return under(h.Yes, yes)
	case !some[0]:
		return under(h.No, no)
	}
	return &Tree{Test: h.Test, Yes: under(h.Yes, yes), No: under(h.No, no)}
}
