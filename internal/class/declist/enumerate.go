package declist

import "iter"

// All yields every list of the class once, shorter ones before what extends
// them. It tries every rule at every position and asks Contains, so it serves
// classes of some million lists at most.
func (c *Class) All() iter.Seq[List] {
	return func(yield func(List) bool) {
		if yield(List{}) && yield(List{Default: true}) {
			c.extensions(nil, yield)
		}
	}
}

// extensions yields the lists that begin with the rules and are longer; it
// returns false when yield did.
func (c *Class) extensions(rules []Rule, yield func(List) bool) bool {
	if len(rules) == c.rules() {
		return true
	}
	for a := range c.antecedents {
		for _, y := range []bool{false, true} {
			h := ended(append(rules[:len(rules):len(rules)], Rule{a, y}))
			if c.Contains(h) && (!yield(h.clone()) || !c.extensions(h.Rules, yield)) {
				return false
			}
		}
	}
	return true
}
