package declist

// PredictPartial returns the prediction of h on the records that agree with x on the known
// attributes, and true, if it finds that all of them have the same prediction. Otherwise ok is
// false. It considers each antecedent separately: the predictions are the same if all rules that
// may capture such a record have the same label, and so has the default if it may apply.
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

// partial considers the records that agree with x on the known attributes. The result may is true if
// at least one of these records can satisfy antecedent a. The result must is true if all of these
// records satisfy it.
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
