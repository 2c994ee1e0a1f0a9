package dectree

import (
	"cmp"
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// options returns the options of a set of records for a depth of at least 1, with
// values for a depth less. The two or three lowest levels below are computed from
// counts of pairs of tests, for sets of records that their own pairs give; what is
// above them divides the records.
func (m *mass[T]) options(ctx context.Context, records []int32, d int) ([]option, error) {
	switch d {
	case 1:
		return m.one(records), nil
	case 2:
		return m.two(records), nil
	case 3:
		return m.three(ctx, records)
	case 4:
		return m.four(ctx, records)
	}
	options, room := make([]option, len(m.plan.tests)), make([]int32, len(records))
	for t := range options {
		yes, no := m.divide(records, t, room)
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

// value returns the value of a set of records for a depth of at least 1.
func (m *mass[T]) value(ctx context.Context, records []int32, d int) (value, error) {
	options, err := m.options(ctx, records, d)
	if err != nil {
		return value{}, err
	}
	v := m.valuer()
	return v.combine(v.leaf(m.differencesOf(records)), options, d), nil
}

func (m *mass[T]) one(records []int32) []option {
	options := make([]option, len(m.plan.tests))
	m.valuer().stumps(options, m.matrix(records).row(0))
	return options
}

func (m *mass[T]) two(records []int32) []option {
	options := make([]option, len(m.plan.tests))
	m.valuer().pairs(options, m.matrix(records))
	return options
}

// three takes the matrix of each test's records from counts, and that of the others
// by subtraction.
func (m *mass[T]) three(ctx context.Context, records []int32) ([]option, error) {
	all, options := m.matrix(records), make([]option, len(m.plan.tests))
	err := m.each(ctx, records, func() func(t int, own matrix[T]) {
		v, rest := m.valuer(), newMatrix[T](m.plan)
		return func(t int, own matrix[T]) {
			m.kernel.subtract(rest.entries, all.entries, own.entries)
			options[t] = option{v.two(own), v.two(rest)}
		}
	})
	return options, err
}

// each calls, on each thread what thread returns, with every test, and the matrix of those
// records that it is true of, which is gone afterwards. It divides the attributes among
// threads.
func (m *mass[T]) each(ctx context.Context, records []int32, thread func() func(t int, own matrix[T])) error {
	return parallel.Do(ctx, threads(), len(m.plan.attributes), func() func(j int) {
		call := thread()
		columns, below := newTable[T](m.plan), newTable[T](m.plan)
		own, sums := newMatrix[T](m.plan), make([]T, len(m.plan.row))
		room, ofRecord := make([]int32, len(records)), make([]int32, len(m.plan.groups))
		return func(j int) {
			first, tests := m.plan.first[j], m.plan.tests[m.plan.first[j]:m.plan.first[j+1]]
			clear(below)
			for c, part := range m.byCategory(records, j, room) {
				m.count(columns, part, ofRecord)
				for i, t := range tests {
					if t == (Test{j, false, c}) {
						byTests(m.plan, own, columns, sums)
						call(first+i, own)
					}
				}
				if m.plan.attributes[j].below() == 0 {
					continue
				}
				add(below, columns)
				for i, t := range tests {
					if t == (Test{j, true, c + 1}) {
						byTests(m.plan, own, below, sums)
						call(first+i, own)
					}
				}
			}
		}
	})
}

// four takes the matrix of the records that two tests are both true of from counts,
// and the matrices of the three other combinations of their answers by subtraction. It
// divides the pairs of attributes among threads.
func (m *mass[T]) four(ctx context.Context, records []int32) ([]option, error) {
	n := len(m.plan.tests)
	f := &fours[T]{
		mass: m, all: m.matrix(records), single: make([]matrix[T], n),
		yes: make([][]option, n), no: make([][]option, n), records: records,
	}
	err := m.each(ctx, records, func() func(int, matrix[T]) {
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
		return func(i int) { w.pair(pairs[i][0], pairs[i][1]) }
	})
	if err != nil {
		return nil, err
	}
	v, options, rest := m.valuer(), make([]option, n), newMatrix[T](m.plan)
	for t, own := range f.single {
		m.kernel.subtract(rest.row(0), f.all.row(0), own.row(0))
		options[t] = option{
			v.combine(v.leaf(v.of(own.row(0), 0)), f.yes[t], 3), v.combine(v.leaf(v.of(rest.row(0), 0)), f.no[t], 3),
		}
	}
	return options, nil
}

// fours holds, for a set of records, the matrix of all and of those that each test is
// true of, and then for each test the options of these and of the others, for depth 3.
type fours[T cell] struct {
	*mass[T]
	records []int32
	all     matrix[T]
	single  []matrix[T]
	yes, no [][]option
}

// attributePairs lists the unordered pairs of attributes that have tests, of the two
// the one with more categories first, those that take long first.
func (p *plan) attributePairs() [][2]int {
	var pairs [][2]int
	tests := func(j int) int { return p.first[j+1] - p.first[j] }
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

// inner returns the greatest number of categories of an attribute that is the second
// of a pair.
func (p *plan) inner() int {
	most := 0
	for _, pair := range p.attributePairs() {
		if pair[0] != pair[1] {
			most = max(most, p.attributes[pair[1]].Categories)
		}
	}
	return most
}

// A worker has the tables of one thread.
type worker[T cell] struct {
	*fours[T]
	v *valuer[T]

	parts, below [][]T // by columns, for the categories of the second attribute
	sum          []T   // by columns
	sums         []T
	columns      []int32      // of a record
	rooms        [2][]int32   // for the records of categories of the first attribute, and of both
	matrices     [4]matrix[T] // both true, the first, the second, none
}

func (f *fours[T]) worker() *worker[T] {
	w := &worker[T]{
		fours: f, v: f.valuer(), sum: newTable[T](f.plan), sums: make([]T, len(f.plan.row)), columns: make([]int32, len(f.plan.groups)),
	}
	for range f.plan.inner() {
		w.parts = append(w.parts, newTable[T](f.plan))
		w.below = append(w.below, newTable[T](f.plan))
	}
	for i := range w.rooms {
		w.rooms[i] = make([]int32, len(f.records))
	}
	for i := range w.matrices {
		w.matrices[i] = newMatrix[T](f.plan)
	}
	return w
}

// pair computes the values of all pairs of tests of attributes i and j.
func (w *worker[T]) pair(i, j int) {
	if i == j {
		w.own(j)
		return
	}
	outer, inner := w.plan.attributes[i], w.plan.attributes[j]
	first, tests := w.plan.first[i], w.plan.tests[w.plan.first[i]:w.plan.first[i+1]]
	parts, below := w.parts[:inner.Categories], w.below[:inner.Categories]
	for _, table := range below {
		clear(table)
	}
	for c, records := range w.byCategory(w.records, i, w.rooms[0]) {
		for b, both := range w.byCategory(records, j, w.rooms[1]) {
			w.count(parts[b], both, w.columns)
			if outer.below() > 0 {
				add(below[b], parts[b])
			}
		}
		for n, t := range tests {
			if t == (Test{i, false, c}) {
				w.second(first+n, parts, j)
			}
			if t == (Test{i, true, c + 1}) {
				w.second(first+n, below, j)
			}
		}
	}
}

// second takes test t with each test of attribute j, given the tables by columns of
// the records that t is true of, for each category of j.
func (w *worker[T]) second(t int, parts [][]T, j int) {
	first := w.plan.first[j]
	clear(w.sum)
	to := 0 // categories that w.sum adds up
	for n, u := range w.plan.tests[first:w.plan.first[j+1]] {
		table := w.sum
		if !u.Below {
			table = parts[u.Category]
		}
		for ; u.Below && to < u.Category; to++ {
			add(w.sum, parts[to])
		}
		byTests(w.plan, w.matrices[0], table, w.sums)
		w.quarter(t, first+n)
	}
}

// own takes the pairs of tests of one attribute, whose matrices are those of single
// tests, or empty.
func (w *worker[T]) own(j int) {
	for t := w.plan.first[j]; t < w.plan.first[j+1]; t++ {
		for u := t; u < w.plan.first[j+1]; u++ {
			clear(w.matrices[0].entries)
			if t == u || nested(w.plan.tests[t], w.plan.tests[u]) {
				copy(w.matrices[0].entries, w.single[t].entries)
			}
			w.quarter(t, u)
		}
	}
}

// quarter computes the values for depth 2 of the four sets that tests t and u make,
// from the matrix of the first.
func (w *worker[T]) quarter(t, u int) {
	both, first, second, none := w.matrices[0].entries, w.matrices[1].entries, w.matrices[2].entries, w.matrices[3].entries
	w.kernel.subtract(first, w.single[t].entries, both)
	w.kernel.subtract(second, w.single[u].entries, both)
	w.kernel.subtract(none, w.all.entries, w.single[t].entries)
	w.kernel.subtract(none, none, second)
	var values [4]value
	for i, m := range w.matrices {
		values[i] = w.v.two(m)
	}
	w.yes[t][u], w.no[t][u] = option{values[0], values[1]}, option{values[2], values[3]}
	w.yes[u][t], w.no[u][t] = option{values[0], values[2]}, option{values[1], values[3]}
}
