package scorecard

import (
	"iter"
	"slices"
)

// All yields every card of the class once, in lexicographic order of the vectors of its attributes.
// The time grows with the number of all combinations of vectors, so All is practical for classes of
// at most some million cards.
func (c *Class) All() iter.Seq[Card] {
	return func(yield func(Card) bool) {
		vectors := make([][][]int, len(c.attributes))
		for j, a := range c.attributes {
			vectors[j] = a.all()
		}
		h := Card{make([][]int, len(vectors))}
		var place func(j, used, norm int) bool
		place = func(j, used, norm int) bool {
			if used > c.most() || c.options.Norm > 0 && norm > c.options.Norm {
				return true
			}
			if j == len(vectors) {
				return yield(h.clone())
			}
			for _, points := range vectors[j] {
				h.Points[j] = points
				more := used
				if h.Used(j) {
					more++
				}
				if !place(j+1, more, norm+square(points)) {
					return false
				}
			}
			return true
		}
		place(0, 0, 0)
	}
}

// all returns all vectors of points that the attribute allows.
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
