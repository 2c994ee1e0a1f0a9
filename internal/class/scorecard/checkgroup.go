package scorecard

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// A grouping describes the groups of records at each level of a checker. A group consists of the
// records that agree on every undecided category. In every card below a node, the undecided
// categories and offsets add the same number of points to each record of a group; these are the
// further points of the group. The groups depend only on the plan and the points of the problem,
// and are computed once.
//
// Each group has a number, which is unique across all levels. When a decision changes a group, the
// result gets a new number, so the curves of a level remain valid at all levels below it.
type grouping struct {
	attrs  []attributeState // the initial states
	groups []curveGroup
	curves []int64
	live   map[string]int // the number of the group of each pattern; a pattern has two bytes for each attribute, the category or blank
	merges [][]groupMerge // [step]: its merges, those of the heaviest groups first
	closed int            // after the steps: the group with every category decided, or noGroup
	open   []int          // after the steps, for each category of the last attribute: its group, or noGroup
}

// A curveGroup is a group of records with its curve: the cost of these records as a function of
// their further points (see grouping). The curve takes account of the values that are decided at
// the current node.
type curveGroup struct {
	weight   int64 // Σ|d| over its records
	at       int   // the index in grouping.curves of the cost for 0 further points; it may lie outside the curve
	lo, hi   int   // the range of further points that the curve covers
	from, to int   // the range of further points that cards below the node give
	least    int64 // the minimum of the curve over from..to
}

// noGroup marks a missing group of records, in place of a group's number.
const noGroup = -1

// A groupMerge describes two groups of records that become one when a category is decided. It holds
// the number of the group of records with this category (have), the number of the group without it
// (others), or noGroup if there is none, and the number of the resulting group (out).
type groupMerge struct{ have, others, out int }

// newGrouping returns the groups of records at the root of the search tree. The parameter d holds,
// for each distinct record (two bytes for each category code), the cost of predicting 1 minus the
// cost of predicting 0.
func newGrouping(attrs []attributeState, d map[string]int64, threshold int) *grouping {
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

// add creates a group of the records with the given pattern of undecided categories, and returns
// the group's number. The weight of a group is the sum of the absolute cost differences of its
// records.
func (g *grouping) add(pattern string, weight int64) (id int) {
	group := curveGroup{weight: weight}
	for j, a := range g.attrs {
		switch cat := undecidedIn(pattern, j); {
		case cat != blank:
			lo, hi := a.attr.bounds(cat)
			group.lo, group.hi = group.lo+lo, group.hi+hi
		case a.refCoded:
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

// undecidedIn returns the undecided category of attribute j in a pattern of two bytes for each
// attribute, or the constant blank if the category is decided.
func undecidedIn(pattern string, j int) int { return int(pattern[2*j])<<8 | int(pattern[2*j+1]) }

// contains reports whether some group of records has category cat of attribute j as an undecided
// category.
func (g *grouping) contains(j, cat int) bool {
	for pattern := range g.live {
		if undecidedIn(pattern, j) == cat {
			return true
		}
	}
	return false
}

// sumOfLeast returns the sum of the least costs of all current groups of records.
func (g *grouping) sumOfLeast() (sum int64) {
	for _, id := range g.live {
		sum += g.groups[id].least
	}
	return sum
}

// decide computes which groups of records merge in the next step, which decides category c of
// attribute j.
func (g *grouping) decide(j, c int) {
	var joins []groupMerge
	for _, pattern := range slices.Sorted(maps.Keys(g.live)) {
		if undecidedIn(pattern, j) != c {
			continue
		}
		erased := []byte(pattern)
		binary.BigEndian.PutUint16(erased[2*j:], blank)
		joined := groupMerge{have: g.live[pattern], others: noGroup}
		weight := g.groups[joined.have].weight
		if others, ok := g.live[string(erased)]; ok {
			joined.others = others
			weight += g.groups[others].weight
		}
		delete(g.live, pattern)
		joined.out = g.add(string(erased), weight)
		joins = append(joins, joined)
	}
	smaller := func(j groupMerge) int64 {
		if j.others == noGroup {
			return 0
		}
		return min(g.groups[j.have].weight, g.groups[j.others].weight)
	}
	slices.SortStableFunc(joins, func(a, b groupMerge) int { return cmp.Compare(smaller(b), smaller(a)) })
	g.merges = append(g.merges, joins)
}

// end stores the groups of records that remain after all steps: in g.closed the one with every
// category decided, and in g.open the ones with an undecided category of the last attribute. The
// parameter is the index of this attribute.
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

// computeCurve computes the curve of the group that results from the merge j of two groups, if the
// decided category gets the difference v. A record with this category that gets t further points in
// the new group got t+v further points in its old group. computeCurve returns by how much the sum
// of the least costs of all groups increases.
func (g *grouping) computeCurve(j groupMerge, v int) int64 {
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

// at returns the cost of the group of records with number id if its records get t further points
// (see grouping), or 0 if id is noGroup.
func (g *grouping) at(id, t int) int64 {
	if id == noGroup {
		return 0
	}
	return g.curves[g.groups[id].at+t]
}
