package dectree

import "math"

// A value of a set of records A and a depth d: least is M, the least cost of a tree
// of depth at most d on A, and mass is f, where f·e^{-λM} bounds from above the sum
// of prior·e^{-λ·cost} over all of them.
type value struct {
	least int64
	mass  float64
}

// An option is a test with the values of those records that it is true of, and of
// the others.
type option struct{ yes, no value }

// decays holds e(k) ≥ e^{-λk}, and the value of a leaf.
//
// The tables have an entry for each 2^shift differences of cost, and the last one
// serves all that are larger.
type decays struct {
	shift uint
	last  int64
	e     [1 << 16]float64
	leaf  [1 << 16]float64 // ½ + ½e(k)
}

// at returns the entry for k ≥ 0. Like split it has no branch, which would take longer
// where it depends on records.
func (d *decays) at(k int64) uint16 {
	k >>= d.shift & 63
	beyond := d.last - k
	return uint16(k + beyond&(beyond>>63))
}

// of returns the value of a set of records that costs so, for depth 0.
func (d *decays) of(c cost) value {
	least, by := split(c.zero, c.one)
	return value{least, d.leaf[d.at(by)]}
}

// split returns the lesser of two numbers, and by how much the other is greater.
func split(a, b int64) (least, by int64) {
	more := a - b
	sign := more >> 63
	return b + more&sign, (more ^ sign) - sign
}

// slack is by how much a mass for depth d ≥ 1 is raised, relative to what was
// computed: more than all rounding below it (docs/proofs/dectree.md).
func slack(d int) float64 { return 1 + math.Ldexp(1, 3*d-40) }

// A valuer computes values.
type valuer struct {
	*decays
	tests int
	half  float64 // of all splits: the prior of one test where there is a choice

	sides []sides // for the lowest levels, one for each test
}

// sides are the least costs, and the sums of masses, of those records that a test is
// true of, and of the others.
type sides struct {
	leastYes, leastNo int64
	massYes, massNo   float64
}

func newValuer(d *decays, tests int) *valuer {
	return &valuer{decays: d, tests: tests, half: 0.5 / float64(tests), sides: make([]sides, tests)}
}

// combine returns the value for depth d ≥ 1 of records that cost so in all, from all
// options, whose values are for depth d-1.
func (v *valuer) combine(all cost, options []option, d int) value {
	leaf := v.of(all)
	least := leaf.least
	for _, o := range options {
		least = min(least, o.yes.least+o.no.least)
	}
	sum := 0.0
	for _, o := range options {
		sum += o.yes.mass * o.no.mass * v.e[v.at(o.yes.least+o.no.least-least)]
	}
	mass := leaf.mass*v.e[v.at(leaf.least-least)]/2 + sum*v.half
	return value{least, mass * slack(d)}
}

// pairs writes the options of a set of records for depth 2, whose values are for
// depth 1, from a table by tests. The work does not depend on what is in the table.
func (v *valuer) pairs(options []option, table []cost) {
	all, single := table[0], table[1:1+v.tests]
	for t, s := range single {
		v.sides[t] = sides{leastYes: min(s.zero, s.one), leastNo: min(all.zero-s.zero, all.one-s.one)}
	}
	rest := table[1+v.tests:]
	for t, s := range single {
		later := single[t+1:]
		v.leasts(t, s, all.minus(s), rest[:len(later)], later)
		rest = rest[len(later):]
	}
	rest = table[1+v.tests:]
	for t, s := range single {
		later := single[t+1:]
		v.masses(t, s, all.minus(s), rest[:len(later)], later)
		rest = rest[len(later):]
	}
	for t, s := range single {
		own := v.sides[t]
		options[t] = option{v.level(s, own.leastYes, own.massYes), v.level(all.minus(s), own.leastNo, own.massNo)}
	}
}

// level returns the value for depth 1 of records that cost so, from the least cost
// and from the sum over all tests but one that tells nothing of them.
func (v *valuer) level(c cost, least int64, sum float64) value {
	leaf := v.of(c)
	own := leaf.mass * v.e[v.at(leaf.least-least)]
	return value{least, (own/2 + (sum+own)*v.half) * slack(1)}
}

// leasts takes the pairs of test t, and of all later ones, into the least costs. s is
// the cost of the records that t is true of, and r that of the others.
func (v *valuer) leasts(t int, s, r cost, row, later []cost) {
	own := v.sides[t]
	others := v.sides[t+1:][:len(row)]
	later = later[:len(row)]
	for i, p := range row {
		u, o := later[i], &others[i]
		both := min(p.zero, p.one)
		first := min(s.zero-p.zero, s.one-p.one)
		u.zero -= p.zero
		u.one -= p.one
		second := min(u.zero, u.one)
		none := min(r.zero-u.zero, r.one-u.one)
		own.leastYes = min(own.leastYes, both+first)
		own.leastNo = min(own.leastNo, second+none)
		o.leastYes = min(o.leastYes, both+second)
		o.leastNo = min(o.leastNo, first+none)
	}
	v.sides[t] = own
}

// masses takes the same pairs into the sums, once the least costs are known.
func (v *valuer) masses(t int, s, r cost, row, later []cost) {
	d := v.decays
	own := v.sides[t]
	others := v.sides[t+1:][:len(row)]
	later = later[:len(row)]
	for i, p := range row {
		u, o := later[i], &others[i]
		both, byBoth := split(p.zero, p.one)
		first, byFirst := split(s.zero-p.zero, s.one-p.one)
		u.zero -= p.zero
		u.one -= p.one
		second, bySecond := split(u.zero, u.one)
		none, byNone := split(r.zero-u.zero, r.one-u.one)
		fBoth, fFirst := d.leaf[d.at(byBoth)], d.leaf[d.at(byFirst)]
		fSecond, fNone := d.leaf[d.at(bySecond)], d.leaf[d.at(byNone)]
		own.massYes += fBoth * fFirst * d.e[d.at(both+first-own.leastYes)]
		own.massNo += fSecond * fNone * d.e[d.at(second+none-own.leastNo)]
		o.massYes += fBoth * fSecond * d.e[d.at(both+second-o.leastYes)]
		o.massNo += fFirst * fNone * d.e[d.at(first+none-o.leastNo)]
	}
	v.sides[t] = own
}
