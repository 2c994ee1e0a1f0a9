package scorecard

import "encoding/binary"

// A group holds the records that agree on every undecided category: all of
// them get the same further points, whatever these will be.
type group struct {
	pattern string // two bytes for each attribute: the category, or blank
	steps   []stair
	line    line
}

// A line is what the multipliers of a group's records cost: at t further points,
// base + slope·t.
type line struct{ base, slope int64 }

// blank marks, in a group's pattern, that the category has been decided.
const blank = 1<<16 - 1

// A stair is the records of a group whose decided differences come to the same
// sum, and what predicting 1 on them costs more than predicting 0. Stairs are
// in descending order of their sums, which are distinct.
type stair struct {
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

// A pair is the records that have the same pattern once a category is decided:
// those that have the category, which get its difference, and those that have
// not. One of the two may be none.
type pair struct {
	pattern      string
	have, others group
}

// pairs returns what becomes of the groups when category c of attribute j is
// decided, whatever its difference.
func pairs(groups []group, j, c int) []pair {
	out := make([]pair, 0, len(groups))
	at := map[string]int{}
	for _, g := range groups {
		if g.undecided(j) == c {
			pattern := g.erased(j)
			at[pattern] = len(out)
			out = append(out, pair{pattern: pattern, have: g})
		}
	}
	for _, g := range groups {
		if g.undecided(j) == c {
			continue
		}
		if i, ok := at[g.pattern]; ok {
			out[i].others = g
		} else {
			out = append(out, pair{pattern: g.pattern, others: g})
		}
	}
	return out
}

// decide returns the groups when the difference of the category is v.
func decide(pairs []pair, v int) []group {
	out := make([]group, len(pairs))
	for i, p := range pairs {
		out[i] = group{p.pattern, p.others.steps, p.others.line}
		if len(p.have.steps) > 0 {
			out[i].steps = mergeStairs(p.have.steps, v, p.others.steps)
		}
		out[i].line.base += p.have.line.base + p.have.line.slope*int64(v)
		out[i].line.slope += p.have.line.slope
	}
	return out
}

// mergeStairs merges the stairs a, shifted by v, and b.
func mergeStairs(a []stair, v int, b []stair) []stair {
	out := make([]stair, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].sum+v > b[0].sum:
			out, a = append(out, stair{a[0].sum + v, a[0].d}), a[1:]
		case len(a) == 0 || a[0].sum+v < b[0].sum:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, stair{b[0].sum, a[0].d + b[0].d})
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// costs appends to out what the group costs, beyond predicting 0, when its
// records get lo, lo+1, …, hi further points.
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
