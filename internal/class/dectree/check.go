package dectree

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// A checker computes the least cost of a tree independently of the search: it shares neither
// matrices nor partition functions with it. It tries every sequence of tests, and splits the
// records by all tests of a sequence except the last two. For the last two tests, it adds up the
// costs of records by the categories of one and of two attributes.
//
// The checker does the whole work again because there is no short certificate: a bound on the trees
// below a node depends on a sum for every pair of tests.
type checker struct {
	ctx       context.Context
	tests     []Test
	outcomes  int
	firstCell []int                     // [attribute]: the cell of its category 0 and outcome 0
	cells     int                       // the number of cells: one for each attribute, category and outcome
	records   []class.Charged[[]uint16] // the distinct records
	least     []int64                   // [record]: the least cost of a prediction
}

// Verify proves that h is a tree of the class with the given cost, and that no tree costs less. It
// fails with class.ErrNotLeast if this is false, or with the context's error. Unless progress is
// nil, Verify calls it with the number of finished parts of the work and the total number of parts.
func (c *Class) Verify(ctx context.Context, records class.Records[[]uint16], h *Tree, cost int64, progress func(done, total int64)) error {
	if !c.Contains(h) {
		return fmt.Errorf("%w: the tree is not in the class", class.ErrNotLeast)
	}
	own, x, costs := int64(0), []uint16(nil), []int64(nil)
	for i := range records.Len() {
		x, costs = records.Record(i, x), records.Costs(i, costs)
		own += costs[c.Predict(h, x)]
	}
	if own != cost {
		return fmt.Errorf("%w: the cost of the tree is %d, but %d was stated", class.ErrNotLeast, own, cost)
	}
	least, err := newChecker(ctx, c, records).leastCost(c.depth, progress)
	if err != nil {
		return err
	}
	if least != cost {
		return fmt.Errorf("%w: the least cost is %d, but %d was stated", class.ErrNotLeast, least, cost)
	}
	return nil
}

// VerifyWork returns an upper bound on the time of Verify on one thread, in units of about 10 ns.
// For trees of depth D, Verify enumerates all sequences of D-2 tests. For each sequence, it adds
// every record to the sums once for each pair of its categories, and then adds up, for each test,
// the sums of the categories that the test accepts.
func (c *Class) VerifyWork(records int64) int64 {
	attributes, cells := int64(len(c.attributes)), int64(0)
	for _, a := range c.attributes {
		cells += int64(a.Categories)
	}
	work := class.Product(records+cells, attributes*attributes*int64(c.outcomes))
	for range c.depth - 2 {
		work = class.Product(work, int64(len(c.tests)))
	}
	return work
}

// newChecker returns a checker, which computes the least cost of a tree on the records. It merges
// equal records.
func newChecker(ctx context.Context, c *Class, records class.Records[[]uint16]) *checker {
	k := &checker{ctx: ctx, tests: c.tests, outcomes: c.outcomes}
	for _, a := range c.attributes {
		k.firstCell = append(k.firstCell, k.cells)
		k.cells += a.Categories * c.outcomes
	}
	places := map[string]int{}
	var costs []int64
	for i := range records.Len() {
		x := records.Record(i, nil)
		key := fmt.Sprint(x)
		at, seen := places[key]
		if !seen {
			at = len(k.records)
			places[key] = at
			k.records = append(k.records, class.Charged[[]uint16]{X: x, Costs: make([]int64, c.outcomes)})
		}
		costs = records.Costs(i, costs)
		for o, cost := range costs {
			k.records[at].Costs[o] += cost
		}
	}
	for _, r := range k.records {
		k.least = append(k.least, leastOf(r.Costs))
	}
	return k
}

// leastCost returns the least cost, over all records, of a tree of at most the given depth. It
// distributes the tests at the root over several threads.
func (k *checker) leastCost(depth int, progress func(done, total int64)) (int64, error) {
	all := make([]int, len(k.records))
	for i := range all {
		all[i] = i
	}
	if depth <= 2 {
		least := k.best(all, depth)
		return least, k.ctx.Err()
	}
	least := make([]int64, len(k.tests))
	var lock sync.Mutex
	done := int64(0)
	err := parallel.Do(k.ctx, runtime.GOMAXPROCS(0), len(k.tests), func() func(int) {
		return func(i int) {
			least[i] = k.split(all, k.tests[i], depth)
			if progress != nil {
				lock.Lock()
				defer lock.Unlock()
				done++
				progress(done, int64(len(k.tests)))
			}
		}
	})
	best := k.best(all, 0)
	for _, cost := range least {
		best = min(best, cost)
	}
	return best, err
}

