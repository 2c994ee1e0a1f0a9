package scorecard

import "slices"

// A known is what a checker's node says about the vector of one attribute.
// On the gauge, the vector is an offset plus differences; off it, the offset
// is 0 and the differences are the vector.
type known struct {
	attr    *Attribute
	gauge   bool
	set     []bool
	diff    []int
	vectors [][]int // of a list: those that agree
	placed  bool    // the offset is decided
	offset  int
	uses    int  // decided with the offset: 1 where not all is 0, if that matters
	lo, hi  int  // the least and the greatest decided difference, and 0
	used    bool // a decided difference is not 0
	maybe   bool // the attribute may be all 0
}

// unknown returns an attribute with nothing decided but its reference.
func unknown(a *Attribute, ref int) known {
	k := known{
		attr: a, gauge: ref >= 0, placed: ref < 0, vectors: a.vectors,
		set: make([]bool, a.categories), diff: make([]int, a.categories),
		maybe: a.contains(make([]int, a.categories)),
	}
	if k.gauge {
		k.set[ref] = true
	}
	return k
}

// decide returns k with the difference of category c decided.
func (k known) decide(c, v int) known {
	k.set, k.diff = slices.Clone(k.set), slices.Clone(k.diff)
	k.assign(c, v)
	return k
}

// assign decides the difference of category c. What is known before can be had
// back by a copy made before, and forget.
func (k *known) assign(c, v int) {
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

// forget marks category c as undecided.
func (k *known) forget(c int) { k.set[c] = false }

// place returns k with its offset decided.
func (k known) place(offset int) known {
	k.placed, k.offset = true, offset
	return k
}

// offsets returns the range of the offset: every decided category must end up
// within the attribute's points.
func (k known) offsets() (lo, hi int) {
	if k.placed {
		return k.offset, k.offset
	}
	return k.attr.lo - k.lo, k.attr.hi - k.hi
}

// differences lists, ascending, what is left for category c.
func (k known) differences(c int) []int {
	if !k.attr.oneHot() {
		var out []int
		for _, vector := range k.vectors {
			out = append(out, vector[c])
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	from, to := k.attr.lo-k.offset, k.attr.hi-k.offset
	if !k.placed {
		// An offset must remain that suits this category and all decided ones.
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

// contributions lists, ascending, all that the undecided category c may
// contribute.
func (k known) contributions(c int) []int {
	var out []int
	if !k.placed {
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

// mayBeZero tells whether the vector may still be all 0.
func (k known) mayBeZero() bool {
	if k.placed && k.offset != 0 {
		return false
	}
	return k.maybe && !k.used
}

// mayBeUsed tells whether the vector, whose offset is decided, may still be other than all 0.
func (k known) mayBeUsed() bool {
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
