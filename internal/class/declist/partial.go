package declist

// PredictPartial returns a label and true if it finds that list h predicts this label for all
// records that agree with x on the known attributes. Otherwise ok is false.
//
// It checks each antecedent separately: whether some of these records may satisfy it, and whether
// all of them must. It finds a common label if all rules that may capture one of these records have
// the same label, and the default has that label too or applies to none of these records.
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

// partial considers all records that agree with x on the known attributes. It reports whether at
// least one of them can satisfy antecedent a (may), and whether all of them satisfy it (must).
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
