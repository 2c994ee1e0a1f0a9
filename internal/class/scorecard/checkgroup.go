package scorecard

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// A grouping describes the groups of records at each level of a checker. A group consists of the
// records that agree on every undecided category, so that all of them receive the same further
// points. The groups depend on the plan only and are computed once.
//
// Groups are numbered over all levels. A group that a decision changes gets a new number, so that
// the curves of a level remain valid at all levels below it.
type grouping struct {
	attrs  []attributeState // the initial states
	groups []curveGroup
	curves []int64
	live   map[string]int // group number by pattern: two bytes for each attribute, the category or blank
	merges [][]groupMerge // the merges of each step, those of the heaviest groups first
	closed int            // after the steps: the group with everything decided, or noGroup
	open   []int          // after the steps: the group of each category of the last attribute, or noGroup
}

// A curveGroup is a group with its curve, which is its cost as a function of the further points of
// its records, for the values decided at the current node.
type curveGroup struct {
	weight   int64 // the sum of the absolute d of its records
	at       int   // the index in curves of 0 further points, which may lie outside the curve
	lo, hi   int   // the range of the further points of its records
	from, to int   // the further points that some card at the node gives
	least    int64 // the least cost over from..to
}

// noGroup is the number of an empty group.
const noGroup = -1

// A groupMerge describes two groups that become one when a category is decided: the records with
// the category (have), and those without it (others, or noGroup). out is the resulting group.
type groupMerge struct{ have, others, out int }

// newGrouping returns the groups of the root, given the d of each pattern.
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

// add creates a group and makes it the current one of the pattern.
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

// contains reports whether some group has the undecided category cat of attribute j.
func (g *grouping) contains(j, cat int) bool {
	for pattern := range g.live {
		if undecidedIn(pattern, j) == cat {
			return true
		}
	}
	return false
}

// sumOfLeast returns the sum of the least costs of the groups.
func (g *grouping) sumOfLeast() (sum int64) {
	for _, id := range g.live {
		sum += g.groups[id].least
	}
	return sum
}

// decide computes the merges of the step that decides category c of attribute j.
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

// end determines the groups that remain after the steps.
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

// computeCurve computes the curve of a merged group for the decided difference v. It returns the
// increase of the sum of the least costs. With t further points after the decision, the records
// with the category had t+v before it.
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

// at returns the cost of a group if its records receive t further points, or 0 for noGroup.
func (g *grouping) at(id, t int) int64 {
	if id == noGroup {
		return 0
	}
	return g.curves[g.groups[id].at+t]
}
