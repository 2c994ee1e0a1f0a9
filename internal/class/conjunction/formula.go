package conjunction

import "slices"

// A Formula is a conjunction or disjunction, as its class has it: Tests[j] is 0
// where it has no literal on attribute j, and 1+t where that is test t. Without
// a literal a conjunction is true and a disjunction false.
type Formula struct {
	Tests []int
}

// Literals counts the literals.
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
