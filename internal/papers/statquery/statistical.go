package statquery

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Statistical answers statistical queries about a table (Kearns 1998; Vadhan
// 2017, section 8.2): noisy counts, as long as their prices fit a budget. Each
// query may depend on the answers before.
//
// Guarantee: all answers together have the budget's: pure ε-DP, with discrete
// Laplace noise and prices in ε, or ρ-zCDP, with discrete Gaussian noise and
// prices in ρ (docs/explanation/proofs/statistical-queries.md). What is refused is refused
// before the table is touched, and depends on prices only.
type Statistical[X any] struct {
	budget privacy.Guarantee
	left   *big.Rat
	d      []learn.Example[X]
	coins  noise.Coins
}

// ErrBudget reports a query whose price exceeds what is left.
var ErrBudget = errors.New("statquery: the query costs more than is left of the budget")

// NewStatistical opens a table to queries. The budget must be a privacy.Pure or
// privacy.ZCDP. A table of more than learn.MostRows rows is learn.ErrRows.
func NewStatistical[X any](budget privacy.Guarantee, d []learn.Example[X], coins noise.Coins) (*Statistical[X], error) {
	left, err := learn.Total(budget)
	if err != nil {
		return nil, err
	}
	if err := learn.CheckRows(learn.Listed[X](d), learn.MostRows, learn.ErrRows); err != nil {
		return nil, err
	}
	return &Statistical[X]{budget, left, d, coins}, nil
}

// Guarantee returns the budget, which all answers together keep.
func (s *Statistical[X]) Guarantee() privacy.Guarantee { return s.budget }

// Left returns what is left of ε or ρ.
func (s *Statistical[X]) Left() *big.Rat { return new(big.Rat).Set(s.left) }

// A Statistic is a vector of counts of rows. It is public.
type Statistic[X any] struct {
	// Cells is the length of the vector, at most learn.MostCells.
	Cells int
	// Most is the greatest number of cells that a row counts in; null records count
	// in none. It sets the noise.
	Most int
	// In lists the cells, from 0, in which a row counts. It must be a function of its
	// arguments. Repeated cells, those out of range and those after the first Most are
	// passed over, so that the guarantee does not rest on it.
	In func(x X, label bool) []int
}

// Predicate returns the statistic that counts the rows for which holds is true.
func Predicate[X any](holds func(x X, label bool) bool) Statistic[X] {
	return Statistic[X]{Cells: 1, Most: 1, In: func(x X, label bool) []int {
		if holds(x, label) {
			return []int{0}
		}
		return nil
	}}
}

// Ask returns the counts of q with independent noise in each cell, for a price
// in ε or ρ. It fails with ErrBudget, with the context's error, or for a
// statistic or a price that is none, and then nothing is spent.
func (s *Statistical[X]) Ask(ctx context.Context, q Statistic[X], price *big.Rat) ([]*big.Int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.Cells > learn.MostCells || q.Most < 1 || q.Most > q.Cells {
		return nil, fmt.Errorf("statquery: a statistic of %d cells, a row in %d of them", q.Cells, q.Most)
	}
	if price.Sign() <= 0 {
		return nil, fmt.Errorf("statquery: a price of %v", price)
	}
	if price.Cmp(s.left) > 0 {
		return nil, ErrBudget
	}
	s.left.Sub(s.left, price)
	return learn.WithNoise(q.count(s.d), learn.AnswerNoise(s.budget, q.Most, price), s.coins), nil
}

// count returns the exact counts.
func (q Statistic[X]) count(d []learn.Example[X]) []int64 {
	counts := make([]int64, q.Cells)
	for _, e := range d {
		cells := q.In(e.X, e.Label)
		for i, cell := range cells[:min(len(cells), q.Most)] {
			if cell >= 0 && cell < q.Cells && !slices.Contains(cells[:i], cell) {
				counts[cell] += e.Count
			}
		}
	}
	return counts
}
