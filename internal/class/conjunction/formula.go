package conjunction

import "slices"

// A Formula is a conjunction or a disjunction of literals, depending on its class. Tests[j] is 0 if
// the formula has no literal on attribute j, and 1+t if its literal on attribute j is test t.
// Without literals, a conjunction is true and a disjunction is false.
type Formula struct {
	Tests []int
}

// Literals returns the number of literals of the formula.
func (h Formula) Literals() int {
	n := 0
	for _, o := range h.Tests {
		if o > 0 {
			n++
		}
	}
	return n
}

func (h Formula) clone() Formula { return Formula{slices.Clone(h.Tests)} }
