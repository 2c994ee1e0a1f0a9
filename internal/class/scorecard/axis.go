package scorecard

import (
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// An axis is how one attribute is decided in a tree: category by category, in
// one of two ways.
//
// On the gauge, values are differences δ_c = w_c - v to the points v of a
// reference category, which stays open as the attribute's offset: a constant
// moved from one attribute to another changes no total, so only the sum of all
// offsets matters in the end. Otherwise values are the contributions
// themselves, and the offset is 0.
type axis struct {
	attr  Attribute
	gauge bool
	ref   int // the reference category on the gauge, -1 otherwise
	norm  int // the greatest squared norm of all attributes, or 0 for no limit

	rank  map[int]int // of a category whose points are ordered: its place in the order
	maybe bool        // the zero vector is one of the attribute's
}

// newAxis returns the axis of an attribute, on the gauge with a reference
// category if that is not -1.
func newAxis(attr Attribute, ref, norm int) axis {
	a := axis{attr: attr, gauge: ref >= 0, ref: ref, norm: norm, rank: map[int]int{}}
	for i, c := range attr.ordered {
		a.rank[c] = i
	}
	a.maybe = attr.contains(make([]int, attr.categories))
	return a
}

// free tells whether a category takes its points whatever the others take, but
// for the offset: then a state needs not say which categories are decided, nor
// how many.
func (a *axis) free() bool { return a.attr.oneHot() && len(a.attr.ordered) == 0 && a.norm == 0 }

// A partial is the decided part of one axis: a set of vectors. It holds what
// bears on the undecided part, so that it stays small on many categories.
type partial struct {
	lo, hi int            // the least and greatest of the decided values and 0
	used   bool           // a decided value is not 0
	order  []orderedValue // of each category in order
	agree  []int          // of a list: the vectors that agree
}

// An orderedValue is that of a category whose points are ordered.
type orderedValue struct {
	decided bool
	value   int
}

// start returns the partial with nothing decided but the reference.
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

// with returns p with category c decided at value v.
func (a *axis) with(p partial, c, v int) partial {
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

// values returns the values that category c may still have, ascending: those
// below which at least one vector remains.
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
	if a.gauge {
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

// offsets returns the range of the offset that the decided values leave.
func (a *axis) offsets(p partial) (lo, hi int) {
	if !a.gauge {
		return 0, 0
	}
	return a.attr.lo - p.lo, a.attr.hi - p.hi
}

// zero tells whether the zero vector agrees with p.
func (a *axis) zero(p partial) bool { return a.maybe && !p.used }

// key names all that the further course of the axis depends on, but how many
// categories are left.
func (a *axis) key(p partial) string {
	var key []byte
	put := func(v int) { key = binary.AppendVarint(key, int64(v)) }
	if !a.attr.oneHot() {
		put(p.agree[0]) // after given decisions, those that agree are disjoint
		return string(key)
	}
	if a.gauge {
		put(p.lo)
		put(p.hi)
	}
	if a.norm == 0 && a.zero(p) {
		put(1)
	} else {
		put(0)
	}
	// Of the decided ones in order, only those next to an undecided one bound it.
	for i, o := range p.order {
		if o.decided && (i > 0 && !p.order[i-1].decided || i+1 < len(p.order) && !p.order[i+1].decided) {
			put(o.value)
		}
	}
	return string(key)
}

// A filling is a state of an axis whose categories are decided in a fixed
// order: all partial vectors that leave the same future. On a free axis it
// leaves out how many categories that is: its counts are without the factor that
// each of them has, and its choices hold as long as a category is left.
type filling struct {
	choices []choice
	factor  *powers // of a free axis: what each category left multiplies counts by
	// total counts the vectors below; zero tells whether the zero vector is
	// one of them.
	total *big.Int
	zero  bool
	// offLo is the least possible offset; byOffset[i] counts the vectors below
	// with offset offLo+i, and offShare[i] is their share of total.
	offLo    int
	byOffset []*big.Int
	offShare []class.Upper
	// With a limit on the norm, byNorm[s] counts the vectors below in which what
	// is undecided here has the squared norm s, up to the limit; the last is
	// positive, the first such is least.
	byNorm []*big.Int
	least  int
}

// A choice is a value for the next category and the filling it leads to.
type choice struct {
	value int
	next  int32
	share class.Upper // of the filling's total
	// shareAt[i] is the share among the vectors with offset offLo+i, 0 for none.
	shareAt []class.Upper
}

// offHi returns the greatest possible offset.
func (f *filling) offHi() int { return f.offLo + len(f.byOffset) - 1 }

// at counts the vectors below with offset v.
func (f *filling) at(v int) *big.Int {
	if v < f.offLo || v > f.offHi() {
		return nothing
	}
	return f.byOffset[v-f.offLo]
}

var (
	nothing = new(big.Int)
	one     = big.NewInt(1)
)

// fillings returns the states of the axis when its categories are decided in
// the given order; the first is the start.
func (a *axis) fillings(order []int) []filling {
	f := &filler{axis: a, order: order, ids: map[string]int32{}, factor: big.NewInt(1)}
	if a.free() {
		f.factor.SetInt64(int64(a.attr.hi - a.attr.lo + 1))
		f.powers = newPowers(f.factor)
	}
	f.visit(a.start(), 0)
	for i := range f.states {
		f.share(&f.states[i])
	}
	return f.states
}

type filler struct {
	axis   *axis
	order  []int
	ids    map[string]int32
	states []filling
	factor *big.Int // what a category multiplies the counts by that states have
	powers *powers  // of it, on a free axis
}

// visit returns the number of the state that p is in after the given number of
// decisions.
func (f *filler) visit(p partial, decided int) int32 {
	key := ""
	if !f.axis.free() {
		key = string(binary.AppendUvarint(nil, uint64(decided)))
	}
	if f.axis.norm == 0 || decided < len(f.order) {
		key += f.axis.key(p)
	}
	if id, ok := f.ids[key]; ok {
		return id
	}
	id := int32(len(f.states))
	f.ids[key] = id
	lo, hi := f.axis.offsets(p)
	st := filling{zero: f.axis.zero(p), offLo: lo, total: new(big.Int), factor: f.powers}
	for range hi - lo + 1 {
		st.byOffset = append(st.byOffset, new(big.Int))
	}
	f.states = append(f.states, st)
	if c, ok := f.category(decided); ok {
		for _, v := range f.axis.values(p, c) {
			st.choices = append(st.choices, choice{value: v, next: f.visit(f.axis.with(p, c, v), decided+1)})
		}
	}
	f.count(&st, decided)
	f.states[id] = st
	return id
}

// category returns the one that is decided after the given number of others. On
// a free axis any does, even behind the last: states are the same wherever they
// are reached.
func (f *filler) category(decided int) (c int, ok bool) {
	switch {
	case f.axis.free():
		return 0, true
	case decided < len(f.order):
		return f.order[decided], true
	}
	return 0, false
}

// count counts the vectors below a state whose choices are known.
func (f *filler) count(st *filling, decided int) {
	if f.axis.norm > 0 {
		f.countNorms(st)
	}
	for i, n := range st.byOffset {
		if f.axis.free() || decided == len(f.order) {
			n.SetInt64(1)
		} else {
			for _, ch := range st.choices {
				n.Add(n, f.states[ch.next].at(st.offLo+i))
			}
		}
		st.total.Add(st.total, n)
	}
}

// share works out the shares of a state, all counts being known.
func (f *filler) share(st *filling) {
	for _, n := range st.byOffset {
		st.offShare = append(st.offShare, class.Ratio(n, st.total))
	}
	var whole big.Int
	for i := range st.choices {
		ch := &st.choices[i]
		next := &f.states[ch.next]
		ch.share = class.Ratio(next.total, whole.Mul(st.total, f.factor))
		for o, n := range st.byOffset {
			ch.shareAt = append(ch.shareAt, class.Ratio(next.at(st.offLo+o), whole.Mul(n, f.factor)))
		}
	}
}

// countNorms fills in the counts by squared norm of a state whose choices are
// known.
func (f *filler) countNorms(st *filling) {
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
	st.least = f.axis.norm + 1 // of none
	if least := slices.IndexFunc(byNorm, positive); least >= 0 {
		st.least = least
	}
}