// best returns the least cost of a tree of at most the given depth on the records whose indices are
// in some. It skips a test that is true for all of these records or for none of them, because no
// tree needs it. It stops as soon as a tree costs no more than a lower bound: the sum of the least
// cost of a prediction for each record.
func (k *checker) best(some []int, depth int) int64 {
	costs, floor := make([]int64, k.outcomes), int64(0)
	for _, i := range some {
		floor += k.least[i]
		for o, cost := range k.records[i].Costs {
			costs[o] += cost
		}
	}
	best := leastOf(costs)
	if best == floor || depth == 0 {
		return best
	}
	if depth <= 2 {
		return min(best, k.last(some, depth))
	}
	for _, t := range k.tests {
		if best == floor || k.ctx.Err() != nil {
			break
		}
		best = min(best, k.split(some, t, depth))
	}
	return best
}

// split returns the least cost of a tree of at most the given depth, with test t at the root, on
// the records whose indices are in some.
func (k *checker) split(some []int, t Test, depth int) int64 {
	var yes, no []int
	for _, i := range some {
		if t.Accepts(k.records[i].X[t.Attribute]) {
			yes = append(yes, i)
		} else {
			no = append(no, i)
		}
	}
	if len(yes) == 0 || len(no) == 0 {
		return math.MaxInt64
	}
	return k.best(yes, depth-1) + k.best(no, depth-1)
}

// last returns the least cost of a tree with a test at the root, on the records whose indices are
// in some. The parameter depth is the maximum depth of the tree, 1 or 2.
//
// For each category c of the attribute that the root tests, last sums the costs of the records with
// category c. There is a separate sum for each outcome and each category of every attribute. Adding
// these sums over the categories that a test accepts gives the sums over the records for which the
// test is true. Subtracting them from the sums over all records gives the sums over the other
// records.
func (k *checker) last(some []int, depth int) int64 {
	best := int64(math.MaxInt64)
	all := make([]int64, k.cells)
	for _, i := range some {
		k.count(all, i)
	}
	if depth == 1 || len(k.tests) == 0 {
		return k.stump(all)
	}
	var of []int64 // the cells of each category of the current test's attribute
	yes, no := make([]int64, k.cells), make([]int64, k.cells)
	for n, t := range k.tests {
		if n == 0 || t.Attribute != k.tests[n-1].Attribute {
			if k.ctx.Err() != nil {
				return best
			}
			of = append(of[:0], make([]int64, k.categories(t.Attribute)*k.cells)...)
			for _, i := range some {
				k.count(of[int(k.records[i].X[t.Attribute])*k.cells:][:k.cells], i)
			}
		}
		clear(yes)
		for category := range k.categories(t.Attribute) {
			if t.Accepts(uint16(category)) {
				for cell, cost := range of[category*k.cells:][:k.cells] {
					yes[cell] += cost
				}
			}
		}
		for cell, cost := range all {
			no[cell] = cost - yes[cell]
		}
		best = min(best, k.stump(yes)+k.stump(no))
	}
	return best
}

// categories returns the number of categories of the attribute with the given index.
func (k *checker) categories(attribute int) int {
	end := k.cells
	if attribute+1 < len(k.firstCell) {
		end = k.firstCell[attribute+1]
	}
	return (end - k.firstCell[attribute]) / k.outcomes
}

// count adds the costs of one record to the cells of the record's categories. There is one cell for
// each combination of an attribute, a category and an outcome.
func (k *checker) count(cells []int64, record int) {
	r := &k.records[record]
	for o, cost := range r.Costs {
		if cost == 0 {
			continue
		}
		for a, category := range r.X {
			cells[k.firstCell[a]+int(category)*k.outcomes+o] += cost
		}
	}
}

// stump returns the least cost of a tree of depth at most 1 on a set of records, whose total costs
// by attribute, category and outcome are in cells.
func (k *checker) stump(cells []int64) int64 {
	sum := make([]int64, 3*k.outcomes)
	all, yes, no := sum[:k.outcomes], sum[k.outcomes:2*k.outcomes], sum[2*k.outcomes:]
	best := int64(math.MaxInt64)
	for n, t := range k.tests {
		if n == 0 { // every record is in exactly one category of the first test's attribute
			for at, cost := range cells[k.firstCell[t.Attribute]:][:k.categories(t.Attribute)*k.outcomes] {
				all[at%k.outcomes] += cost
			}
			best = leastOf(all)
		}
		clear(yes)
		for category := range k.categories(t.Attribute) {
			if t.Accepts(uint16(category)) {
				for o, cost := range cells[k.firstCell[t.Attribute]+category*k.outcomes:][:k.outcomes] {
					yes[o] += cost
				}
			}
		}
		for o, cost := range all {
			no[o] = cost - yes[o]
		}
		best = min(best, leastOf(yes)+leastOf(no))
	}
	return best
}

func leastOf(costs []int64) int64 {
	least := costs[0]
	for _, c := range costs {
		least = min(least, c)
	}
	return least
}
