package sparse

import "slices"

// A Card is a hypothesis: points for each group of each of some attributes.
type Card struct {
	Attributes []int   // ascending, at least one
	Points     [][]int // of each of them, by group
}

// set is the attributes of a part, ascending.
type set []int

// sets lists the sets of at most most attributes with at most width groups together, by their
// number of attributes; or nil where there are more than limit.
func sets(groups []int, most, width, limit int) (all []set) {
	for size := 1; size <= most; size++ {
		if all = appendSets(all, nil, 0, size, width, limit, groups); len(all) > limit {
			return nil
		}
	}
	return all
}

// appendSets appends the sets that begin with start and go on with so many attributes from the
// one given on, until there are more than limit.
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
