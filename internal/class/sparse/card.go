package sparse

import "slices"

// A Card is a hypothesis: it has points for each group of each of its attributes. All other
// attributes have the points of the base.
type Card struct {
	Attributes []int   // in ascending order, at least one
	Points     [][]int // [i][g]: the points of group g of attribute Attributes[i]
}

// A set is a set of attributes in ascending order. The cards on a set form a part of the class.
type set []int

// sets returns all sets of attributes within two limits: the parameter most is the maximum number of
// attributes of a set, and width is the maximum number of groups that the attributes of a set have
// together. groups[j] is the number of groups of attribute j. The sets are ordered by their number of
// attributes, then lexicographically. If there are more sets than limit, sets returns nil.
func sets(groups []int, most, width, limit int) (all []set) {
	for size := 1; size <= most; size++ {
		if all = appendSets(all, nil, 0, size, width, limit, groups); len(all) > limit {
			return nil
		}
	}
	return all
}

// appendSets appends to all the sets that extend start by size attributes with indices of at least
// from and at most width groups in total. It stops as soon as there are more than limit sets.
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
