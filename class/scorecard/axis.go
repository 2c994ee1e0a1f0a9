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
}

// A partial is the decided part of one axis: a set of vectors.
type partial struct {
	set  []bool
	val  []int
	rest []int // of a list: the vectors that agree
}

// start returns the partial with nothing decided but the reference.
func (a *axis) start() partial {
	p := partial{set: make([]bool, a.attr.categories), val: make([]int, a.attr.categories)}
	if a.gauge {
		p.set[a.ref] = true
	}
	for i := range a.attr.vectors {
		p.rest = append(p.rest, i)
	}
	return p
}

// with returns p with category c decided at value v.
func (a *axis) with(p partial, c, v int) partial {
	q := partial{set: slices.Clone(p.set), val: slices.Clone(p.val)}
	q.set[c], q.val[c] = true, v
	for _, i := range p.rest {
		if a.attr.vectors[i][c] == v {
			q.rest = append(q.rest, i)
		}
	}
	return q
}

// extremes returns the least and greatest of the decided values and 0.
func (p partial) extremes() (lo, hi int) {
	for c, set := range p.set {
		if set {
			lo, hi = min(lo, p.val[c]), max(hi, p.val[c])
		}
	}
	return lo, hi
}

// values returns the values that category c may still have, ascending: those
// below which at least one vector remains.
func (a *axis) values(p partial, c int) []int {
	var out []int
	if !a.attr.oneHot() {
		for _, i := range p.rest {
			out = append(out, a.attr.vectors[i][c])
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	from, to := a.attr.lo, a.attr.hi
	if a.gauge {
		lo, hi := p.extremes()
		from, to = hi-(a.attr.hi-a.attr.lo), lo+(a.attr.hi-a.attr.lo)
	}
	if at := slices.Index(a.attr.ordered, c); at >= 0 {
		for _, o := range a.attr.ordered[:at] {
			if p.set[o] {
				from = max(from, p.val[o])
			}
		}
		for _, o := range a.attr.ordered[at+1:] {
			if p.set[o] {
				to = min(to, p.val[o])
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
	dlo, dhi := p.extremes()
	return a.attr.lo - dlo, a.attr.hi - dhi
}

// zero tells whether the zero vector agrees with p.
func (a *axis) zero(p partial) bool {
	for c, set := range p.set {
		if set && p.val[c] != 0 {
			return false
		}
	}
	return a.attr.contains(make([]int, a.attr.categories))
}

// key names all that the further course of the axis depends on.
func (a *axis) key(p partial) string {
	var key []byte
	put := func(v int) { key = binary.AppendVarint(key, int64(v)) }
	if !a.attr.oneHot() {
		put(p.rest[0]) // after given decisions, the rests are disjoint
		return string(key)
	}
	if a.gauge {
		lo, hi := p.extremes()
		put(lo)
		put(hi)
	}
	if a.norm == 0 && a.zero(p) {
		put(1)
	} else {
		put(0)
	}
	// Of the decided ones in order, only those next to an undecided one bound it.
	ordered := a.attr.ordered
	for i, o := range ordered {
		if p.set[o] && (i > 0 && !p.set[ordered[i-1]] || i+1 < len(ordered) && !p.set[ordered[i+1]]) {
			put(p.val[o])
		}
	}
	return string(key)
}

// A filling is a state of an axis whose categories are decided in a fixed
// order: all partial vectors that leave the same future.
type filling struct {
	choices []choice
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

// used counts the vectors below other than the zero vector.
func (f *filling) used() *big.Int {
	if f.zero {
		return new(big.Int).Sub(f.total, one)
	}
	return f.total
}

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
	f := &filler{axis: a, order: order, ids: map[string]int32{}}
	f.visit(a.start(), 0)
	return f.states
}

type filler struct {
	axis   *axis
	order  []int
	ids    map[string]int32
	states []filling
}

// visit returns the number of the state that p is in after the given number of
// decisions.
func (f *filler) visit(p partial, decided int) int32 {
	key := string(binary.AppendUvarint(nil, uint64(decided)))
	if f.axis.norm == 0 || decided < len(f.order) {
		key += f.axis.key(p)
	}
	if id, ok := f.ids[key]; ok {
		return id
	}
	id := int32(len(f.states))
	f.ids[key] = id
	f.states = append(f.states, filling{})
	lo, hi := f.axis.offsets(p)
	st := filling{zero: f.axis.zero(p), offLo: lo, total: new(big.Int)}
	for range hi - lo + 1 {
		st.byOffset = append(st.byOffset, new(big.Int))
	}
	if decided == len(f.order) {
		for _, n := range st.byOffset {
			n.SetInt64(1)
		}
	} else {
		c := f.order[decided]
		for _, v := range f.axis.values(p, c) {
			next := f.visit(f.axis.with(p, c, v), decided+1)
			st.choices = append(st.choices, choice{value: v, next: next})
			for i, n := range st.byOffset {
				n.Add(n, f.states[next].at(lo+i))
			}
		}
	}
	if f.axis.norm > 0 {
		f.countNorms(&st)
	}
	for _, n := range st.byOffset {
		st.total.Add(st.total, n)
	}
	for _, n := range st.byOffset {
		st.offShare = append(st.offShare, class.Ratio(n, st.total))
	}
	for i := range st.choices {
		ch := &st.choices[i]
		next := &f.states[ch.next]
		ch.share = class.Ratio(next.total, st.total)
		for o, n := range st.byOffset {
			ch.shareAt = append(ch.shareAt, class.Ratio(next.at(lo+o), n))
		}
	}
	f.states[id] = st
	return id
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
