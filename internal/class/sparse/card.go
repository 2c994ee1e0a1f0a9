package sparse

import "slices"

// A Card is a scorecard with its own points on a few attributes, one number for each group of
// categories. On all other attributes it has the points of a public card, the base (see package
// sparse).
type Card struct {
	Attributes []int   // in ascending order, at least one
	Points     [][]int // [i][g]: the points of group g of attribute Attributes[i]
}

// A set is a set of attributes, listed in ascending order. For each set, the class has a part: the
// cards whose own points are on exactly these attributes.
type set []int

// sets returns all sets of attributes that satisfy two limits: a set has at most the given number
// of attributes (most), and these have at most the given number of groups of categories in total
// (width). The parameter groups holds the number of groups of each attribute. The sets are ordered
// by their number of attributes, then lexicographically. If there are more sets than the parameter
// limit, the class is too large, and sets returns nil.
func sets(groups []int, most, width, limit int) (all []set) {
	for size := 1; size <= most; size++ {
		if all = appendSets(all, nil, 0, size, width, limit, groups); len(all) > limit {
			return nil
		}
	}
	return all
}

// appendSets appends to all every set that consists of the attributes in start and of size further
// attributes. The parameter from is the least index of a further attribute, and width is the
// maximum of their total number of groups. appendSets stops as soon as there are more sets than the
// parameter limit.
func appendSets(all []set, start set, from, size, width, limit int, groups []int) []set {
	if size == 0 {
		return append(all, slices.Clone(start))
	}
	for j := from; j < len(groups) && len(all) <= limit; j++ {
		if groups[j] <= width {
			all = appendSets(all, append(start, j), j+1, size-1, width-groups[j], limit, groups)
		}
	}
	return all
}
