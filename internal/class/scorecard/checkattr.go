package scorecard

import "slices"

// An attributeState holds the decided part of the vector of points of one attribute, at a node of
// the checker. The vector is an offset plus differences (see the package comment). Without
// reference coding, the offset is 0 and the differences are the points themselves.
type attributeState struct {
	attr        *Attribute
	refCoded    bool
	set         []bool  // [category]: its difference is decided
	diff        []int   // [category]: its difference, if decided
	vectors     [][]int // for an attribute with a list of vectors: the vectors that agree with the decided values
	offsetSet   bool    // whether the offset is decided
	offset      int
	uses        int  // 1 if the vector uses the attribute, otherwise 0; decided together with the offset, if it matters
	lo, hi      int  // the minimum and maximum of the decided differences and 0
	used        bool // whether a decided difference is not 0
	zeroAllowed bool // whether the attribute allows the zero vector
}

// newAttributeState returns the state of attribute a at the root. Only the difference of the
// reference category ref is decided: it is 0. If ref is -1, there is no reference category, and
// nothing is decided.
func newAttributeState(a *Attribute, ref int) attributeState {
	k := attributeState{
		attr: a, refCoded: ref >= 0, offsetSet: ref < 0, vectors: a.vectors,
		set: make([]bool, a.categories), diff: make([]int, a.categories),
		zeroAllowed: a.contains(make([]int, a.categories)),
	}
	if k.refCoded {
		k.set[ref] = true
	}
	return k
}

// decide returns a copy of the state of an attribute in which category c has the difference v: its
// points minus the attribute's offset.
func (k attributeState) decide(c, v int) attributeState {
	k.set, k.diff = slices.Clone(k.set), slices.Clone(k.diff)
	k.assign(c, v)
	return k
}

// assign decides that category c has the difference v. Unlike decide, it changes the state in
// place. To undo it, restore a copy of the state from before, and call undecide.
func (k *attributeState) assign(c, v int) {
	k.set[c], k.diff[c] = true, v
	k.lo, k.hi, k.used = min(k.lo, v), max(k.hi, v), k.used || v != 0
	var agree [][]int
	for _, vector := range k.vectors {
		if vector[c] == v {
			agree = append(agree, vector)
		}
	}
	k.vectors = agree
}

// undecide marks category c of the attribute as undecided, as part of undoing assign.
func (k *attributeState) undecide(c int) { k.set[c] = false }

// setOffset returns a copy of the state of an attribute in which the offset is decided.
func (k attributeState) setOffset(offset int) attributeState {
	k.offsetSet, k.offset = true, offset
	return k
}

// offsets returns the range lo..hi of the offsets for which the points of every decided category
// stay within the range that the attribute allows.
func (k attributeState) offsets() (lo, hi int) {
	if k.offsetSet {
		return k.offset, k.offset
	}
	return k.attr.lo - k.lo, k.attr.hi - k.hi
}

// differences returns, in ascending order, the possible differences of the undecided category c:
// the points of the category minus the offset of its attribute.
func (k attributeState) differences(c int) []int {
	if !k.attr.oneHot() {
		var out []int
		for _, vector := range k.vectors {
			out = append(out, vector[c])
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	from, to := k.attr.lo-k.offset, k.attr.hi-k.offset
	if !k.offsetSet {
		// At least one offset must remain valid for category c and all decided categories.
		width := k.attr.hi - k.attr.lo
		from, to = k.hi-width, k.lo+width
	}
	if own := slices.Index(k.attr.ordered, c); own >= 0 {
		for at, other := range k.attr.ordered {
			if k.set[other] && at < own {
				from = max(from, k.diff[other])
			}
			if k.set[other] && at > own {
				to = min(to, k.diff[other])
			}
		}
	}
	var out []int
	for v := from; v <= to; v++ {
		out = append(out, v)
	}
	return out
}

// contributions returns the numbers of points that the undecided category c may still have, in
// ascending order.
func (k attributeState) contributions(c int) []int {
	var out []int
	if !k.offsetSet {
		for v := k.attr.lo; v <= k.attr.hi; v++ {
			out = append(out, v)
		}
		return out
	}
	for _, v := range k.differences(c) {
		out = append(out, v+k.offset)
	}
	return out
}

// mayBeZero reports whether the attribute may still have the zero vector, given the decided
// differences and offset.
func (k attributeState) mayBeZero() bool {
	if k.offsetSet && k.offset != 0 {
		return false
	}
	return k.zeroAllowed && !k.used
}

// mayBeUsed reports whether the attribute may still have a vector other than the zero vector, given
// the decided differences and offset. The offset must be decided.
func (k attributeState) mayBeUsed() bool {
	if !k.mayBeZero() {
		return true
	}
	for c, set := range k.set {
		if !set && slices.ContainsFunc(k.contributions(c), func(v int) bool { return v != 0 }) {
			return true
		}
	}
	return false
}
