package scorecard

import "encoding/binary"

// A group consists of the records that have the same undecided categories. In every card, all
// records of a group get the same further points from these categories.
type group struct {
	pattern string // two bytes for each attribute: the undecided category, or blank
	steps   []sumStep
	line    line
}

// A line is the cost that the Lagrange multipliers of a group's records add to the cost of the
// group: base + slope·t if the undecided categories give t points to each record.
type line struct{ base, slope int64 }

// blank marks, in a pattern of undecided categories, an attribute whose category is decided.
const blank = 1<<16 - 1

// A sumStep describes the records of a group whose decided points have the same sum: d is the cost
// of predicting 1 for these records minus the cost of predicting 0. The steps of a group have
// distinct sums, in descending order.
type sumStep struct {
	sum int
	d   int64
}

// undecided returns the undecided category of attribute j that all records of group g have, or the
// constant blank if this category is decided.
func (g group) undecided(j int) int { return undecidedIn(g.pattern, j) }

// erased returns the pattern of undecided categories that the records of group g have after their
// category of attribute j is decided.
func (g group) erased(j int) string {
	p := []byte(g.pattern)
	binary.BigEndian.PutUint16(p[2*j:], blank)
	return string(p)
}

// A groupPair consists of two groups of records that become one group, with the given pattern of
// undecided categories, when the points of one category are decided. The group have contains the
// records with this category, and the group others the records without it. One of the groups may be
// empty.
type groupPair struct {
	pattern      string
	have, others group
}

// pairs returns the pairs of groups of records that become one group when the points of category c
// of attribute j are decided. A group that does not change forms a pair with an empty group.
func pairs(groups []group, j, c int) []groupPair {
	out := make([]groupPair, 0, len(groups))
	at := map[string]int{}
	for _, g := range groups {
		if g.undecided(j) == c {
			pattern := g.erased(j)
			at[pattern] = len(out)
			out = append(out, groupPair{pattern: pattern, have: g})
		}
	}
	for _, g := range groups {
		if g.undecided(j) == c {
			continue
		}
		if i, ok := at[g.pattern]; ok {
			out[i].others = g
		} else {
			out = append(out, groupPair{pattern: g.pattern, others: g})
		}
	}
	return out
}

// decide merges each pair of groups of records into one group, if the category of the pairs is
// decided with v points.
func decide(pairs []groupPair, v int) []group {
	out := make([]group, len(pairs))
	for i, p := range pairs {
		out[i] = group{p.pattern, p.others.steps, p.others.line}
		if len(p.have.steps) > 0 {
			out[i].steps = mergeSteps(p.have.steps, v, p.others.steps)
		}
		out[i].line.base += p.have.line.base + p.have.line.slope*int64(v)
		out[i].line.slope += p.have.line.slope
	}
	return out
}

// mergeSteps adds v to the sums of the steps a, and merges them with the steps b, in descending
// order of their sums.
func mergeSteps(a []sumStep, v int, b []sumStep) []sumStep {
	out := make([]sumStep, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].sum+v > b[0].sum:
			out, a = append(out, sumStep{a[0].sum + v, a[0].d}), a[1:]
		case len(a) == 0 || a[0].sum+v < b[0].sum:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, sumStep{b[0].sum, a[0].d + b[0].d})
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// costs appends to out the cost of the records of g for each number t from lo to hi of points that
// the undecided categories give to each record. The cost of predicting 0 for all records is
// subtracted.
func (g group) costs(out []int64, lo, hi, threshold int) []int64 {
	cost, i := int64(0), 0
	for t := lo; t <= hi; t++ {
		for i < len(g.steps) && g.steps[i].sum+t >= threshold {
			cost += g.steps[i].d
			i++
		}
		out = append(out, cost+g.line.base+g.line.slope*int64(t))
	}
	return out
}
