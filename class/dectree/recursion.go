package dectree

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// options returns the options of a set of records for a depth of at least 1, with
// values for a depth less. The two or three lowest levels below are computed from
// counts of pairs of tests, for sets of records that their own pairs give; what is
// above them divides the records.
func (m *mass) options(ctx context.Context, records []int32, d int) ([]option, error) {
	switch d {
	case 1:
		return m.leaves(records), nil
	case 2:
		return m.two(records), nil
	case 3:
		return m.three(ctx, records)
	case 4:
		return m.four(ctx, records)
	}
	options := make([]option, len(m.plan.tests))
	for t := range options {
		yes, no := m.divide(records, t)
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
func (m *mass) value(ctx context.Context, records []int32, d int) (value, error) {
	options, err := m.options(ctx, records, d)
	if err != nil {
		return value{}, err
	}
	return m.valuer().combine(m.costOf(records), options, d), nil
}

func (m *mass) leaves(records []int32) []option {
	table := m.table(records)
	options := make([]option, len(m.plan.tests))
	for t := range options {
		own := table[1+t]
		options[t] = option{m.decays.of(own), m.decays.of(table[0].minus(own))}
	}
	return options
}

func (m *mass) two(records []int32) []option {
	options := make([]option, len(m.plan.tests))
	m.valuer().pairs(options, m.table(records))
	return options
}

// three takes the table of each test's records from counts, and that of the others
// by subtraction.
func (m *mass) three(ctx context.Context, records []int32) ([]option, error) {
	all := m.table(records)
	options := make([]option, len(m.plan.tests))
	v, below, rest := m.valuer(), make([]option, len(options)), make([]cost, m.plan.size)
	value := func(table []cost) value {
		v.pairs(below, table)
		return v.combine(table[0], below, 2)
	}
	err := m.each(ctx, records, func(t int, table []cost) {
		subtract(rest, all, table)
		options[t] = option{value(table), value(rest)}
	})
	return options, err
}

// each calls with every test, and the table of those records that it is true of,
// which is gone afterwards.
func (m *mass) each(ctx context.Context, records []int32, call func(t int, table []cost)) error {
	columns, below := make([]cost, m.plan.cols), make([]cost, m.plan.cols)
	table, sums := make([]cost, m.plan.size), make([]cost, len(m.plan.row))
	for j, a := range m.plan.attributes {
		first, tests := m.plan.first[j], m.plan.tests[m.plan.first[j]:m.plan.first[j+1]]
		clear(below)
		for c, part := range m.byCategory(records, j) {
			if err := ctx.Err(); err != nil {
				return err
			}
			m.count(columns, part)
			for i, t := range tests {
				if t == (Test{j, false, c}) {
					m.plan.byTests(table, columns, sums)
					call(first+i, table)
				}
			}
			if a.below() == 0 {
				continue
			}
			add(below, columns)
			for i, t := range tests {
				if t == (Test{j, true, c + 1}) {
					m.plan.byTests(table, below, sums)
					call(first+i, table)
				}
			}
		}
	}
	return nil
}

// four takes the table of the records that two tests are both true of from counts,
// and the tables of the three other combinations of their answers by subtraction. It
// divides the pairs of attributes among threads.
func (m *mass) four(ctx context.Context, records []int32) ([]option, error) {
	n := len(m.plan.tests)
	f := &fours{
		mass: m, all: m.table(records), single: make([][]cost, n),
		yes: make([][]option, n), no: make([][]option, n), records: records,
	}
	err := m.each(ctx, records, func(t int, table []cost) {
		f.single[t] = slices.Clone(table)
		f.yes[t], f.no[t] = make([]option, n), make([]option, n)
	})
	if err != nil {
		return nil, err
	}
	if err := f.run(ctx); err != nil {
		return nil, err
	}
	v, options := m.valuer(), make([]option, n)
	for t, own := range f.single {
		options[t] = option{v.combine(own[0], f.yes[t], 3), v.combine(f.all[0].minus(own[0]), f.no[t], 3)}
	}
	return options, nil
}

// fours holds, for a set of records, the table of all and of those that each test is
// true of, and then for each test the options of these and of the others, for depth 3.
type fours struct {
	*mass
	records []int32
	all     []cost
	single  [][]cost
	yes, no [][]option
}

// run fills in the options, whose places differ for different pairs of attributes.
func (f *fours) run(ctx context.Context) error {
	tasks := f.plan.attributePairs()
	var next atomic.Int64
	var group sync.WaitGroup
	failures := make(chan any, threads())
	for range threads() {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					failures <- p
				}
			}()
			w := f.worker()
			for i := next.Add(1) - 1; i < int64(len(tasks)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				w.pair(tasks[i][0], tasks[i][1])
			}
		})
	}
	group.Wait()
	select {
	case p := <-failures: // where whoever called can recover from it
		panic(p)
	default:
	}
	return ctx.Err()
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
type worker struct {
	*fours
	v       *valuer
	options []option

	parts, below [][]cost // by columns, for the categories of the second attribute
	sum          []cost   // by columns
	sums         []cost
	tables       [4][]cost // by tests: both true, the first, the second, none
}

func (f *fours) worker() *worker {
	w := &worker{fours: f, v: f.valuer(), options: make([]option, len(f.single)), sum: make([]cost, f.plan.cols), sums: make([]cost, len(f.plan.row))}
	for range f.plan.inner() {
		w.parts = append(w.parts, make([]cost, f.plan.cols))
		w.below = append(w.below, make([]cost, f.plan.cols))
	}
	for i := range w.tables {
		w.tables[i] = make([]cost, f.plan.size)
	}
	return w
}

// pair computes the values of all pairs of tests of attributes i and j.
func (w *worker) pair(i, j int) {
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
	for c, records := range w.byCategory(w.records, i) {
		for b, both := range w.byCategory(records, j) {
			w.count(parts[b], both)
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
func (w *worker) second(t int, parts [][]cost, j int) {
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
		w.plan.byTests(w.tables[0], table, w.sums)
		w.quarter(t, first+n)
	}
}

// own takes the pairs of tests of one attribute, whose tables are those of single
// tests, or empty.
func (w *worker) own(j int) {
	for t := w.plan.first[j]; t < w.plan.first[j+1]; t++ {
		for u := t; u < w.plan.first[j+1]; u++ {
			clear(w.tables[0])
			if t == u || nested(w.plan.tests[t], w.plan.tests[u]) {
				copy(w.tables[0], w.single[t])
			}
			w.quarter(t, u)
		}
	}
}

// quarter computes the values for depth 2 of the four sets that tests t and u make,
// from the table of the first.
func (w *worker) quarter(t, u int) {
	both, first, second, none := w.tables[0], w.tables[1], w.tables[2], w.tables[3]
	subtract(first, w.single[t], both)
	subtract(second, w.single[u], both)
	subtract(none, w.all, w.single[t])
	subtract(none, none, second)
	var values [4]value
	for i, table := range w.tables {
		w.v.pairs(w.options, table)
		values[i] = w.v.combine(table[0], w.options, 2)
	}
	w.yes[t][u], w.no[t][u] = option{values[0], values[1]}, option{values[2], values[3]}
	w.yes[u][t], w.no[u][t] = option{values[0], values[2]}, option{values[1], values[3]}
}
