package conjunction

import "iter"

// All yields every formula of the class once. It tries every combination of options, so it is
// practical only up to some million combinations.
func (c *Class) All() iter.Seq[Formula] {
	return func(yield func(Formula) bool) {
		h := Formula{make([]int, len(c.attributes))}
		for {
			if c.Contains(h) && !yield(h.clone()) {
				return
			}
			j := len(h.Tests) - 1
			for ; j >= 0 && h.Tests[j] == c.attributes[j].Tests(); j-- {
				h.Tests[j] = 0
			}
			if j < 0 {
				return
			}
			h.Tests[j]++
		}
	}
}
