package experiment

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
)

// This file implements DualQuery (Gaboardi, Gallego Arias, Hsu, Roth and Wu, Dual Query: practical private query
// release for high dimensional data, 2014). The queries are the cells of two-way marginals and their complements.
//
// Each round samples some queries by the exponential mechanism, and adds a synthetic row that satisfies many of them.
// The exponential mechanism favours queries that hold for a larger fraction of the table's rows than of the synthetic
// rows so far. The search for a row does not affect the guarantee.
//
// The implementation differs from the paper in three ways:
//
//   - It composes the rounds by bounded range.
//   - It measures the number of rows n.
//   - It finds the row by local search instead of an integer program.
const (
	dualRounds  = 200
	dualSamples = 10     // queries per round
	dualStarts  = 3      // starts of the search for a row
	dualQueries = 40_000 // maximum number of queries
)

// A cellQuery is a query that the rows in one cell of a two-way marginal satisfy, or all other rows if not is true.
type cellQuery struct {
	pair   [2]int
	values [2]uint16
	not    bool
}

// holds reports whether the row r satisfies the query.
func (q cellQuery) holds(r []uint16) bool {
	return (r[q.pair[0]] == q.values[0] && r[q.pair[1]] == q.values[1]) != q.not
}

// dualQuery generates synthetic rows by the method DualQuery (Gaboardi and others 2014).
func dualQuery(ctx context.Context, d *flat, b budget) ([][]uint16, error) {
	total := max(b.measure([]int64{d.rows()}, b.share(1, 20))[0], 1)
	n := int64(math.Round(total))
	var queries []cellQuery
	var counts []int64
	for _, p := range d.pairs() {
		cells := d.marginal(p[0], p[1])
		if 2*len(cells)+len(queries) > dualQueries {
			return nil, fmt.Errorf("the two-way marginals have too many cells: DualQuery supports at most %d queries", dualQueries)
		}
		for c, of := range cells {
			values := [2]uint16{uint16(c / d.sizes[p[1]]), uint16(c % d.sizes[p[1]])}
			queries = append(queries, cellQuery{p, values, false}, cellQuery{p, values, true})
			counts = append(counts, of, d.rows()-of)
		}
	}
	if len(queries) == 0 {
		return nil, fmt.Errorf("DualQuery requires at least two columns")
	}
	// After t synthetic rows, the cost of a query is n times the number of these rows that satisfy it, minus t times
	// its count in the table. Here n is the measured number of rows. So a sample at rate λ has a bounded range of
	// tλ·moves, which costs ρ = (tλ·moves)²/8.
	squares := int64(0)
	for t := int64(1); t < dualRounds; t++ {
		squares += t * t
	}
	b.pay(b.share(19, 20))
	rate := b.share(19*8, 20)
	rate = rootDown(rate.Quo(rate, big.NewRat(dualSamples*squares*b.moves()*b.moves(), 1)))
	costs := make([]int64, len(queries))
	made := make([][]uint16, 0, dualRounds)
	for range dualRounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var drawn []cellQuery
		for range dualSamples {
			drawn = append(drawn, queries[noise.Gibbs(b.coins, costs, rate)])
		}
		row := satisfying(drawn, d.sizes, b)
		made = append(made, row)
		for i, q := range queries {
			costs[i] -= counts[i]
			if q.holds(row) {
				costs[i] += n
			}
		}
	}
	rows := make([][]uint16, n)
	for i := range rows {
		rows[i] = made[i*len(made)/len(rows)]
	}
	return rows, nil
}

// satisfying searches for a row that satisfies as many of the queries as possible, by local search.
func satisfying(queries []cellQuery, sizes []int, b budget) (best []uint16) {
	most := -1
	satisfied := func(r []uint16) (n int) {
		for _, q := range queries {
			if q.holds(r) {
				n++
			}
		}
		return n
	}
	for range dualStarts {
		row := make([]uint16, len(sizes))
		for j, k := range sizes {
			row[j] = uint16(b.random.IntN(k))
		}
		now := satisfied(row)
		for better := true; better; {
			better = false
			for _, q := range queries {
				if q.not || q.holds(row) {
					continue
				}
				old := [2]uint16{row[q.pair[0]], row[q.pair[1]]}
				row[q.pair[0]], row[q.pair[1]] = q.values[0], q.values[1]
				if n := satisfied(row); n > now {
					now, better = n, true
				} else {
					row[q.pair[0]], row[q.pair[1]] = old[0], old[1]
				}
			}
		}
		if now > most {
			most, best = now, row
		}
	}
	return best
}
