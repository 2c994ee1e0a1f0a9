package scorecard

import (
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// An axis describes how a search tree decides the points of one attribute, category by category.
// The values that the tree decides have one of two forms:
//
//   - With reference coding (see the package comment), they are the differences between the points
//     of the category and the points of a reference category. The latter are the offset of the
//     attribute, which is decided later.
//   - Without reference coding, they are the points themselves, and the offset is 0.
type axis struct {
	attr     Attribute
	refCoded bool
	ref      int // the reference category if reference-coded, otherwise -1
	norm     int // the maximum squared norm of all points of a card, or 0 for no limit

	rank        map[int]int // for each category with ordered points: its position in the order
	zeroAllowed bool        // whether the attribute allows the zero vector
}

// newAxis returns the axis of an attribute, which describes how a search tree decides the
// attribute's points. The parameter ref is the reference category, or -1 without reference coding
// (see axis). The parameter norm is the maximum squared norm of a card, or 0 for no limit.
func newAxis(attr Attribute, ref, norm int) axis {
	a := axis{attr: attr, refCoded: ref >= 0, ref: ref, norm: norm, rank: map[int]int{}}
	for i, c := range attr.ordered {
		a.rank[c] = i
	}
	a.zeroAllowed = attr.contains(make([]int, attr.categories))
	return a
}

// independent reports whether the values of the attribute's categories do not constrain each other,
// except that all points must stay within the attribute's range. In this case an axisState does not
// depend on which categories are decided, or on how many.
func (a *axis) independent() bool { return a.attr.oneHot() && len(a.attr.ordered) == 0 && a.norm == 0 }

// A partial is a partly decided vector of points: it represents all vectors of the attribute that
// agree with the decided values. It stores only what constrains the undecided categories, so it
// stays small even for many categories.
type partial struct {
	lo, hi int            // the minimum and maximum of the decided values and 0
	used   bool           // whether a decided value is not 0
	order  []orderedValue // one for each category of the attribute's order
	agree  []int          // for a list of vectors: the indices of the vectors that agree
}

// An orderedValue is the value of a category whose points are constrained by an order, or
// undecided.
type orderedValue struct {
	decided bool
	value   int
}

// start returns the partial vector of points in which only the reference category, if there is one,
// is decided.
func (a *axis) start() partial {
	p := partial{order: make([]orderedValue, len(a.attr.ordered))}
	if i, ordered := a.rank[a.ref]; ordered {
		p.order[i].decided = true
	}
	for i := range a.attr.vectors {
		p.agree = append(p.agree, i)
	}
	return p
}

// decide returns a copy of the partial vector p in which category c additionally has the value v.
func (a *axis) decide(p partial, c, v int) partial {
	q := partial{lo: min(p.lo, v), hi: max(p.hi, v), used: p.used || v != 0, order: p.order}
	if i, ordered := a.rank[c]; ordered {
		q.order = slices.Clone(p.order)
		q.order[i] = orderedValue{true, v}
	}
	for _, i := range p.agree {
		if a.attr.vectors[i][c] == v {
			q.agree = append(q.agree, i)
		}
	}
	return q
}

// values returns the values that category c may still have, in ascending order. A value is possible
// if at least one vector of points that agrees with the decided values in p has it.
func (a *axis) values(p partial, c int) []int {
	var out []int
	if !a.attr.oneHot() {
		for _, i := range p.agree {
			out = append(out, a.attr.vectors[i][c])
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	from, to := a.attr.lo, a.attr.hi
	if a.refCoded {
		from, to = p.hi-(a.attr.hi-a.attr.lo), p.lo+(a.attr.hi-a.attr.lo)
	}
	if at, ordered := a.rank[c]; ordered {
		for _, o := range p.order[:at] {
			if o.decided {
				from = max(from, o.value)
			}
		}
		for _, o := range p.order[at+1:] {
			if o.decided {
				to = min(to, o.value)
			}
		}
	}
	for v := from; v <= to; v++ {
		out = append(out, v)
	}
	return out
}

// offsets returns the range lo..hi of the offsets of those vectors of points that agree with the
// decided values in p. The offset of a vector is the points of the reference category, or 0 without
// reference coding.
func (a *axis) offsets(p partial) (lo, hi int) {
	if !a.refCoded {
		return 0, 0
	}
	return a.attr.lo - p.lo, a.attr.hi - p.hi
}

// zero reports whether the zero vector is allowed and agrees with the decided values in p.
func (a *axis) zero(p partial) bool { return a.zeroAllowed && !p.used }

// futureKey returns a string that describes how the decided values in p constrain the undecided
// categories. If two partial vectors have the same undecided categories and the same key, both can
// be completed in the same ways, so they share one axisState.
func (a *axis) futureKey(p partial) string {
	var key []byte
	put := func(v int) { key = binary.AppendVarint(key, int64(v)) }
	if !a.attr.oneHot() {
		put(p.agree[0]) // after decisions of the same categories, two lists agree are equal or disjoint
		return string(key)
	}
	if a.refCoded {
		put(p.lo)
		put(p.hi)
	}
	if a.norm == 0 && a.zero(p) {
		put(1)
	} else {
		put(0)
	}
	// A decided value of the order constrains others only if it is next to an undecided one.
	for i, o := range p.order {
		if o.decided && (i > 0 && !p.order[i-1].decided || i+1 < len(p.order) && !p.order[i+1].decided) {
			put(o.value)
		}
	}
	return string(key)
}

// An axisState describes what remains to be decided about an attribute after some of its categories
// are decided, in a fixed order. All partial vectors with the same futureKey share one state,
// because they can be completed in equally many ways, and with the same offsets of the points. "The
// vectors below the state" are the completions of one of these partial vectors.
//
// If the categories are independent (see axis.independent), the same state serves for any number of
// undecided categories. Its counts of vectors must then be multiplied by the number of values of a
// category, once for each undecided category. Its choices apply while any category is undecided.
type axisState struct {
	choices []choice
	factor  *powers // for an independent axis: powers of the number of values of a category
	// total is the number of vectors below the state. zero reports whether the zero vector is one
	// of them.
	total *big.Int
	zero  bool
	// offLo is the least possible offset of a vector below the state. byOffset[i] is the number of vectors below
	// with offset offLo+i, and offShare[i] is an upper bound on the fraction byOffset[i]/total.
	offLo    int
	byOffset []*big.Int
	offShare []class.Upper
	// With a limit on the norm, byNorm[s] is the number of vectors below whose undecided categories
	// have the squared norm s, for s up to the limit. The last entry of byNorm is positive. least
	// is the index of the first positive entry.
	byNorm []*big.Int
	least  int
}

// A choice is one possible value of the next category to decide, together with the index of the
// axisState that results if the category has this value.
type choice struct {
	value int
	next  int32
	share class.Upper // an upper bound on the fraction of the vectors below the state that have this value
	// shareAt[i] is an upper bound on the same fraction among the vectors with offset offLo+i. It
	// is 0 if no vector with this offset has this value.
	shareAt []class.Upper
}

// offHi returns the maximum offset (the points of the reference category) of a vector below the
// state of the axis.
func (f *axisState) offHi() int { return f.offLo + len(f.byOffset) - 1 }

// countAt returns the number of vectors of points below the state of the axis whose offset is v.
func (f *axisState) countAt(v int) *big.Int {
	if v < f.offLo || v > f.offHi() {
		return zeroCount
	}
	return f.byOffset[v-f.offLo]
}

var (
	zeroCount = new(big.Int)
	one       = big.NewInt(1)
)

// states returns all states of the axis that occur if its categories are decided in the given
// order. Element 0 is the state in which only the reference category, if there is one, is decided.
func (a *axis) states(order []int) []axisState {
	f := &stateBuilder{axis: a, order: order, ids: map[string]int32{}, factor: big.NewInt(1)}
	if a.independent() {
		f.factor.SetInt64(int64(a.attr.hi - a.attr.lo + 1))
		f.powers = newPowers(f.factor)
	}
	f.visit(a.start(), 0)
	for i := range f.states {
		f.setShares(&f.states[i])
	}
	return f.states
}

type stateBuilder struct {
	axis   *axis
	order  []int
	ids    map[string]int32
	states []axisState
	factor *big.Int // the factor by which counts must still be multiplied for each undecided category: the number of its values on an independent axis, otherwise 1
	powers *powers  // powers of factor, on an independent axis
}

// visit returns the index of the state of the partial vector p, in which the given number of
// categories are decided. If the state does not exist yet, visit creates it and all states that can
// follow it.
func (f *stateBuilder) visit(p partial, decided int) int32 {
	key := ""
	if !f.axis.independent() {
		key = string(binary.AppendUvarint(nil, uint64(decided)))
	}
	if f.axis.norm == 0 || decided < len(f.order) {
		key += f.axis.futureKey(p)
	}
	if id, ok := f.ids[key]; ok {
		return id
	}
	id := int32(len(f.states))
	f.ids[key] = id
	lo, hi := f.axis.offsets(p)
	st := axisState{zero: f.axis.zero(p), offLo: lo, total: new(big.Int), factor: f.powers}
	for range hi - lo + 1 {
		st.byOffset = append(st.byOffset, new(big.Int))
	}
	f.states = append(f.states, st)
	if c, ok := f.category(decided); ok {
		for _, v := range f.axis.values(p, c) {
			st.choices = append(st.choices, choice{value: v, next: f.visit(f.axis.decide(p, c, v), decided+1)})
		}
	}
	f.count(&st, decided)
	f.states[id] = st
	return id
}

// category returns the next category to decide after the given number of decisions. The result ok
// is false if all categories are decided. On an axis with independent categories, all categories
// have the same states, so the result is always category 0 and true.
func (f *stateBuilder) category(decided int) (c int, ok bool) {
	switch {
	case f.axis.independent():
		return 0, true
	case decided < len(f.order):
		return f.order[decided], true
	}
	return 0, false
}

// count computes how many vectors of points are below the state st, for each offset and in total,
// by adding up the counts of the states that its choices lead to.
func (f *stateBuilder) count(st *axisState, decided int) {
	if f.axis.norm > 0 {
		f.countNorms(st)
	}
	for i, n := range st.byOffset {
		if f.axis.independent() || decided == len(f.order) {
			n.SetInt64(1)
		} else {
			for _, ch := range st.choices {
				n.Add(n, f.states[ch.next].countAt(st.offLo+i))
			}
		}
		st.total.Add(st.total, n)
	}
}

// setShares computes upper bounds on the fractions of the vectors below the state st that belong to
// each choice and offset: the fields share, shareAt and offShare. The counts of all states must be
// computed before.
func (f *stateBuilder) setShares(st *axisState) {
	for _, n := range st.byOffset {
		st.offShare = append(st.offShare, class.Ratio(n, st.total))
	}
	var whole big.Int
	for i := range st.choices {
		ch := &st.choices[i]
		next := &f.states[ch.next]
		ch.share = class.Ratio(next.total, whole.Mul(st.total, f.factor))
		for o, n := range st.byOffset {
			ch.shareAt = append(ch.shareAt, class.Ratio(next.countAt(st.offLo+o), whole.Mul(n, f.factor)))
		}
	}
}

// countNorms computes how many vectors of points are below the state st for each squared norm of
// the undecided categories, by adding up the counts of the states that its choices lead to.
func (f *stateBuilder) countNorms(st *axisState) {
	if len(st.choices) == 0 {
		st.byNorm = []*big.Int{one}
		return
	}
	byNorm := make([]*big.Int, f.axis.norm+1)
	for s := range byNorm {
		byNorm[s] = new(big.Int)
	}
	for _, ch := range st.choices {
		for s, n := range f.states[ch.next].byNorm {
			if s += ch.value * ch.value; s < len(byNorm) {
				byNorm[s].Add(byNorm[s], n)
			}
		}
	}
	positive := func(n *big.Int) bool { return n.Sign() > 0 }
	for len(byNorm) > 0 && !positive(byNorm[len(byNorm)-1]) {
		byNorm = byNorm[:len(byNorm)-1]
	}
	st.byNorm = byNorm
	st.least = f.axis.norm + 1 // if no entry is positive
	if least := slices.IndexFunc(byNorm, positive); least >= 0 {
		st.least = least
	}
}
