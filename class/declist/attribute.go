package declist

import (
	"fmt"
	"slices"
)

// An Attribute is what rules may ask about one attribute of the schema: a list
// of literals, each a set of accepted categories. Make it with Equal,
// EqualOrNot, Intervals or Subsets.
type Attribute struct {
	categories int
	sets       [][]int
}

// Equal gives each of the categories c the literal x = c.
func Equal(categories int) Attribute {
	a := Attribute{categories: categories}
	for c := range categories {
		a.sets = append(a.sets, []int{c})
	}
	return a
}

// EqualOrNot gives each of the categories c the literals x = c and x ≠ c.
func EqualOrNot(categories int) Attribute {
	a := Equal(categories)
	for c := range categories {
		var others []int
		for o := range categories {
			if o != c {
				others = append(others, o)
			}
		}
		a.sets = append(a.sets, others)
	}
	return a
}

// Intervals gives every interval of the categories, taken in their order, the
// literal lo ≤ x ≤ hi.
func Intervals(categories int) Attribute {
	a := Attribute{categories: categories}
	for lo := range categories {
		var set []int
		for c := lo; c < categories; c++ {
			set = append(set, c)
			a.sets = append(a.sets, slices.Clone(set))
		}
	}
	return a
}

// Subsets gives the attribute exactly the given sets of accepted categories.
func Subsets(categories int, sets [][]int) Attribute {
	return Attribute{categories: categories, sets: sets}
}

// mostCategories is the number of 16-bit category codes.
const mostCategories = 1 << 16

// validate reports in one sentence what is wrong with the attribute.
func (a Attribute) validate() error {
	if a.categories < 1 || a.categories > mostCategories {
		return fmt.Errorf("its %d categories are outside 1..%d", a.categories, mostCategories)
	}
	for _, set := range a.sets {
		for _, c := range set {
			if c < 0 || c >= a.categories {
				return fmt.Errorf("a literal accepts category %d of %d", c, a.categories)
			}
		}
	}
	return nil
}

// accepted returns the attribute's literals as ascending categories: each once,
// those left out that are never true or always.
func (a Attribute) accepted() [][]uint16 {
	var out [][]uint16
	seen := map[string]bool{}
	for _, set := range a.sets {
		accepts := make([]uint16, len(set))
		for i, c := range set {
			accepts[i] = uint16(c)
		}
		slices.Sort(accepts)
		accepts = slices.Compact(accepts)
		key := fmt.Sprint(accepts)
		if len(accepts) > 0 && len(accepts) < a.categories && !seen[key] {
			seen[key] = true
			out = append(out, accepts)
		}
	}
	return out
}
