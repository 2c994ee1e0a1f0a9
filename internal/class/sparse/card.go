package sparse

import "slices"

// A Card is a hypothesis: points for each group of some attributes.
type Card struct {
	Attributes []int   // in ascending order, at least one
	Points     [][]int // [index in Attributes][group]
}

// A set is a set of attributes in ascending order. Each set has a part of the class: the cards on
// it.
type set []int

// sets returns the sets of at most most attributes with at most width groups in total, ordered by
// their number of attributes, or nil if there are more than limit.
func sets(groups []int, most, width, limit int) (all []set) {
	for size := 1; size <= most; size++ {
		if all = appendSets(all, nil, 0, size, width, limit, groups); len(all) > limit {
			return nil
		}
	}
	return all
}

// appendSets appends the sets that extend start by size attributes, the first of which is at least
// from. It stops when there are more than limit.
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
