package scorecard

import (
	"fmt"
	"slices"
)

// An Attribute is the set of contribution vectors that one attribute of the
// schema may have: one integer for each of its categories. Make it with
// OneHot, Numeric, Binary or Vectors.
type Attribute struct {
	categories int
	lo, hi     int     // one-hot: the range of every category's points
	ordered    []int   // one-hot: categories whose points must not fall in this order
	vectors    [][]int // otherwise: the vectors, distinct and sorted
}

// OneHot gives every one of the categories its own points in lo..hi.
func OneHot(categories, lo, hi int) Attribute {
	return Attribute{categories: categories, lo: lo, hi: hi}
}

// Uniform gives every category of every attribute its own points in lo..hi: an
// attribute for each number of categories.
func Uniform(sizes []int, lo, hi int) []Attribute {
	attributes := make([]Attribute, len(sizes))
	for j, n := range sizes {
		attributes[j] = OneHot(n, lo, hi)
	}
	return attributes
}

// Monotone returns the one-hot attribute with its points constrained not to
// fall along the given categories; those not named stay free. Reverse the
// order for points that must not rise.
func (a Attribute) Monotone(order []int) Attribute {
	a.ordered = slices.Clone(order)
	return a
}

// Numeric gives category c the contribution w·values[c], for one weight w in
// lo..hi: an integer column with few values in a discrete halfspace. It counts
// weights with equal contributions once.
func Numeric(values []int, lo, hi int) Attribute {
	var vectors [][]int
	for w := lo; w <= hi; w++ {
		v := make([]int, len(values))
		for c, x := range values {
			v[c] = w * x
		}
		vectors = append(vectors, v)
	}
	return Vectors(vectors)
}

// Binary codes category c in the given number of bits, each with a weight of
// its own in lo..hi: a label-encoded column in a discrete halfspace. Weights
// with equal contributions on the existing categories count once.
func Binary(categories, bits, lo, hi int) Attribute {
	weights := make([]int, bits)
	for b := range weights {
		weights[b] = lo
	}
	var vectors [][]int
	for {
		v := make([]int, categories)
		for c := range v {
			for b, w := range weights {
				if c>>b&1 == 1 {
					v[c] += w
				}
			}
		}
		vectors = append(vectors, v)
		b := 0
		for ; b < bits && weights[b] == hi; b++ {
			weights[b] = lo
		}
		if b == bits {
			return Vectors(vectors)
		}
		weights[b]++
	}
}

// Vectors allows exactly the given contribution vectors, all of one length;
// equal ones count once.
func Vectors(vectors [][]int) Attribute {
	sorted := make([][]int, len(vectors))
	for i, v := range vectors {
		sorted[i] = slices.Clone(v)
	}
	slices.SortFunc(sorted, slices.Compare)
	sorted = slices.CompactFunc(sorted, slices.Equal)
	a := Attribute{vectors: sorted}
	if len(sorted) > 0 {
		a.categories = len(sorted[0])
	}
	return a
}

// Categories returns how many categories the attribute has.
func (a Attribute) Categories() int { return a.categories }

// Order returns the categories whose points must not fall in this order, of a
// one-hot attribute; at most one of them is no order.
func (a Attribute) Order() []int { return slices.Clone(a.ordered) }

// List returns all contribution vectors of an attribute that is given by
// them, and nil for a one-hot attribute, whose categories take their levels
// freely but for its order.
func (a Attribute) List() [][]int {
	if a.oneHot() {
		return nil
	}
	list := make([][]int, len(a.vectors))
	for i, v := range a.vectors {
		list[i] = slices.Clone(v)
	}
	return list
}

// oneHot tells whether every category has points of its own.
func (a Attribute) oneHot() bool { return a.vectors == nil }

// bounds returns the least and the greatest contribution of category c.
func (a Attribute) bounds(c int) (lo, hi int) {
	if a.oneHot() {
		return a.lo, a.hi
	}
	lo, hi = a.vectors[0][c], a.vectors[0][c]
	for _, v := range a.vectors[1:] {
		lo, hi = min(lo, v[c]), max(hi, v[c])
	}
	return lo, hi
}

// Levels returns the distinct contributions that category c may have,
// ascending. The bits of the separator for category c say which of them, but
// the least, it reaches.
func (a Attribute) Levels(c int) []int {
	var out []int
	if a.oneHot() {
		for v := a.lo; v <= a.hi; v++ {
			out = append(out, v)
		}
		return out
	}
	for _, v := range a.vectors {
		out = append(out, v[c])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// levels returns the Levels of every category of every attribute.
func levels(attributes []Attribute) [][][]int {
	out := make([][][]int, len(attributes))
	for j, a := range attributes {
		for cat := range a.categories {
			if cat > 0 && a.oneHot() { // all have the same
				out[j] = append(out[j], out[j][0])
			} else {
				out[j] = append(out[j], a.Levels(cat))
			}
		}
	}
	return out
}

// contains tells whether the attribute may have vector v.
func (a Attribute) contains(v []int) bool {
	if len(v) != a.categories {
		return false
	}
	if !a.oneHot() {
		_, found := slices.BinarySearchFunc(a.vectors, v, slices.Compare)
		return found
	}
	for _, p := range v {
		if p < a.lo || p > a.hi {
			return false
		}
	}
	for i := 1; i < len(a.ordered); i++ {
		if v[a.ordered[i]] < v[a.ordered[i-1]] {
			return false
		}
	}
	return true
}

// mostContribution bounds a contribution, so that totals and tables stay small.
const mostContribution = 1 << 12

// mostCategories leaves one 16-bit code to mark decided categories.
const mostCategories = 1<<16 - 1

// validate reports in one sentence what is wrong with the attribute.
func (a Attribute) validate() error {
	if a.categories == 0 {
		return fmt.Errorf("it has no category")
	}
	if a.categories > mostCategories {
		return fmt.Errorf("it has %d categories, more than %d", a.categories, mostCategories)
	}
	if !a.oneHot() {
		for _, v := range a.vectors {
			if len(v) != a.categories {
				return fmt.Errorf("its contribution vectors have %d and %d entries; give all the same length", a.categories, len(v))
			}
			for _, p := range v {
				if p < -mostContribution || p > mostContribution {
					return fmt.Errorf("a contribution of %d is outside -%d..%d", p, mostContribution, mostContribution)
				}
			}
		}
		return nil
	}
	if a.lo > a.hi {
		return fmt.Errorf("its points %d..%d are an empty range", a.lo, a.hi)
	}
	if a.lo < -mostContribution || a.hi > mostContribution {
		return fmt.Errorf("its points %d..%d leave -%d..%d", a.lo, a.hi, mostContribution, mostContribution)
	}
	seen := make([]bool, a.categories)
	for _, c := range a.ordered {
		if c < 0 || c >= a.categories {
			return fmt.Errorf("its order names category %d of %d", c, a.categories)
		}
		if seen[c] {
			return fmt.Errorf("its order names category %d twice", c)
		}
		seen[c] = true
	}
	return nil
}
