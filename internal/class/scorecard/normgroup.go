package scorecard

import "encoding/binary"

// A group holds the records that agree on every undecided category. All of them receive the same
// further points.
type group struct {
	pattern string // two bytes for each attribute: the category, or blank
	steps   []sumStep
	line    line
}

// A line is the cost of the multipliers of a group's records: base + slope·t for t further points.
type line struct{ base, slope int64 }

// blank replaces the category of a decided attribute in a pattern.
const blank = 1<<16 - 1

// A sumStep represents the records of a group whose decided points have the same sum, with the cost
// d of predicting 1 minus that of predicting 0. The steps of a group are in descending order of
// their sums, which are distinct.
type sumStep struct {
	sum int
	d   int64
}

// undecided returns the category of attribute j in the pattern, or blank.
func (g group) undecided(j int) int { return undecidedIn(g.pattern, j) }

// erased returns the pattern with attribute j decided.
func (g group) erased(j int) string {
	p := []byte(g.pattern)
	binary.BigEndian.PutUint16(p[2*j:], blank)
	return string(p)
}

// A groupPair consists of two groups with the same pattern after a category is decided: the records
// with the category (have), and those without it (others). One of them may be empty.
type groupPair struct {
	pattern      string
	have, others group
}

// pairs returns the pairs of groups for deciding category c of attribute j.
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

// decide returns the groups after the category is decided with difference v.
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

// mergeSteps merges the steps a, shifted by v, and the steps b.
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

// costs appends to out the cost of the group minus that of predicting 0, for lo, lo+1, …, hi
// further points.
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
