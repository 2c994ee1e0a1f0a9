package experiment

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/simplex"
	"github.com/sibyl-dp/sibyl/noise"
)

// This file implements MWEM (Hardt, Ligett and McSherry, A simple and practical algorithm for differentially private
// data release, 2012) with two-way marginals as queries. Each round has three steps:
//
//  1. Select a marginal with a large error by the exponential mechanism.
//  2. Measure it with noise.
//  3. Update the weights of records by multiplicative weights, with all measurements so far.
//
// The implementation differs from the paper in three ways:
//
//   - It composes by zCDP, with Gaussian noise.
//   - It measures the number of rows n.
//   - It starts from the product of the noisy one-way marginals. If the domain has more than mwemCells records, only
//     mwemCells records have weights. They are sampled from this product.
const (
	mwemCells  = 1 << 16
	mwemPasses = 10 // passes over all measurements after each round
)

// mwem generates synthetic rows by the method MWEM (Hardt, Ligett and McSherry 2012).
func mwem(ctx context.Context, d *flat, b budget) ([][]uint16, error) {
	shares, total := b.columns(d, b.share(1, 5))
	support, weights := mwemSupport(d, shares, b)
	pairs := d.pairs()
	rounds := min(2*len(d.sizes), len(pairs))
	// Each round consumes this ρ twice: on the selection and on the measurement.
	each := b.share(4, 10*int64(rounds))
	rate := b.rate(each, 1)
	type measured struct {
		cells []int32 // the cell of each record that has a weight
		noisy []float64
	}
	var all []measured
	costs := make([]int64, len(pairs))
	exact := make([][]int64, len(pairs))
	for range rounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i, p := range pairs {
			if exact[i] == nil {
				exact[i] = d.marginal(p[0], p[1])
			}
			costs[i] = -distance(exact[i], sums(weights, cellsOf(support, d.sizes, p), len(exact[i])), total)
		}
		b.pay(each)
		at := noise.Gibbs(b.coins, costs, rate)
		all = append(all, measured{cellsOf(support, d.sizes, pairs[at]), simplex.Project(b.measure(exact[at], each), total)})
		for range mwemPasses {
			for _, m := range all {
				now := sums(weights, m.cells, len(m.noisy))
				for c := range now {
					now[c] = math.Exp((m.noisy[c]/total - now[c]) / 2)
				}
				sum := 0.0
				for i, c := range m.cells {
					weights[i] *= now[c]
					sum += weights[i]
				}
				for i := range weights {
					weights[i] /= sum
				}
			}
		}
	}
	p := newPicker(weights)
	rows := make([][]uint16, int(math.Round(total)))
	for i := range rows {
		rows[i] = support[p.draw(b.random)]
	}
	return rows, nil
}

// mwemSupport returns the records to which MWEM assigns weights, and their initial weights. The slices shares hold
// the noisy one-way marginals.
func mwemSupport(d *flat, shares [][]float64, b budget) (support [][]uint16, weights []float64) {
	cells := 1
	for _, n := range d.sizes {
		if cells *= n; cells > mwemCells {
			support = product(shares, mwemCells, b.random)
			for range support {
				weights = append(weights, 1/float64(mwemCells))
			}
			return support, weights
		}
	}
	for i := range cells {
		record, w := make([]uint16, len(d.sizes)), 1.0
		for j, rest := len(record)-1, i; j >= 0; j-- {
			record[j] = uint16(rest % d.sizes[j])
			w *= shares[j][record[j]]
			rest /= d.sizes[j]
		}
		support, weights = append(support, record), append(weights, w)
	}
	return support, weights
}

// cellsOf returns, for each record, the index of its cell in the two-way marginal of a pair of columns.
func cellsOf(records [][]uint16, sizes []int, pair [2]int) []int32 {
	cells := make([]int32, len(records))
	for i, r := range records {
		cells[i] = int32(int(r[pair[0]])*sizes[pair[1]] + int(r[pair[1]]))
	}
	return cells
}

// sums returns the total weight of the records in each cell of a marginal. The slice cells has the index of each
// record's cell, and size is the number of cells.
func sums(weights []float64, cells []int32, size int) []float64 {
	out := make([]float64, size)
	for i, c := range cells {
		out[c] += weights[i]
	}
	return out
}

// distance returns the distance of a marginal from its expectation: the sum of |count - expectation| over all cells.
// The expectation of a cell is the total times the cell's probability (shares), rounded to an integer. It is public,
// since both factors are. So the sensitivity of the distance is the number of cells whose count one row changes.
func distance(counts []int64, shares []float64, total float64) (sum int64) {
	for c, n := range counts {
		e := n - int64(math.Round(shares[c]*total))
		sum += max(e, -e)
	}
	return sum
}

// rootDown returns the square root of x, rounded down to a multiple of 2^-40.
func rootDown(x *big.Rat) *big.Rat {
	const grid = 1 << 40
	n := new(big.Int).Mul(x.Num(), new(big.Int).Lsh(big.NewInt(1), 80))
	n.Quo(n, x.Denom()).Sqrt(n)
	return new(big.Rat).SetFrac(n, big.NewInt(grid))
}
