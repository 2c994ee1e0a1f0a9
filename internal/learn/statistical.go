package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Statistical answers statistical queries about a table (Kearns 1998; Vadhan
// 2017, section 8.2): noisy counts, as long as their prices fit a budget. Each
// query may depend on the answers before.
//
// Guarantee: all answers together have the budget's: pure ε-DP, with discrete
// Laplace noise and prices in ε, or ρ-zCDP, with discrete Gaussian noise and
// prices in ρ (docs/proofs/statistical-queries.md). What is refused is refused
// before the table is touched, and depends on prices only.
type Statistical[X any] struct {
	budget privacy.Guarantee
	left   *big.Rat
	d      []Example[X]
	coins  noise.Coins
}

// ErrBudget reports a query whose price exceeds what is left.
var ErrBudget = errors.New("learn: the query costs more than is left of the budget")

// NewStatistical opens a table to queries. The budget must be a privacy.Pure or
// privacy.ZCDP. A table of more than MostRows rows is ErrRows.
func NewStatistical[X any](budget privacy.Guarantee, d []Example[X], coins noise.Coins) (*Statistical[X], error) {
	left, err := total(budget)
	if err != nil {
		return nil, err
	}
	if err := countable(Listed[X](d)); err != nil {
		return nil, err
	}
	return &Statistical[X]{budget, left, d, coins}, nil
}

// total returns ε or ρ.
func total(budget privacy.Guarantee) (*big.Rat, error) {
	switch g := budget.(type) {
	case privacy.Pure:
		return g.Epsilon().Rat(), nil
	case privacy.ZCDP:
		return g.Rho(), nil
	}
	return nil, fmt.Errorf("learn: a budget of type %T: want pure ε or ρ", budget)
}

// Guarantee returns the budget, which all answers together keep.
func (s *Statistical[X]) Guarantee() privacy.Guarantee { return s.budget }

// Left returns what is left of ε or ρ.
func (s *Statistical[X]) Left() *big.Rat { return new(big.Rat).Set(s.left) }

// A Statistic is a vector of counts of rows. It is public.
type Statistic[X any] struct {
	// Cells is the length of the vector, at most MostCells.
	Cells int
	// Most is the greatest number of cells that a row counts in; null records count
	// in none. It sets the noise.
	Most int
	// In lists the cells, from 0, in which a row counts. It must be a function of its
	// arguments. Repeated cells, those out of range and those after the first Most are
	// passed over, so that the guarantee does not rest on it.
	In func(x X, label bool) []int
}

// MostCells is the greatest length of a Statistic.
const MostCells = 1 << 24

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
	if q.Cells > MostCells || q.Most < 1 || q.Most > q.Cells {
		return nil, fmt.Errorf("learn: a statistic of %d cells, a row in %d of them", q.Cells, q.Most)
	}
	if price.Sign() <= 0 {
		return nil, fmt.Errorf("learn: a price of %v", price)
	}
	if price.Cmp(s.left) > 0 {
		return nil, ErrBudget
	}
	s.left.Sub(s.left, price)
	return withNoise(q.count(s.d), answerNoise(s.budget, q.Most, price), s.coins), nil
}

// withNoise adds to each count noise of its own.
func withNoise(counts []int64, law noise.Sampler, coins noise.Coins) []*big.Int {
	noisy := make([]*big.Int, len(counts))
	for i, n := range counts {
		k := coins.Draw(law)
		noisy[i] = k.Add(k, big.NewInt(n))
	}
	return noisy
}

// answerNoise returns the noise of a cell. A row moves most cells by one if it is
// added, and twice as many if it is replaced: both the ℓ1 norm and the square of
// the ℓ2 norm of the change are at most that number, c. Laplace noise has the
// scale c/ε, Gaussian noise the parameter σ² = c/(2ρ).
func answerNoise(budget privacy.Guarantee, most int, price *big.Rat) noise.Sampler {
	c := new(big.Rat).SetInt64(int64(most))
	if budget.Relation().Replaces() {
		c.Add(c, c)
	}
	// In units a person weighs Units, which the ℓ1 norm is multiplied by, and the square of
	// the ℓ2 norm twice.
	units := new(big.Rat).SetInt64(Units(budget.Relation()))
	c.Mul(c, units)
	c.Quo(c, price)
	if _, ok := budget.(privacy.ZCDP); ok {
		return noise.Gaussian{Sigma2: c.Mul(c, units.Mul(units, big.NewRat(1, 2)))}
	}
	return noise.Laplace{Scale: c}
}

// count returns the exact counts.
func (q Statistic[X]) count(d []Example[X]) []int64 {
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

// AnswerWidth returns a w such that, with a probability of at least Confidence, the noise of
// every cell lies in -w..w, for a query that takes the whole budget. It has no
// part in any release.
func AnswerWidth(budget privacy.Guarantee, cells, most int) (w float64, err error) {
	price, err := total(budget)
	if err != nil {
		return 0, err
	}
	// A tail has at most the probability 2·e^{-w/scale} or 2·e^{-w²/(2σ²)}.
	log := math.Log(2 * float64(cells) / (1 - Confidence))
	switch law := answerNoise(budget, most, price).(type) {
	case noise.Gaussian:
		sigma2, _ := law.Sigma2.Float64()
		w = math.Sqrt(2 * sigma2 * log)
	case noise.Laplace:
		scale, _ := law.Scale.Float64()
		w = scale * log
	}
	return math.Ceil(w), nil
}
