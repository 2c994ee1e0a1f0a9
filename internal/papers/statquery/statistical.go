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

// Statistical answers statistical queries about a table with noisy counts (Kearns 1998; Vadhan 2017,
// section 8.2). Each query has a price, and the sum of the prices never exceeds a privacy budget. A
// query may be chosen adaptively, depending on the previous answers.
//
// Guarantee: that of the budget, for all answers together
// (docs/explanation/proofs/statistical-queries.md). There are two forms:
//
//   - a privacy.Pure budget: ε-DP, with discrete Laplace noise and prices in ε
//   - a privacy.ZCDP budget: ρ-zCDP, with discrete Gaussian noise and prices in ρ
//
// An invalid or too expensive query is refused before the table is read, so refusals do not depend on
// the table.
type Statistical[X any] struct {
	budget privacy.Guarantee
	left   *big.Rat
	d      []learn.Example[X]
	coins  noise.Coins
}

// ErrBudget is returned for a query whose price exceeds the remaining budget.
var ErrBudget = errors.New("statquery: the query costs more than the remaining budget; use a smaller price")

// NewStatistical returns a session of queries about the table d. The budget must be a privacy.Pure
// or privacy.ZCDP. It must not be a privacy.GDP, which limits the number of noisy counts. NewStatistical returns
// learn.ErrRows if the table has more than learn.MostRows rows.
func NewStatistical[X any](budget privacy.Guarantee, d []learn.Example[X], coins noise.Coins) (*Statistical[X], error) {
	left, err := learn.Total(budget)
	if err != nil {
		return nil, err
	}
	if _, limited := budget.(privacy.GDP); limited {
		return nil, errors.New("statquery: the budget of a session must be an ε or a ρ, because a session has no limit on the number of counts")
	}
	if err := learn.CheckRows(learn.Listed[X](d), learn.MostRows, learn.ErrRows); err != nil {
		return nil, err
	}
	return &Statistical[X]{budget, left, d, coins}, nil
}

// Guarantee returns the budget, which is the guarantee of all answers together.
func (s *Statistical[X]) Guarantee() privacy.Guarantee { return s.budget }

// Left returns the remaining budget, in ε or ρ.
func (s *Statistical[X]) Left() *big.Rat { return new(big.Rat).Set(s.left) }

// A Statistic is a public query whose answer is a vector of counts of rows.
type Statistic[X any] struct {
	// Cells is the length of the vector, at most learn.MostCells.
	Cells int
	// Most is the maximum number of cells in which a row is counted. The scale of Laplace noise is
	// proportional to Most, and that of Gaussian noise to √Most. Null records are counted in no cell.
	Most int
	// In returns the cells in which a row is counted, as indices into the vector. The result must
	// depend on the arguments only. Ask ignores repeated cells, cells outside 0..Cells-1, and cells
	// after the first Most, so the guarantee holds whichever cells In returns.
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

// Ask returns the counts of q, with independent noise in each cell. It deducts the price, in ε or ρ, from the budget.
// It returns ErrBudget if the price exceeds the remaining budget, another error if q or the price is invalid, or the
// context's error. A call that returns an error consumes no budget.
func (s *Statistical[X]) Ask(ctx context.Context, q Statistic[X], price *big.Rat) ([]*big.Int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.Cells > learn.MostCells {
		return nil, fmt.Errorf("statquery: the number of cells of the query, Cells, is %d, but must be at most %d", q.Cells, learn.MostCells)
	}
	if q.Most < 1 || q.Most > q.Cells {
		return nil, fmt.Errorf("statquery: the maximum number of cells in which a row is counted, Most, is %d, but must be 1 to the number of cells, %d", q.Most, q.Cells)
	}
	if price.Sign() <= 0 {
		return nil, fmt.Errorf("statquery: the price %v must be positive", price)
	}
	if price.Cmp(s.left) > 0 {
		return nil, ErrBudget
	}
	s.left.Sub(s.left, price)
	return learn.WithNoise(q.count(s.d), learn.AnswerNoise(s.budget, q.Most, price), s.coins), nil
}

// count returns the exact counts of the query on the table d. It ignores invalid cells of a row as Statistic.In
// describes.
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
