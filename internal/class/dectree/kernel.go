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
type valuer[T cell] struct {
	*decays
	plan   *plan
	kernel kernel[T]
	half   float64 // of all splits: the prior of one test where there is a choice
	each   float64 // the prior of an outcome

	rest, differences []T
	leaves, below     []option
}

func newValuer[T cell](m *mass[T]) *valuer[T] {
	n := len(m.plan.tests)
	return &valuer[T]{
		decays: m.decays, plan: m.plan, kernel: m.kernel, half: 0.5 / float64(n), each: 1 / float64(m.plan.more+1),
		rest: make([]T, m.plan.width()), differences: make([]T, m.plan.more),
		leaves: make([]option, n), below: make([]option, n),
	}
}

// leaf returns the value for depth 0 of records with these differences.
func (v *valuer[T]) leaf(differences []T) value {
	least := int64(0)
	for _, c := range differences {
		least = min(least, int64(c))
	}
	mass := v.at(-least)
	for _, c := range differences {
		mass += v.at(int64(c) - least)
	}
	return value{least, mass * v.each}
}

// combine returns the value for depth d ≥ 1 of records from theirs as a leaf, and from
// all options, whose values are for depth d-1.
func (v *valuer[T]) combine(leaf value, options []option, d int) value {
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
func (v *valuer[T]) of(row []T, u int) []T {
	for o := range v.differences {
		v.differences[o] = row[o*v.plan.side+u]
	}
	return v.differences
}

// stumps writes the options of a set of records for depth 1 from its row, whose values
// are for depth 0.
func (v *valuer[T]) stumps(options []option, row []T) {
	for t := range options {
		options[t].yes = v.leaf(v.of(row, 1+t))
		for o, c := range v.differences {
			v.differences[o] = row[o*v.plan.side] - c
		}
		options[t].no = v.leaf(v.differences)
	}
}

// one returns the value for depth 1 of a set of records from its row.
func (v *valuer[T]) one(row []T) value {
	if v.plan.more > 1 {
		v.stumps(v.leaves, row)
		return v.combine(v.leaf(v.of(row, 0)), v.leaves, 1)
	}
	// With x the difference of the records that a test is true of, and c of all, its four
	// trees cost 0, c, x and c - x.
	c, s := int64(row[0]), v.kernel.spans(row[1:], v.decays)
	low, high := int64(s.low), int64(s.high)
	least := min(0, c, low, c-high)
	alike := v.at(-least) + v.at(c-least)
	mass := 0.375*alike + (s.up*v.at(low-least)+s.down*v.at(c-high-least))*(v.half/4)
	return value{least, mass * v.slack(1)}
}

// pairs writes the options of a set of records for depth 2 from its matrix, whose values
// are for depth 1. The work does not depend on what is in the matrix.
func (v *valuer[T]) pairs(options []option, m matrix[T]) {
	for t := range options {
		yes := m.row(1 + t)
		v.kernel.subtract(v.rest, m.row(0), yes)
		options[t] = option{v.one(yes), v.one(v.rest)}
	}
}

// two returns the value of a set of records for depth 2 from its matrix.
func (v *valuer[T]) two(m matrix[T]) value {
	v.pairs(v.below, m)
	return v.combine(v.leaf(v.of(m.row(0), 0)), v.below, 2)
}
