package declist

// PredictPartial returns the prediction of h on all records that agree with x on the known
// attributes, if it can determine that they are the same: if every rule that may capture such a
// record, judging each antecedent by itself, has the same label.
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

// partial reports whether some record that agrees with x on the known attributes may satisfy
// antecedent a, and whether all of them must.
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
