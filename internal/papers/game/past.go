package game

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/papers/dual"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// losses represents the loss of every record of the domain: the number of previous answers that are 0 on the record.
// The losses are functions of the answers and therefore public.
type losses interface {
	// perturbed returns a function that finds the record of least perturbed loss. The perturbed loss
	// of a record is grid·loss plus the terms of those of the record's binary digits that are 1. The
	// result ok is false if the oracle finds no record.
	perturbed(grid int64) func(ctx context.Context, terms []int64) (x []uint16, ok bool)
	// weighted returns a function that samples a record with probability proportional to
	// e^{-rate·loss}.
	weighted(rate *big.Rat) func(ctx context.Context, coins noise.Coins) ([]uint16, error)
	// least returns the minimum loss over all records. If proven is false, the returned loss is only an
	// upper bound on this minimum, or 0 if the oracle failed.
	least(ctx context.Context) (loss int64, proven bool, err error)
}

// A history holds the losses of all records, and updates them after each answer.
type history[H any] interface {
	losses
	// see adds 1 to the loss of each record on which the answer q is 0. The result lost is the number
	// of samples of the play on which q is 0.
	see(q Query[H], play []Record) (lost int64)
}

// MostTabled is the maximum number of records of a domain for which New works without Options.Oracle. It then stores
// the losses of all records in a table.
const MostTabled = 1 << 20

// A DualOracle constructs an oracle that minimizes the cost over the dual class, whose hypotheses are the records.
// The oracle may be a heuristic.
type DualOracle[H any] func(class.Class[Query[H], []uint16]) oracle.Minimizer[Query[H], []uint16]

// newHistory returns the losses of all records before the first answer. If o is nil, it stores them in a table; the
// domain must then have at most MostTabled records.
func newHistory[H any](queries class.Class[[]uint16, Query[H]], sizes []int, o DualOracle[H]) (history[H], error) {
	d, err := dual.New(queries, sizes)
	if err != nil {
		return nil, err
	}
	if o != nil {
		return &oracleHistory[H]{class: d, oracle: o(d)}, nil
	}
	if size := d.Size(); size.Cmp(big.NewInt(MostTabled)) > 0 {
		return nil, fmt.Errorf("game: the domain has %v records, but at most %d are supported without Oracle; set Oracle", size, MostTabled)
	}
	return newTableHistory(d, sizes), nil
}

// A tableHistory stores the loss of every record in a table, in the lexicographic order of records. The table is
// divided into blocks of records that agree on the first attributes. The field head is the number of these
// attributes.
type tableHistory[H any] struct {
	domain domain
	class  *dual.Class[Query[H]]
	losses []int64
	head   int // the number of attributes on which the records of a block agree
	block  int // the number of records in a block
}

// mostBlock is the maximum number of records in a block.
const mostBlock = 1 << 10

func newTableHistory[H any](d *dual.Class[Query[H]], sizes domain) *tableHistory[H] {
	t := &tableHistory[H]{domain: sizes, class: d, losses: make([]int64, d.Size().Int64()), head: len(sizes), block: 1}
	for t.head > 0 && t.block*sizes[t.head-1] <= mostBlock {
		t.head--
		t.block *= sizes[t.head]
	}
	return t
}

func (t *tableHistory[H]) see(q Query[H], play []Record) (lost int64) {
	i := 0
	for x := range t.class.All() {
		if !t.class.Predict(x, q) {
			t.losses[i]++
		}
		i++
	}
	return lostBy(t.class, q, play)
}

// lostBy returns the number of samples of the play on which the query q is 0.
func lostBy[H any](d *dual.Class[Query[H]], q Query[H], play []Record) (lost int64) {
	for _, r := range play {
		if !d.Predict(r.X, q) {
			lost += r.Count
		}
	}
	return lost
}

