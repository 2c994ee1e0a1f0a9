package scorecard

import (
	"fmt"
	"slices"
)

// An Attribute is the set of vectors of points that a scorecard may give to one column of a record.
// A vector has one integer for each category of the column: the points of a record with this
// category. Use OneHot, Numeric or Vectors to create an Attribute.
type Attribute struct {
	categories int
	lo, hi     int     // one-hot attributes: the range of the points of every category
	ordered    []int   // one-hot attributes: categories whose points must not decrease in this order
	vectors    [][]int // all other attributes: the vectors, distinct and sorted
}

// OneHot returns an attribute in which a card chooses the points of every category independently,
// as an integer from lo to hi.
func OneHot(categories, lo, hi int) Attribute {
	return Attribute{categories: categories, lo: lo, hi: hi}
}

// Uniform returns one OneHot attribute for each element of sizes, which is the attribute's number
// of categories. The points of every category are integers from lo to hi.
func Uniform(sizes []int, lo, hi int) []Attribute {
	attributes := make([]Attribute, len(sizes))
	for j, n := range sizes {
		attributes[j] = OneHot(n, lo, hi)
	}
	return attributes
}

// Monotone returns the OneHot attribute a with the additional constraint that the points must not
// decrease along the listed categories, in the given order. Categories that are not listed stay
// unconstrained. To get points that do not increase, reverse the order.
func (a Attribute) Monotone(order []int) Attribute {
	a.ordered = slices.Clone(order)
	return a
}

// Numeric returns an attribute for an integer column with few values. A card chooses one integer
// weight from lo to hi, and each category gets this weight times its value as points. Cards over
// these attributes are discrete halfspaces. Weights that give the same points to all categories
// count as one choice.
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

// Vectors returns the attribute whose allowed vectors of points are listed. All vectors must have
// the same length, the number of categories. Duplicates are removed.
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

// Categories returns the number of categories of the attribute.
func (a Attribute) Categories() int { return a.categories }

// Order returns the categories whose points must not decrease in the returned order (see Monotone).
// If the list has fewer than two categories, there is no constraint.
func (a Attribute) Order() []int { return slices.Clone(a.ordered) }

// List returns the allowed vectors of points of the attribute, or nil if the attribute was created
// by OneHot.
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

// oneHot reports whether the attribute was created by OneHot, so that each category has its own
// points within a range.
func (a Attribute) oneHot() bool { return a.vectors == nil }

// bounds returns the minimum and maximum points that a card may give to category c.
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

// Levels returns the distinct points that a card may give to category c, in ascending order. The
// separator, which encodes a card in bits, has one bit for each of these levels except the least:
// whether the points are at least that level.
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

// levels returns, for every category of every attribute, the distinct points that the category may have (Levels).
func levels(attributes []Attribute) [][][]int {
	out := make([][][]int, len(attributes))
	for j, a := range attributes {
		for cat := range a.categories {
			if cat > 0 && a.oneHot() { // all categories have the same levels
				out[j] = append(out[j], out[j][0])
			} else {
				out[j] = append(out[j], a.Levels(cat))
			}
		}
	}
	return out
}

// contains reports whether v is one of the vectors that the attribute allows.
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

// mostContribution is the maximum absolute value of the points of a category. It keeps totals, and
// the tables that are indexed by totals, small.
const mostContribution = 1 << 12

// mostCategories is the maximum number of categories of an attribute. It leaves one 16-bit code
// unused, which marks a decided category in a pattern.
const mostCategories = 1<<16 - 1

// validate returns an error if the attribute is not well-formed, for example because it has no
// categories, too many categories, points that are too large, or an order with an unknown category.
func (a Attribute) validate() error {
	if a.categories == 0 {
		return fmt.Errorf("it has no categories")
	}
	if a.categories > mostCategories {
		return fmt.Errorf("%d categories exceed the limit of %d; group categories", a.categories, mostCategories)
	}
	if !a.oneHot() {
		for _, v := range a.vectors {
			if len(v) != a.categories {
				return fmt.Errorf("all vectors of points must have %d entries, like the first one, but one has %d", a.categories, len(v))
			}
			for _, p := range v {
				if p < -mostContribution || p > mostContribution {
					return fmt.Errorf("contribution %d is outside -%d..%d", p, mostContribution, mostContribution)
				}
			}
		}
		return nil
	}
	if a.lo > a.hi {
		return fmt.Errorf("points: range %d..%d is empty: the minimum must not exceed the maximum", a.lo, a.hi)
	}
	if a.lo < -mostContribution || a.hi > mostContribution {
		return fmt.Errorf("points: range %d..%d must be within -%d..%d", a.lo, a.hi, mostContribution, mostContribution)
	}
	seen := make([]bool, a.categories)
	for _, c := range a.ordered {
		if c < 0 || c >= a.categories {
			return fmt.Errorf("order: category %d must be 0 to %d", c, a.categories-1)
		}
		if seen[c] {
			return fmt.Errorf("order: category %d occurs twice", c)
		}
		seen[c] = true
	}
	return nil
}
