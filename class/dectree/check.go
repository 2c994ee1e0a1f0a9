package dectree

import (
	"context"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker finds the least cost anew, test by test and record by record: it knows no
// tables of pairs, no differences and no masses. There is no shorter certificate: what a
// bound on trees below a node may rest on is a sum over all pairs of tests there.
type checker struct {
	ctx        context.Context
	attributes []Attribute
	tests      []Test
	outcomes   int
	records    []class.Charged[[]uint16] // distinct
	least      []int64                   // of each, the least cost of a prediction
	counts     []int64                   // room for the costs of the categories of an attribute
}

// Verify proves that the least cost is that of h, which must be a tree of the class, or
// fails with class.ErrNotLeast or the context's error.
func (c *Class) Verify(ctx context.Context, records class.Records[[]uint16], h *Tree, cost int64) error {
	if !c.Contains(h) {
		return fmt.Errorf("%w: it is no tree of the class", class.ErrNotLeast)
	}
	own, x, costs := int64(0), []uint16(nil), []int64(nil)
	for i := range records.Len() {
		x, costs = records.Record(i, x), records.Costs(i, costs)
		own += costs[c.Predict(h, x)]
	}
	if own != cost {
		return fmt.Errorf("%w: it costs %d, not %d", class.ErrNotLeast, own, cost)
	}
	k := newChecker(ctx, c, records)
	all := make([]int, len(k.records))
	for i := range all {
		all[i] = i
	}
	least := k.best(all, c.depth)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if least != cost {
		return fmt.Errorf("%w: a tree costs %d, not %d", class.ErrNotLeast, least, cost)
	}
	return nil
}

// VerifyWork bounds how many steps of some 10 ns Verify takes: each record is put to
// each sequence of tests, but for the last, of which only its categories are counted.
func (c *Class) VerifyWork(records int64) int64 {
	work := class.Product(records, int64(len(c.attributes)+c.outcomes))
	for range c.depth - 1 {
		work = class.Product(work, int64(len(c.tests)))
	}
	return work
}

// newChecker adds up the costs of equal records.
func newChecker(ctx context.Context, c *Class, records class.Records[[]uint16]) *checker {
	k := &checker{ctx: ctx, attributes: c.attributes, tests: c.tests, outcomes: c.outcomes}
	for _, a := range c.attributes {
		k.counts = append(k.counts, make([]int64, max(0, a.Categories*c.outcomes-len(k.counts)))...)
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
		least := r.Costs[0]
		for _, cost := range r.Costs {
			least = min(least, cost)
		}
		k.least = append(k.least, least)
	}
	return k
}

// best returns the least cost of a tree of at most a depth on some records. A test that is
// true of all of them or of none makes no tree better. No tree costs less than predicting
// what is best for each record by itself; where that is reached, nothing is left to try.
func (k *checker) best(some []int, depth int) int64 {
	costs, floor := make([]int64, k.outcomes), int64(0)
	for _, i := range some {
		floor += k.least[i]
		for o, cost := range k.records[i].Costs {
			costs[o] += cost
		}
	}
	best := leastOf(costs)
	if depth == 1 {
		return min(best, k.stump(some, costs))
	}
	var yes, no []int
	for _, t := range k.tests {
		if best == floor || depth == 0 || k.ctx.Err() != nil {
			break
		}
		yes, no = yes[:0], no[:0]
		for _, i := range some {
			if t.Accepts(k.records[i].X[t.Attribute]) {
				yes = append(yes, i)
			} else {
				no = append(no, i)
			}
		}
		if len(yes) > 0 && len(no) > 0 {
			best = min(best, k.best(yes, depth-1)+k.best(no, depth-1))
		}
	}
	return best
}

// stump returns the least cost of one test of records that cost so in all.
func (k *checker) stump(some []int, all []int64) int64 {
	best := int64(math.MaxInt64)
	yes, no := make([]int64, k.outcomes), make([]int64, k.outcomes)
	var counts []int64 // of category c and outcome o at c times the outcomes and o
	for i, t := range k.tests {
		if i == 0 || t.Attribute != k.tests[i-1].Attribute {
			counts = k.counts[:k.attributes[t.Attribute].Categories*k.outcomes]
			clear(counts)
			for _, i := range some {
				r := &k.records[i]
				own := counts[int(r.X[t.Attribute])*k.outcomes:]
				for o, cost := range r.Costs {
					own[o] += cost
				}
			}
		}
		copy(no, all)
		clear(yes)
		for at, cost := range counts {
			if t.Accepts(uint16(at / k.outcomes)) {
				yes[at%k.outcomes] += cost
				no[at%k.outcomes] -= cost
			}
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
