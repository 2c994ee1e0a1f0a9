package audit

import (
	"slices"

	"github.com/sibyl-dp/sibyl/privacy"
)

// A World is a finite set of tables, together with all pairs of neighbours among them, on which
// checks examine a mechanism.
type World[D any] struct {
	Relation privacy.Relation
	Tables   []D
	Pairs    [][2]int // the indices in Tables of two neighbours; each pair occurs once
}

// NewWorld returns the world of all tables whose number of records does not exceed the parameter
// most. A record has one of the given number of kinds, which are its possible values. All
// neighbours among these tables are pairs of the world. The function make builds a table from its
// number of records of each kind.
func NewWorld[D any](r privacy.Relation, kinds, most int, make func(counts []int64) D) World[D] {
	w := World[D]{Relation: r}
	all := Multisets(kinds, most)
	for i, a := range all {
		w.Tables = append(w.Tables, make(append([]int64(nil), a...)))
		for j, b := range all[:i] {
			if Neighbouring(r, a, b) {
				w.Pairs = append(w.Pairs, [2]int{j, i})
			}
		}
	}
	return w
}

// WorldOfSize returns the world of all tables of n records, where each record has one of the given number of kinds. Two
// tables are neighbours if replacing one record of the first gives the second.
func WorldOfSize[D any](kinds, n int, make func(counts []int64) D) World[D] {
	w := World[D]{Relation: privacy.ReplaceOne}
	var all [][]int64
	for _, counts := range Multisets(kinds, n) {
		rest := int64(n)
		for _, own := range counts {
			rest -= own
		}
		if rest > 0 {
			continue
		}
		for i, other := range all {
			if Neighbouring(w.Relation, counts, other) {
				w.Pairs = append(w.Pairs, [2]int{i, len(all)})
			}
		}
		all = append(all, counts)
		w.Tables = append(w.Tables, make(slices.Clone(counts)))
	}
	return w
}

// Multisets returns all multisets whose number of elements does not exceed the parameter most. Each
// element has one of the given number of kinds. A multiset is represented by its number of elements
// of each kind.
func Multisets(kinds, most int) [][]int64 {
	if kinds == 0 {
		return [][]int64{nil}
	}
	var out [][]int64
	for n := 0; n <= most; n++ {
		for _, rest := range Multisets(kinds-1, most-n) {
			out = append(out, append(rest, int64(n)))
		}
	}
	return out
}

// Neighbouring reports whether the multisets with a[i] and b[i] elements of kind i are neighbours under the relation r.
func Neighbouring(r privacy.Relation, a, b []int64) bool {
	var more, fewer int64
	for i := range a {
		more += max(a[i]-b[i], 0)
		fewer += max(b[i]-a[i], 0)
	}
	switch r {
	case privacy.ReplaceOne:
		return more == 1 && fewer == 1
	case privacy.AddRemove:
		return more+fewer == 1
	}
	return false
}
