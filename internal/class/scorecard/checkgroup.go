package scorecard

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// A grouping is how the records fall into groups at each level of a checker: those
// that agree on every undecided category, all of which get the same further points,
// whatever these will be. That follows from the plan alone, so it is laid out once.
//
// Groups are numbered over all levels. A group that a decision changes has another
// number from there on, so that the curves of a level are those of all below it.
type grouping struct {
	attrs  []known // with nothing decided
	groups []curveGroup
	curves []int64
	live   map[string]int // by pattern: two bytes for each attribute, the category or blank
	joins  [][]joining    // of each step, those of most records first
	closed int            // after the steps: the group with everything decided
	open   []int          // after the steps: that of each category of the last attribute
}

// A curveGroup is a group, and what the values decided at the node at hand make of it.
type curveGroup struct {
	weight   int64 // the absolute costs of its records
	at       int   // the place in the curves that total 0 has, or would have
	lo, hi   int   // what its records' further points come to
	from, to int   // the totals of these that a card at the node can give
	least    int64 // on the curve, over these
}

// noGroup is the number of no group.
const noGroup = -1

// A joining says which groups become one as a category is decided: that of the
// records that have the category, and that of those which do not, or none.
type joining struct{ have, others, out int }

// newGrouping returns the groups at the root.
func newGrouping(attrs []known, d map[string]int64, threshold int) *grouping {
	g := &grouping{attrs: slices.Clone(attrs), live: map[string]int{}}
	for _, x := range slices.Sorted(maps.Keys(d)) {
		pattern := []byte(x)
		for j, a := range attrs {
			if cat := undecidedIn(x, j); cat != blank && a.set[cat] {
				binary.BigEndian.PutUint16(pattern[2*j:], blank)
			}
		}
		id, ok := g.live[string(pattern)]
		if !ok {
			id = g.add(string(pattern), 0)
		}
		group := &g.groups[id]
		group.weight += max(d[x], -d[x])
		for t := max(group.lo, threshold); t <= group.hi; t++ {
			g.curves[group.at+t] += d[x]
		}
		group.least = slices.Min(g.curves[group.at+group.lo : group.at+group.hi+1])
	}
	return g
}

// add makes a group for a pattern, which has no other from now on.
func (g *grouping) add(pattern string, weight int64) (id int) {
	group := curveGroup{weight: weight}
	for j, a := range g.attrs {
		switch cat := undecidedIn(pattern, j); {
		case cat != blank:
			lo, hi := a.attr.bounds(cat)
			group.lo, group.hi = group.lo+lo, group.hi+hi
		case a.gauge:
			group.lo, group.hi = group.lo+a.attr.lo, group.hi+a.attr.hi
		}
	}
	group.from, group.to = group.lo, group.hi
	group.at = len(g.curves) - group.lo
	g.curves = append(g.curves, make([]int64, group.hi-group.lo+1)...)
	g.groups = append(g.groups, group)
	g.live[pattern] = len(g.groups) - 1
	return len(g.groups) - 1
}

// undecidedIn returns the category of attribute j in a pattern, or blank.
func undecidedIn(pattern string, j int) int { return int(pattern[2*j])<<8 | int(pattern[2*j+1]) }

// have tells whether a group has an undecided category.
func (g *grouping) have(j, cat int) bool {
	for pattern := range g.live {
		if undecidedIn(pattern, j) == cat {
			return true
		}
	}
	return false
}

// apart returns the least costs of the groups, added up, each by itself.
func (g *grouping) apart() (sum int64) {
	for _, id := range g.live {
		sum += g.groups[id].least
	}
	return sum
}

// decide lays out the step that decides category c of attribute j.
func (g *grouping) decide(j, c int) {
	var joins []joining
	for _, pattern := range slices.Sorted(maps.Keys(g.live)) {
		if undecidedIn(pattern, j) != c {
			continue
		}
		erased := []byte(pattern)
		binary.BigEndian.PutUint16(erased[2*j:], blank)
		joined := joining{have: g.live[pattern], others: noGroup}
		weight := g.groups[joined.have].weight
		if others, ok := g.live[string(erased)]; ok {
			joined.others = others
			weight += g.groups[others].weight
		}
		delete(g.live, pattern)
		joined.out = g.add(string(erased), weight)
		joins = append(joins, joined)
	}
	smaller := func(j joining) int64 {
		if j.others == noGroup {
			return 0
		}
		return min(g.groups[j.have].weight, g.groups[j.others].weight)
	}
	slices.SortStableFunc(joins, func(a, b joining) int { return cmp.Compare(smaller(b), smaller(a)) })
	g.joins = append(g.joins, joins)
}

// end finds the groups that the steps leave, all others being decided.
func (g *grouping) end(last int) {
	g.closed, g.open = noGroup, nil
	for range g.attrs[last].set {
		g.open = append(g.open, noGroup)
	}
	for pattern, id := range g.live {
		if cat := undecidedIn(pattern, last); cat == blank {
			g.closed = id
		} else {
			g.open[cat] = id
		}
	}
}

// join makes the curve of a group when the difference decided is v, and returns by
// how much that raises the least costs of the groups. At t further points the records
// that have the category are where they were at t+v.
func (g *grouping) join(j joining, v int) int64 {
	have, out := &g.groups[j.have], &g.groups[j.out]
	out.from, out.to = max(out.lo, have.from-v), min(out.hi, have.to-v)
	before := have.least
	if j.others != noGroup {
		others := &g.groups[j.others]
		out.from, out.to = max(out.from, others.from), min(out.to, others.to)
		before += others.least
	}
	n := out.to - out.from + 1
	curve := g.curves[out.at+out.from:][:n]
	shifted := g.curves[have.at+out.from+v:][:n]
	least := int64(math.MaxInt64)
	if j.others == noGroup {
		for i, cost := range shifted {
			curve[i] = cost
			least = min(least, cost)
		}
	} else {
		others := g.curves[g.groups[j.others].at+out.from:][:n]
		for i, cost := range shifted {
			cost += others[i]
			curve[i] = cost
			least = min(least, cost)
		}
	}
	out.least = least
	return least - before
}

// at returns the cost of a group, or of none, when its records get t further points.
func (g *grouping) at(id, t int) int64 {
	if id == noGroup {
		return 0
	}
	return g.curves[g.groups[id].at+t]
}
