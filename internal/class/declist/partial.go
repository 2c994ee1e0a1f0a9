package declist

// PredictPartial looks for a common prediction of h on all records that agree with x on the known
// attributes. It returns this label and true if it finds one; otherwise ok is false. It considers
// each antecedent separately. It finds a common prediction if all rules that may capture such a
// record have the same label, and the default has that label too or cannot apply.
func (c *Class) PredictPartial(h List, x []uint16, known []bool) (label, ok bool) {
	found := false
	outcome := func(y bool) bool {
		if found && y != label {
			return false
		}
		label, found = y, true
		return true
	}
	for _, r := range h.Rules {
		may, must := c.partial(r.Antecedent, x, known)
		if may && !outcome(r.Label) {
			return false, false
		}
		if must {
			return label, true
		}
	}
	if !outcome(h.Default) {
		return false, false
	}
	return label, true
}

// partial considers the records that agree with x on the known attributes. may reports whether at
// least one of these records can satisfy antecedent a. must reports whether all of them satisfy it.
func (c *Class) partial(a int, x []uint16, known []bool) (may, must bool) {
	must = true
	for _, l := range c.antecedents[a] {
		switch {
		case l == none:
		case !known[c.literals[l].Attribute]:
			must = false
		case !c.literals[l].holds(x[c.literals[l].Attribute]):
			return false, false
		}
	}
	return true, must
}
