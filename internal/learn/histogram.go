package learn

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Histogram releases the number of rows in each cell with independent noise. The cells are public and disjoint: a
// row is in at most one of them. Results that are computed from the noisy counts, such as sums, shares and
// intervals, need no further budget.
//
// Guarantee: pure ε-DP, by discrete Laplace noise (docs/explanation/proofs/count.md).
//
//   - Under replace-one, the scale is 2/ε, because replacing a row changes at most two cells by one each.
//   - Under add-remove, the scale is 1/ε, because adding or removing a row changes at most one cell. A sum of
//     counts without noise, such as the number of rows, must not be published as well, because it differs between
//     neighbours.
//   - If neighbouring tables differ in a person, rows have weights, and the weights of one person sum to Units. So
//     the scale is larger by the factor Units (docs/explanation/proofs/persons.md).
type Histogram struct {
	guarantee privacy.Pure
	cells     int
}

// NewHistogram returns the mechanism that releases noisy counts of the given number of cells, 1 to MostCells.
func NewHistogram(cells int, epsilon privacy.Decimal, r privacy.Relation) (*Histogram, error) {
	if cells < 1 || cells > MostCells {
		return nil, fmt.Errorf("learn: a histogram has %d cells; it must have 1 to %d", cells, MostCells)
	}
	g, err := privacy.NewPure(r, epsilon)
	if err != nil {
		return nil, err
	}
	return &Histogram{g, cells}, nil
}

// Guarantee returns the privacy guarantee, which holds for every release.
func (m *Histogram) Guarantee() privacy.Guarantee { return m.guarantee }

// Release returns the noisy counts, which may be negative. The parameter d holds one exact count
// for each cell. Before it uses any randomness, Release fails with the context's error, or if the
// length of d is not the number of cells.
func (m *Histogram) Release(ctx context.Context, d []int64, coins noise.Coins) ([]*big.Int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(d) != m.cells {
		return nil, fmt.Errorf("learn: there are %d counts for %d cells, but each cell must have one count", len(d), m.cells)
	}
	return WithNoise(d, m.law(), coins), nil
}

// law returns the distribution of the noise that is added to the count of each cell.
func (m *Histogram) law() noise.Laplace {
	return AnswerNoise(m.guarantee, 1, m.guarantee.Epsilon().Rat()).(noise.Laplace)
}

// HalfWidth returns a bound w on the noise of a sum of noisy counts: with probability at least 1 -
// miss, the noise of the sum of the given number of cells is in -w..w. The parameter miss is
// between 0 and 1. The result depends only on public numbers, and does not affect any release.
// HalfWidth takes O(cells²) operations for each digit of w.
func (m *Histogram) HalfWidth(cells int, miss *big.Rat) *big.Int {
	tail := newSumTail(m.law(), cells)
	limit := new(big.Float).SetPrec(tail.precision).SetMode(big.ToNegativeInf).SetRat(miss)
	within := func(w *big.Int) bool { return tail.beyond(w).Cmp(limit) <= 0 }
	high := new(big.Int)
	for !within(high) {
		high.Lsh(high, 1).Add(high, big.NewInt(1))
	}
	low := new(big.Int).Rsh(high, 1)
	for low.Cmp(high) < 0 {
		middle := new(big.Int).Add(low, high)
		middle.Rsh(middle, 1)
		if within(middle) {
			high = middle
		} else {
			low = middle.Add(middle, big.NewInt(1))
		}
	}
	return high
}