// perturbed returns a function that enumerates the records to find one of least perturbed loss. The perturbed loss of
// a record is grid times its loss, plus the terms of those of its binary digits that are 1. The function skips a
// block if its lower bound shows that no record in it is better than the best one so far. This bound is grid times
// the least loss in the block, plus the terms of the block's categories of the first t.head attributes.
func (t *tableHistory[H]) perturbed(grid int64) func(context.Context, []int64) ([]uint16, bool) {
	floors := make([]int64, len(t.losses)/t.block)
	for i := range floors {
		floors[i] = math.MaxInt64
		for _, loss := range t.losses[i*t.block : (i+1)*t.block] {
			floors[i] = min(floors[i], loss)
		}
	}
	return func(_ context.Context, terms []int64) ([]uint16, bool) {
		prices, _ := t.class.Prices(terms)
		heads, tails := sumsOf(prices[:t.head]), sumsOf(prices[t.head:])
		best, least := 0, int64(math.MaxInt64)
		for b, head := range heads {
			if grid*floors[b]+head >= least {
				continue
			}
			for i, loss := range t.losses[b*t.block : (b+1)*t.block] {
				if v := grid*loss + head + tails[i]; v < least {
					best, least = b*t.block+i, v
				}
			}
		}
		return t.domain.record(best), true
	}
}

// sumsOf returns, for each combination of one category from each attribute, the sum of the prices of these
// categories, in the lexicographic order of the combinations. The prices are given by attribute and category.
func sumsOf(prices [][]int64) []int64 {
	sums := []int64{0}
	for _, of := range prices {
		next := make([]int64, 0, len(sums)*len(of))
		for _, s := range sums {
			for _, p := range of {
				next = append(next, s+p)
			}
		}
		sums = next
	}
	return sums
}

// weighted returns a function that samples a record with a probability approximately proportional to e^{-rate·loss}.
// It computes these numbers in floating point, and rounds them down to multiples of 2^-40 times the largest one.
func (t *tableHistory[H]) weighted(rate *big.Rat) func(context.Context, noise.Coins) ([]uint16, error) {
	lambda, _ := rate.Float64()
	least := t.lowest()
	sums, sum := make([]uint64, len(t.losses)), uint64(0)
	for i, loss := range t.losses {
		sum += uint64(math.Exp(-lambda*float64(loss-least)) * (1 << 40))
		sums[i] = sum
	}
	return func(_ context.Context, coins noise.Coins) ([]uint16, error) {
		return t.domain.record(coins.Pick(sums)), nil
	}
}

// lowest returns the minimum loss over all records of the domain.
func (t *tableHistory[H]) lowest() int64 {
	least := t.losses[0]
	for _, loss := range t.losses {
		least = min(least, loss)
	}
	return least
}

func (t *tableHistory[H]) least(context.Context) (int64, bool, error) { return t.lowest(), true, nil }

// An oracleHistory stores the answers instead of the losses of records. The answers are the points of an optimization
// problem for the dual class, and an oracle for this class finds records of small loss.
type oracleHistory[H any] struct {
	class  *dual.Class[Query[H]]
	oracle oracle.Minimizer[Query[H], []uint16]
	points []class.Point[Query[H]]
}

func (a *oracleHistory[H]) see(q Query[H], play []Record) (lost int64) {
	a.points = append(a.points, class.Point[Query[H]]{X: q, Cost: [2]int64{1, 0}})
	return lostBy(a.class, q, play)
}

func (a *oracleHistory[H]) perturbed(grid int64) func(context.Context, []int64) ([]uint16, bool) {
	points := make([]class.Point[Query[H]], len(a.points))
	for i, pt := range a.points {
		points[i] = class.Point[Query[H]]{X: pt.X, Cost: [2]int64{grid, 0}}
	}
	return func(ctx context.Context, terms []int64) ([]uint16, bool) {
		s, err := a.oracle.Minimize(ctx, class.Problem[Query[H]]{Points: points, Terms: terms}, oracle.Budget{})
		return s.Hypothesis, err == nil && a.class.Contains(s.Hypothesis)
	}
}

// weighted returns a function that samples records exactly, by search.Sample on the tree of the dual class.
func (a *oracleHistory[H]) weighted(rate *big.Rat) func(context.Context, noise.Coins) ([]uint16, error) {
	t, err := a.class.Tree(class.Problem[Query[H]]{Points: a.points})
	return func(ctx context.Context, coins noise.Coins) ([]uint16, error) {
		if err != nil {
			return nil, err
		}
		return search.Sample(ctx, t, rate, coins)
	}
}

func (a *oracleHistory[H]) least(ctx context.Context) (int64, bool, error) {
	s, err := a.oracle.Minimize(ctx, class.Problem[Query[H]]{Points: a.points}, oracle.Budget{})
	if err != nil {
		return 0, false, ctx.Err()
	}
	return s.Cost, a.oracle.Kind() != oracle.Heuristic, nil
}
