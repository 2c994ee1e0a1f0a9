package scorecard

import (
	"iter"
	"slices"
)

// All yields every card of the class once, in the order of its attributes'
// vectors, the last attribute first. It tries every combination and asks
// Contains, so it serves classes of some million cards at most.
func (c *Class) All() iter.Seq[Card] {
	return func(yield func(Card) bool) {
		vectors := make([][][]int, len(c.attributes))
		for j, a := range c.attributes {
			vectors[j] = a.all()
		}
		at := make([]int, len(vectors))
		for {
			h := Card{make([][]int, len(vectors))}
			for j, i := range at {
				h.Points[j] = slices.Clone(vectors[j][i])
			}
			if c.Contains(h) && !yield(h) {
				return
			}
			j := len(at) - 1
			for ; j >= 0 && at[j] == len(vectors[j])-1; j-- {
				at[j] = 0
			}
			if j < 0 {
				return
			}
			at[j]++
		}
	}
}

// all lists the attribute's vectors.
func (a Attribute) all() [][]int {
	if !a.oneHot() {
		return a.vectors
	}
	var out [][]int
	v := slices.Repeat([]int{a.lo}, a.categories)
	for {
		if a.contains(v) {
			out = append(out, slices.Clone(v))
		}
		c := len(v) - 1
		for ; c >= 0 && v[c] == a.hi; c-- {
			v[c] = a.lo
		}
		if c < 0 {
			return out
		}
		v[c]++
	}
}
