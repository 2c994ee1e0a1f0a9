package dectree

import (
	"cmp"
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// options returns one option for each test at the root of a tree of depth at most d ≥ 1 on a set of
// records. The values in an option are for the subtrees, so they are for depth d-1. If d ≤ 4, they
// are computed from matrices. Otherwise the records are split by each test.
func (m *mass[T]) options(ctx context.Context, records []int32, d int) ([]option, error) {
	switch d {
	case 1:
		return m.optionsOfDepthOne(records), nil
	case 2:
		return m.optionsOfDepthTwo(records), nil
	case 3:
		return m.optionsOfDepthThree(ctx, records)
	case 4:
		return m.optionsOfDepthFour(ctx, records)
	}
	options, buffer := make([]option, len(m.plan.tests)), make([]int32, len(records))
	for t := range options {
		yes, no := m.divide(records, t, buffer)
		var err error
		if options[t].yes, err = m.value(ctx, yes, d-1); err != nil {
			return nil, err
		}
		if options[t].no, err = m.value(ctx, no, d-1); err != nil {
			return nil, err
		}
	}
	return options, nil
}

// value returns the value (see the type value) of a set of records for trees of depth at most d ≥
// 1.
func (m *mass[T]) value(ctx context.Context, records []int32, d int) (value, error) {
	options, err := m.options(ctx, records, d)
	if err != nil {
		return value{}, err
	}
	v := m.evaluator()
	return v.combine(v.leaf(m.differencesOf(records)), options, d), nil
}

func (m *mass[T]) optionsOfDepthOne(records []int32) []option {
	options := make([]option, len(m.plan.tests))
	m.evaluator().stumps(options, m.matrix(records).row(0))
	return options
}

func (m *mass[T]) optionsOfDepthTwo(records []int32) []option {
	options := make([]option, len(m.plan.tests))
	m.evaluator().pairs(options, m.matrix(records))
	return options
}

// optionsOfDepthThree computes the options for depth 3. For each test at the root, it computes the matrix of the
// records for which the test is true. The matrix of the records for which it is false is the difference between the
// matrix of all records and this matrix.
func (m *mass[T]) optionsOfDepthThree(ctx context.Context, records []int32) ([]option, error) {
	all, options := m.matrix(records), make([]option, len(m.plan.tests))
	err := m.forEachTest(ctx, records, func() func(t int, own matrix[T]) {
		v, rest := m.evaluator(), newMatrix[T](m.plan)
		return func(t int, own matrix[T]) {
			m.kernel.subtract(rest.entries, all.entries, own.entries)
			options[t] = option{v.depthTwo(own), v.depthTwo(rest)}
		}
	})
	return options, err
}

// forEachTest calls a function for every test, with the index t of the test and the matrix of the records for which
// the test is true. This matrix is overwritten after the call. The attributes are distributed over several threads.
// Each thread calls the parameter thread once, and uses the function that it returns for all of its tests.
func (m *mass[T]) forEachTest(ctx context.Context, records []int32, thread func() func(t int, own matrix[T])) error {
	return parallel.Do(ctx, threads(), len(m.plan.attributes), func() func(j int) {
		call := thread()
		columns, below := newTable[T](m.plan), newTable[T](m.plan)
		own, sums := newMatrix[T](m.plan), make([]T, len(m.plan.pairStart))
		buffer, ofRecord := make([]int32, len(records)), make([]int32, len(m.plan.groups))
		return func(j int) {
			first, tests := m.plan.firstTest[j], m.plan.tests[m.plan.firstTest[j]:m.plan.firstTest[j+1]]
			clear(below)
			for c, part := range m.byCategory(records, j, buffer) {
				m.count(columns, part, ofRecord)
				for i, t := range tests {
					if t == (Test{j, false, c}) {
						fillMatrix(m.plan, own, columns, sums)
						call(first+i, own)
					}
				}
				if m.plan.attributes[j].belowTests() == 0 {
					continue
				}
				add(below, columns)
				for i, t := range tests {
					if t == (Test{j, true, c + 1}) {
						fillMatrix(m.plan, own, below, sums)
						call(first+i, own)
					}
				}
			}
		}
	})
}

// optionsOfDepthFour computes the options for depth 4. For each pair of tests, it counts the
// records for which both tests are true into a matrix. The matrices of the three other combinations
// of results follow by subtraction. The pairs of attributes are distributed over several threads.
func (m *mass[T]) optionsOfDepthFour(ctx context.Context, records []int32) ([]option, error) {
	n := len(m.plan.tests)
	f := &pairTables[T]{
		mass: m, all: m.matrix(records), single: make([]matrix[T], n),
		yes: make([][]option, n), no: make([][]option, n), records: records,
	}
	err := m.forEachTest(ctx, records, func() func(int, matrix[T]) {
		return func(t int, own matrix[T]) {
			f.single[t] = matrix[T]{slices.Clone(own.entries), own.width}
			f.yes[t], f.no[t] = make([]option, n), make([]option, n)
		}
	})
	if err != nil {
		return nil, err
	}
	pairs := f.plan.attributePairs()
	err = parallel.Do(ctx, threads(), len(pairs), func() func(int) {
		w := f.worker()
		return func(i int) { w.attributePair(pairs[i][0], pairs[i][1]) }
	})
	if err != nil {
		return nil, err
	}
	v, options, rest := m.evaluator(), make([]option, n), newMatrix[T](m.plan)
	for t, own := range f.single {
		m.kernel.subtract(rest.row(0), f.all.row(0), own.row(0))
		options[t] = option{
			v.combine(v.leaf(v.column(own.row(0), 0)), f.yes[t], 3), v.combine(v.leaf(v.column(rest.row(0), 0)), f.no[t], 3),
		}
	}
	return options, nil
}

// pairTables holds the matrices and options that optionsOfDepthFour computes for a set of records:
//
//   - all: the matrix of all records of the set;
//   - single[t]: the matrix of the records for which test t is true;
//   - yes[t]: the options for depth 3 of the records for which test t is true;
//   - no[t]: the options for depth 3 of the records for which test t is false.
type pairTables[T cell] struct {
	*mass[T]
	records []int32
	all     matrix[T]
	single  []matrix[T]
	yes, no [][]option
}

// attributePairs returns the unordered pairs of attributes that have tests, including each
// attribute paired with itself. The attribute with more categories is the first of a pair. The
// pairs whose options take longest to compute come first.
func (p *plan) attributePairs() [][2]int {
	var pairs [][2]int
	tests := func(j int) int { return p.firstTest[j+1] - p.firstTest[j] }
	for j := range p.attributes {
		for i := range j + 1 {
			if tests(i) > 0 && tests(j) > 0 {
				pair := [2]int{i, j}
				if p.attributes[i].Categories < p.attributes[j].Categories {
					pair = [2]int{j, i}
				}
				pairs = append(pairs, pair)
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]int) int {
		return cmp.Compare(tests(b[0])*tests(b[1]), tests(a[0])*tests(a[1]))
	})
	return pairs
}

// mostInnerCategories returns the maximum number of categories of the second attribute in a pair of
// different attributes (see attributePairs). It is the second largest number of categories among
// the attributes that have tests.
func (p *plan) mostInnerCategories() int {
	first, second := 0, 0
	for j, a := range p.attributes {
		if p.firstTest[j+1] > p.firstTest[j] {
			second = max(second, min(first, a.Categories))
			first = max(first, a.Categories)
		}
	}
	return second
}

// A worker computes the entries of pairTables for some pairs of attributes. It holds the tables of
// one thread.
type worker[T cell] struct {
	*pairTables[T]
	v *evaluator[T]

	parts, below [][]T // [category of the second attribute]: a table by columns
	sum          []T   // a table by columns, for withTests
	sums         []T
	columns      []int32      // the columns of one record
	buffers      [2][]int32   // the records by category of the first attribute, and those of one such category by category of the second
	matrices     [4]matrix[T] // the matrices of the records for which both tests, only the first, only the second, or none is true
}

func (f *pairTables[T]) worker() *worker[T] {
	w := &worker[T]{
		pairTables: f, v: f.evaluator(), sum: newTable[T](f.plan), sums: make([]T, len(f.plan.pairStart)), columns: make([]int32, len(f.plan.groups)),
	}
	for range f.plan.mostInnerCategories() {
		w.parts = append(w.parts, newTable[T](f.plan))
		w.below = append(w.below, newTable[T](f.plan))
	}
	for i := range w.buffers {
		w.buffers[i] = make([]int32, len(f.records))
	}
	for i := range w.matrices {
		w.matrices[i] = newMatrix[T](f.plan)
	}
	return w
}

// attributePair computes the part of pairTables that belongs to the attributes i and j: the options
// for every test of attribute i combined with every test of attribute j.
func (w *worker[T]) attributePair(i, j int) {
	if i == j {
		w.sameAttribute(j)
		return
	}
	outer, inner := w.plan.attributes[i], w.plan.attributes[j]
	first, tests := w.plan.firstTest[i], w.plan.tests[w.plan.firstTest[i]:w.plan.firstTest[i+1]]
	parts, below := w.parts[:inner.Categories], w.below[:inner.Categories]
	for _, table := range below {
		clear(table)
	}
	for c, records := range w.byCategory(w.records, i, w.buffers[0]) {
		for b, both := range w.byCategory(records, j, w.buffers[1]) {
			w.count(parts[b], both, w.columns)
			if outer.belowTests() > 0 {
				add(below[b], parts[b])
			}
		}
		for n, t := range tests {
			if t == (Test{i, false, c}) {
				w.withTests(first+n, parts, j)
			}
			if t == (Test{i, true, c + 1}) {
				w.withTests(first+n, below, j)
			}
		}
	}
}

// withTests computes the options for test t combined with each test of attribute j. The element
// parts[c] is the table by columns (see plan) of the records for which t is true and whose category
// of attribute j is c.
func (w *worker[T]) withTests(t int, parts [][]T, j int) {
	first := w.plan.firstTest[j]
	clear(w.sum)
	to := 0 // the number of categories that w.sum contains
	for n, u := range w.plan.tests[first:w.plan.firstTest[j+1]] {
		table := w.sum
		if !u.Below {
			table = parts[u.Category]
		}
		for ; u.Below && to < u.Category; to++ {
			add(w.sum, parts[to])
		}
		fillMatrix(w.plan, w.matrices[0], table, w.sums)
		w.testPair(t, first+n)
	}
}

// sameAttribute computes the options for all pairs of tests t and u of attribute j, where u is t or
// a later test. The records for which both tests are true are not counted again: if u = t or t
// implies u, they are the records of t; otherwise there are none.
func (w *worker[T]) sameAttribute(j int) {
	for t := w.plan.firstTest[j]; t < w.plan.firstTest[j+1]; t++ {
		for u := t; u < w.plan.firstTest[j+1]; u++ {
			clear(w.matrices[0].entries)
			if t == u || implies(w.plan.tests[t], w.plan.tests[u]) {
				copy(w.matrices[0].entries, w.single[t].entries)
			}
			w.testPair(t, u)
		}
	}
}

// testPair computes the values for depth 2 of four sets of records: one for each combination of the results of tests
// t and u. The caller must set w.matrices[0] to the matrix of the records for which both tests are true.
func (w *worker[T]) testPair(t, u int) {
	both, first, second, none := w.matrices[0].entries, w.matrices[1].entries, w.matrices[2].entries, w.matrices[3].entries
	w.kernel.subtract(first, w.single[t].entries, both)
	w.kernel.subtract(second, w.single[u].entries, both)
	w.kernel.subtract(none, w.all.entries, w.single[t].entries)
	w.kernel.subtract(none, none, second)
	var values [4]value
	for i, m := range w.matrices {
		values[i] = w.v.depthTwo(m)
	}
	w.yes[t][u], w.no[t][u] = option{values[0], values[1]}, option{values[2], values[3]}
	w.yes[u][t], w.no[u][t] = option{values[0], values[2]}, option{values[1], values[3]}
}
