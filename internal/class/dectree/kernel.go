package dectree

import "github.com/sibyl-dp/sibyl/internal/class/decay"

// A value describes all trees of depth at most d on a set of records by two numbers. The field
// least is the least cost M of a tree, minus the cost of predicting 0 for all these records. The
// field mass is a number f such that f·e^{-λM} is an upper bound on the sum of prior·e^{-λ·cost}
// over the trees.
type value struct {
	least int64
	mass  float64
}

// An option describes one possible test at the root of a tree on a set of records. It has the value
// of the records for which the test is true (yes), and the value of all other records (no). Lists
// of options are indexed by test.
type option struct{ yes, no value }

// An evaluator computes the values of sets of records (see value). Each thread has its own evaluator.
type evaluator[T cell] struct {
	*decay.Table
	plan         *plan
	kernel       kernel[T]
	testPrior    float64 // the prior of one test at a node where the depth allows a test
	outcomePrior float64 // the prior of an outcome at a leaf

	rest, differences []T
	leaves, below     []option
}

func newEvaluator[T cell](m *mass[T]) *evaluator[T] {
	n := len(m.plan.tests)
	return &evaluator[T]{
		Table: m.decays, plan: m.plan, kernel: m.kernel, testPrior: 0.5 / float64(n), outcomePrior: 1 / float64(m.plan.otherOutcomes+1),
		rest: make([]T, m.plan.width()), differences: make([]T, m.plan.otherOutcomes),
		leaves: make([]option, n), below: make([]option, n),
	}
}

// leaf returns the value of a set of records with the given cost differences for depth 0, where the
// tree is a single leaf.
func (v *evaluator[T]) leaf(differences []T) value {
	least := int64(0)
	for _, c := range differences {
		least = min(least, int64(c))
	}
	mass := v.At(-least)
	for _, c := range differences {
		mass += v.At(int64(c) - least)
	}
	return value{least, mass * v.outcomePrior}
}

// combine returns the value of a set of records for trees of depth at most d ≥ 1. The parameter
// leaf is the value for depth 0, where the tree is a single leaf. The parameter options has an
// option for each test at the root, with values for depth d-1.
func (v *evaluator[T]) combine(leaf value, options []option, d int) value {
	least := leaf.least
	for _, o := range options {
		least = min(least, o.yes.least+o.no.least)
	}
	sum := 0.0
	for _, o := range options {
		sum += o.yes.mass * o.no.mass * v.At(o.yes.least+o.no.least-least)
	}
	mass := leaf.mass*v.At(leaf.least-least)/2 + sum*v.testPrior
	return value{least, mass * v.Slack(d)}
}

// column returns the cost differences in column u of the given row of a matrix, one for each
// outcome but 0. The next call overwrites the result.
func (v *evaluator[T]) column(row []T, u int) []T {
	for o := range v.differences {
		v.differences[o] = row[o*v.plan.matrixSide+u]
	}
	return v.differences
}

// stumps computes the options for trees of depth 1 on a set of records. The parameter row is the
// matrix row for this set: for each test, it has the cost differences of the records of the set for
// which the test is true.
func (v *evaluator[T]) stumps(options []option, row []T) {
	for t := range options {
		options[t].yes = v.leaf(v.column(row, 1+t))
		for o, c := range v.differences {
			v.differences[o] = row[o*v.plan.matrixSide] - c
		}
		options[t].no = v.leaf(v.differences)
	}
}

// depthOne returns the value of a set of records for trees of depth at most 1. The parameter row is
// the matrix row for this set, as for stumps.
func (v *evaluator[T]) depthOne(row []T) value {
	if v.plan.otherOutcomes > 1 {
		v.stumps(v.leaves, row)
		return v.combine(v.leaf(v.column(row, 0)), v.leaves, 1)
	}
	// For two outcomes, let x be the difference of the records for which a test is true, and c the
	// difference of all records. Relative to predicting 0, the four trees of depth 1 with this test
	// cost 0, c, x and c - x.
	c, s := int64(row[0]), v.kernel.spans(row[1:], v.Table)
	low, high := int64(s.low), int64(s.high)
	least := min(0, c, low, c-high)
	alike := v.At(-least) + v.At(c-least)
	mass := 0.375*alike + (s.up*v.At(low-least)+s.down*v.At(c-high-least))*(v.testPrior/4)
	return value{least, mass * v.Slack(1)}
}

// pairs computes the options for trees of depth 2 on a set of records, whose matrix is m. The
// number of operations does not depend on the entries of m.
func (v *evaluator[T]) pairs(options []option, m matrix[T]) {
	for t := range options {
		yes := m.row(1 + t)
		v.kernel.subtract(v.rest, m.row(0), yes)
		options[t] = option{v.depthOne(yes), v.depthOne(v.rest)}
	}
}

// depthTwo returns the value of a set of records, whose matrix is m, for trees of depth at most 2.
func (v *evaluator[T]) depthTwo(m matrix[T]) value {
	v.pairs(v.below, m)
	return v.combine(v.leaf(v.column(m.row(0), 0)), v.below, 2)
}
