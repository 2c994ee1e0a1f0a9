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

// losses are what the data player knows: how much each record has lost, 1 for each answer
// that is 0 on it. They are public: what is said of them costs no privacy.
type losses interface {
	// perturbed prepares draws of the record that minimises grid·loss and terms on the
	// digits of the record. ok is false where the oracle has none.
	perturbed(grid int64) func(ctx context.Context, terms []int64) (x []uint16, ok bool)
	// weighted prepares draws of a record with probability proportional to e^{-rate·loss}.
	weighted(rate *big.Rat) func(ctx context.Context, coins noise.Coins) ([]uint16, error)
	// least returns the least loss of a record; proven is false for one that may be more.
	least(ctx context.Context) (loss int64, proven bool, err error)
}

// A past grows by the answers.
type past[H any] interface {
	losses
	// see adds the losses by an answer, and tells how many of the draws lose.
	see(q Query[H], play []Record) (lost int64)
}

// MostTabled is the number of records of the largest domain of which all losses are kept in
// a table, where no oracle is given.
const MostTabled = 1 << 20

// A DualOracle makes a minimiser over the dual class, whose hypotheses are the records. It may
// be a heuristic.
type DualOracle[H any] func(class.Class[Query[H], []uint16]) oracle.Minimizer[Query[H], []uint16]

// newPast returns the past without answers. Without an oracle the domain must fit a table.
func newPast[H any](queries class.Class[[]uint16, Query[H]], sizes []int, o DualOracle[H]) (past[H], error) {
	d, err := dual.New(queries, sizes)
	if err != nil {
		return nil, err
	}
	if o != nil {
		return &asked[H]{class: d, oracle: o(d)}, nil
	}
	if size := d.Size(); size.Cmp(big.NewInt(MostTabled)) > 0 {
		return nil, fmt.Errorf("game: the domain has %v records, too many for a table of %d; give an oracle for the dual class", size, MostTabled)
	}
	return newTabled(d, sizes), nil
}

// tabled holds the loss of every record. Blocks of records agree on the first attributes.
type tabled[H any] struct {
	domain domain
	class  *dual.Class[Query[H]]
	losses []int64
	head   int // attributes that a block decides
	block  int // records of a block
}

// mostBlock is about how many records a block has.
const mostBlock = 1 << 10

func newTabled[H any](d *dual.Class[Query[H]], sizes domain) *tabled[H] {
	t := &tabled[H]{domain: sizes, class: d, losses: make([]int64, d.Size().Int64()), head: len(sizes), block: 1}
	for t.head > 0 && t.block*sizes[t.head-1] <= mostBlock {
		t.head--
		t.block *= sizes[t.head]
	}
	return t
}

func (t *tabled[H]) see(q Query[H], play []Record) (lost int64) {
	i := 0
	for x := range t.class.All() {
		if !t.class.Predict(x, q) {
			t.losses[i]++
		}
		i++
	}
	return lostBy(t.class, q, play)
}

// lostBy counts the draws on which q is 0.
func lostBy[H any](d *dual.Class[Query[H]], q Query[H], play []Record) (lost int64) {
	for _, r := range play {
		if !d.Predict(r.X, q) {
			lost += r.Count
		}
	}
	return lost
}

// perturbed tries all records, but for blocks whose least loss is too much by itself.
func (t *tabled[H]) perturbed(grid int64) func(context.Context, []int64) ([]uint16, bool) {
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

// sumsOf returns the sum of prices of every combination of categories, the last attribute
// fastest.
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

// weighted weighs records in floating point, to one part in 2^40 of the heaviest.
func (t *tabled[H]) weighted(rate *big.Rat) func(context.Context, noise.Coins) ([]uint16, error) {
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

func (t *tabled[H]) lowest() int64 {
	least := t.losses[0]
	for _, loss := range t.losses {
		least = min(least, loss)
	}
	return least
}

func (t *tabled[H]) least(context.Context) (int64, bool, error) { return t.lowest(), true, nil }

// asked holds the answers, as points of the dual class, for an oracle.
type asked[H any] struct {
	class  *dual.Class[Query[H]]
	oracle oracle.Minimizer[Query[H], []uint16]
	points []class.Point[Query[H]]
}

func (a *asked[H]) see(q Query[H], play []Record) (lost int64) {
	a.points = append(a.points, class.Point[Query[H]]{X: q, Cost: [2]int64{1, 0}})
	return lostBy(a.class, q, play)
}

func (a *asked[H]) perturbed(grid int64) func(context.Context, []int64) ([]uint16, bool) {
	points := make([]class.Point[Query[H]], len(a.points))
	for i, pt := range a.points {
		points[i] = class.Point[Query[H]]{X: pt.X, Cost: [2]int64{grid, 0}}
	}
	return func(ctx context.Context, terms []int64) ([]uint16, bool) {
		s, err := a.oracle.Minimize(ctx, class.Problem[Query[H]]{Points: points, Terms: terms}, oracle.Budget{})
		return s.Hypothesis, err == nil && a.class.Contains(s.Hypothesis)
	}
}

// weighted draws through the tree of the dual class, exactly.
func (a *asked[H]) weighted(rate *big.Rat) func(context.Context, noise.Coins) ([]uint16, error) {
	t, err := a.class.Tree(class.Problem[Query[H]]{Points: a.points})
	return func(ctx context.Context, coins noise.Coins) ([]uint16, error) {
		if err != nil {
			return nil, err
		}
		return search.Sample(ctx, t, rate, coins)
	}
}

func (a *asked[H]) least(ctx context.Context) (int64, bool, error) {
	s, err := a.oracle.Minimize(ctx, class.Problem[Query[H]]{Points: a.points}, oracle.Budget{})
	if err != nil {
		return 0, false, ctx.Err()
	}
	return s.Cost, a.oracle.Kind() != oracle.Heuristic, nil
}
