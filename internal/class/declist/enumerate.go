package declist

import "iter"

// All yields every decision list of the class once. A list precedes the lists that extend it. All
// tries every rule at every position, so it is practical for classes of at most some million lists.
func (c *Class) All() iter.Seq[List] {
	return func(yield func(List) bool) {
		if yield(List{}) && yield(List{Default: true}) {
			c.extensions(nil, yield)
		}
	}
}

// extensions yields all lists of the class that begin with the given rules and have at least one
// further rule. It stops and returns false if yield returns false.
func (c *Class) extensions(rules []Rule, yield func(List) bool) bool {
	if len(rules) == c.rules() {
		return true
	}
	for a := range c.antecedents {
		for _, y := range []bool{false, true} {
			h := withDefault(append(rules[:len(rules):len(rules)], Rule{a, y}))
			if c.Contains(h) && (!yield(h.clone()) || !c.extensions(h.Rules, yield)) {
				return false
			}
		}
	}
	return true
}
