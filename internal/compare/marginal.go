package compare

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// A Marginal describes the distance between the marginals of both tables on a set of columns.
type Marginal struct {
	Columns []int
	L1      float64     // Σ |p_A - p_B| over the cells, between 0 and 2
	Cell    float64     // the greatest |p_A - p_B| of all cells
	Worst   Conjunction // the first cell with this difference; arbitrary if there are no rows
}

// OrderErrors describes the distances between the tables for all marginals with a certain number of columns, called
// their order.
type OrderErrors struct {
	Order     int
	Marginals []Marginal // all of them, or a sample, in lexicographic order
	Of        int64      // the number of all marginals of this order
	MeanL1    float64
	Worst     Marginal // the first marginal with the greatest Cell
}

// A Sample limits the number of marginals to compare. If there are more than Most, a generator with the given seed
// samples Most of them without replacement. The sample does not depend on the rows.
type Sample struct {
	Most int // the maximum size of the sample; 0 means no limit
	Seed uint64
}

// Errors compares the two tables on the marginals of all sets of columns of a certain size, the order, or of a sample
// of these sets. The order must be from 1 to the number of columns. The result depends only on the pair of tables and
// the arguments. Errors takes two operations for each distinct record and marginal, and uses all processors. The only
// possible error is that of the context.
func (p *Pair) Errors(ctx context.Context, order int, s Sample) (OrderErrors, error) {
	all, of := sets(len(p.columns), order, s)
	e := OrderErrors{Order: order, Of: of, Marginals: make([]Marginal, len(all))}
	weights := make([]int64, p.Len())
	for i := range weights {
		weights[i] = p.weigh(i)
	}
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), len(all), func() func(int) {
		c := cells{pair: p, weights: weights}
		return func(i int) { e.Marginals[i] = c.compare(all[i]) }
	})
	for i, m := range e.Marginals {
		e.MeanL1 += m.L1 / float64(len(all))
		if i == 0 || m.Cell > e.Worst.Cell {
			e.Worst = m
		}
	}
	return e, err
}

// sets returns all sets of a certain size (order) of d columns, or a sample of these sets. It also returns the number
// of all sets of this size.
func sets(d, order int, s Sample) (sets [][]int, of int64) {
	if order < 1 || order > d {
		return nil, 0
	}
	of = binomial(d, order)
	if s.Most == 0 || of <= int64(s.Most) {
		set := make([]int, 0, order)
		var below func(from int)
		below = func(from int) {
			if len(set) == order {
				sets = append(sets, slices.Clone(set))
				return
			}
			for j := from; j <= d-(order-len(set)); j++ {
				set = append(set, j)
				below(j + 1)
				set = set[:len(set)-1]
			}
		}
		below(0)
		return sets, of
	}
	random := rand.New(rand.NewPCG(s.Seed, uint64(order)))
	for len(sets) < s.Most {
		set := random.Perm(d)[:order]
		slices.Sort(set)
		if at, found := slices.BinarySearchFunc(sets, set, slices.Compare); !found {
			sets = slices.Insert(sets, at, set)
		}
	}
	return sets, of
}

// binomial returns the number of k-element subsets of a set of n elements, or MaxInt64 if the number is greater.
func binomial(n, k int) int64 {
	b := int64(1)
	for i := range min(k, n-k) {
		if b > math.MaxInt64/int64(n) {
			return math.MaxInt64
		}
		b = b * int64(n-i) / int64(i+1)
	}
	return b
}

// mostCells is the maximum number of cells of a marginal whose counts are stored in an array.
const mostCells = 1 << 22

// cells computes the sums of the records' weights (see Pair.weigh) in the cells of marginals.
type cells struct {
	pair    *Pair
	weights []int64
	table   []int64 // all 0 between uses
	at      []int   // by record, its cell
}

// compare computes the distance between the marginals of both tables on the given columns.
func (c *cells) compare(columns []int) Marginal {
	size := 1
	for _, j := range columns {
		if size > mostCells/c.pair.sizes[j] {
			return c.sorted(columns)
		}
		size *= c.pair.sizes[j]
	}
	if len(c.table) < size {
		c.table = make([]int64, size)
	}
	if c.at == nil {
		c.at = make([]int, len(c.weights))
	}
	clear(c.at)
	for _, j := range columns {
		n := c.pair.sizes[j]
		for i, code := range c.pair.codes[j] {
			c.at[i] = c.at[i]*n + int(code)
		}
	}
	for i, at := range c.at {
		c.table[at] += c.weights[i]
	}
	var t tally
	for i, at := range c.at {
		t.add(c.table[at], i)
		c.table[at] = 0
	}
	return t.marginal(c.pair, columns)
}

// sorted gives the same result as compare, for marginals with more than mostCells cells. It sorts the records instead
// of storing the cells in an array.
func (c *cells) sorted(columns []int) Marginal {
	var t tally
	cell, order := int64(0), c.pair.sorted(columns)
	for i, r := range order {
		if i > 0 && slices.ContainsFunc(columns, func(j int) bool { return c.pair.codes[j][r] != c.pair.codes[j][order[i-1]] }) {
			t.add(cell, int(order[i-1]))
			cell = 0
		}
		cell += c.weights[r]
	}
	if len(order) > 0 {
		t.add(cell, int(order[len(order)-1]))
	}
	return t.marginal(c.pair, columns)
}

// A tally adds up the absolute weights of cells, and finds the cell with the greatest one. The sum is at most 2N,
// where N is the common denominator of the shares of both tables.
type tally struct {
	sum, most int64
	at        int // a record of the cell with the greatest absolute weight
}

func (t *tally) add(weight int64, record int) {
	t.sum += abs(weight)
	if abs(weight) > t.most {
		t.most, t.at = abs(weight), record
	}
}

func (t *tally) marginal(p *Pair, columns []int) Marginal {
	m := Marginal{Columns: columns, L1: p.share(t.sum), Cell: p.share(t.most)}
	for _, j := range columns {
		l := Literal{Column: j}
		if p.Len() > 0 {
			l.Value = p.codes[j][t.at]
		}
		m.Worst = append(m.Worst, l)
	}
	return m
}
