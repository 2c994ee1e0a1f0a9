package numeric

import (
	"iter"
	"slices"
)

// All yields every halfspace of the class once. It tests every combination of possible weights and
// thresholds by Contains, so it is practical for up to a few million combinations.
func (c *Class) All() iter.Seq[Halfspace] {
	return func(yield func(Halfspace) bool) {
		at := make([]int, len(c.columns))
		for {
			w := make([]int64, len(at))
			for j, i := range at {
				w[j] = c.columns[j].Weights[i]
			}
			for _, t := range c.thresholds {
				if h := (Halfspace{slices.Clone(w), t}); c.Contains(h) && !yield(h) {
					return
				}
			}
			j := len(at) - 1
			for ; j >= 0 && at[j] == len(c.columns[j].Weights)-1; j-- {
				at[j] = 0
			}
			if j < 0 {
				return
			}
			at[j]++
		}
	}
}
