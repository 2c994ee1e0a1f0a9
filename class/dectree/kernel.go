package dectree

// A value of a set of records A and a depth d: least is M, the least cost of a tree
// of depth at most d on A beyond that of predicting 0, and mass is f, where f·e^{-λM}
// bounds from above the sum of prior·e^{-λ·cost} over all of them.
type value struct {
	least int64
	mass  float64
}

// An option is a test with the values of those records that it is true of, and of
// the others.
type option struct{ yes, no value }

// A valuer computes values.
type valuer struct {
	*decays
	plan *plan
	half float64 // of all splits: the prior of one test where there is a choice
	each float64 // the prior of an outcome

	rest, differences []int64
	leaves, below     []option
}

func newValuer(d *decays, p *plan) *valuer {
	n := len(p.tests)
	return &valuer{
		decays: d, plan: p, half: 0.5 / float64(n), each: 1 / float64(p.more+1),
		rest: make([]int64, p.width()), differences: make([]int64, p.more),
		leaves: make([]option, n), below: make([]option, n),
	}
}

// leaf returns the value for depth 0 of records with these differences.
func (v *valuer) leaf(differences []int64) value {
	least := int64(0)
	for _, c := range differences {
		least = min(least, c)
	}
	mass := v.at(-least)
	for _, c := range differences {
		mass += v.at(c - least)
	}
	return value{least, mass * v.each}
}

// combine returns the value for depth d ≥ 1 of records from theirs as a leaf, and from
// all options, whose values are for depth d-1.
func (v *valuer) combine(leaf value, options []option, d int) value {
	least := leaf.least
	for _, o := range options {
		least = min(least, o.yes.least+o.no.least)
	}
	sum := 0.0
	for _, o := range options {
		sum += o.yes.mass * o.no.mass * v.at(o.yes.least+o.no.least-least)
	}
	mass := leaf.mass*v.at(leaf.least-least)/2 + sum*v.half
	return value{least, mass * v.slack(d)}
}

// of returns, of a row of a matrix, the differences in column u.
func (v *valuer) of(row []int64, u int) []int64 {
	for o := range v.differences {
		v.differences[o] = row[o*v.plan.side+u]
	}
	return v.differences
}

// stumps writes the options of a set of records for depth 1 from its row, whose values
// are for depth 0.
func (v *valuer) stumps(options []option, row []int64) {
	for t := range options {
		options[t].yes = v.leaf(v.of(row, 1+t))
		for o, c := range v.differences {
			v.differences[o] = row[o*v.plan.side] - c
		}
		options[t].no = v.leaf(v.differences)
	}
}

// one returns the value for depth 1 of a set of records from its row.
func (v *valuer) one(row []int64) value {
	if v.plan.more > 1 {
		v.stumps(v.leaves, row)
		return v.combine(v.leaf(v.of(row, 0)), v.leaves, 1)
	}
	// With x the difference of the records that a test is true of, and c of all, its four
	// trees cost 0, c, x and c - x.
	c, parts := row[0], row[1:]
	low, high := parts[0], parts[0]
	for _, x := range parts {
		low, high = min(low, x), max(high, x)
	}
	least := min(0, c, low, c-high)
	up, down := 0.0, 0.0
	for _, x := range parts {
		up += v.at(x - low)
		down += v.at(high - x)
	}
	alike := v.at(-least) + v.at(c-least)
	mass := 0.375*alike + (up*v.at(low-least)+down*v.at(c-high-least))*(v.half/4)
	return value{least, mass * v.slack(1)}
}

// pairs writes the options of a set of records for depth 2 from its matrix, whose values
// are for depth 1. The work does not depend on what is in the matrix.
func (v *valuer) pairs(options []option, m matrix) {
	for t := range options {
		yes := m.row(1 + t)
		subtract(v.rest, m.row(0), yes)
		options[t] = option{v.one(yes), v.one(v.rest)}
	}
}

// two returns the value of a set of records for depth 2 from its matrix.
func (v *valuer) two(m matrix) value {
	v.pairs(v.below, m)
	return v.combine(v.leaf(v.of(m.row(0), 0)), v.below, 2)
}
