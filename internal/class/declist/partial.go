package declist

// PredictPartial tells what h predicts when only some attributes of x are
// known. It says so if every rule that may be the one that labels the record,
// each antecedent taken for itself, gives the same label.
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

// partial tells whether antecedent a may be true of the records that agree with
// x on the attributes that are known, and whether it must be.
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
