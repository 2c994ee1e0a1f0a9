package statquery

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Elimination learns a conjunction over categories from one statistical query (Valiant 1984; Kearns 1998). The query
// counts, for each category of each attribute, the rows with label 1 that have this category. The conjunction accepts
// a category if its noisy count exceeds a threshold, which is the bound on the noise that learn.AnswerWidth returns.
//
// Guarantee: that of the budget, ε-DP or ρ-zCDP.
type Elimination struct {
	first     []int // for each attribute, the cell (count) of its first category; the last entry is the number of cells
	budget    privacy.Guarantee
	threshold float64
}

// NewElimination returns a learner whose release consumes the whole budget. The parameter sizes holds the number of
// categories of each attribute. The budget must be a privacy.Pure or a privacy.ZCDP.
func NewElimination(sizes []int, budget privacy.Guarantee) (*Elimination, error) {
	if len(sizes) == 0 {
		return nil, fmt.Errorf("statquery: at least one attribute is required")
	}
	first := []int{0}
	for j, n := range sizes {
		if n < 1 || n > learn.MostCells-first[j] {
			return nil, fmt.Errorf("statquery: attribute %d has %d categories; each attribute must have at least 1, and all attributes together at most %d", j+1, n, learn.MostCells)
		}
		first = append(first, first[j]+n)
	}
	all, err := learn.Total(budget)
	if err != nil {
		return nil, err
	}
	return &Elimination{first, budget, learn.AnswerWidth(learn.AnswerNoise(budget, len(sizes), all), first[len(sizes)])}, nil
}

// Guarantee returns the budget, which is the guarantee of a release.
func (m *Elimination) Guarantee() privacy.Guarantee { return m.budget }

// Threshold returns the threshold, a public parameter: a category is accepted if its noisy count exceeds it.
func (m *Elimination) Threshold() float64 { return m.threshold }

// Accepted is a conjunction of conditions, one for each attribute: it says, by attribute and category, whether the
// category is accepted. It predicts 1 for a record if and only if all categories of the record are accepted.
type Accepted [][]bool

// Predict reports whether all categories of the record x are accepted.
func (a Accepted) Predict(x []uint16) bool {
	for j, c := range x {
		if !a[j][c] {
			return false
		}
	}
	return true
}

// Release answers the query with noise and returns the accepted categories. Each record must have one category code
// for each attribute. If the table has too many rows, Release returns learn.ErrRows before it samples anything. The
// only other possible error is that of the context.
func (m *Elimination) Release(ctx context.Context, d []learn.Example[[]uint16], coins noise.Coins) (Accepted, error) {
	s, err := NewStatistical(m.budget, d, coins)
	if err != nil {
		return nil, err
	}
	answers, err := s.Ask(ctx, m.positives(), s.Left())
	if err != nil {
		return nil, err
	}
	threshold, _ := big.NewFloat(m.threshold).Int(nil)
	accepted := make(Accepted, len(m.first)-1)
	for j := range accepted {
		for _, count := range answers[m.first[j]:m.first[j+1]] {
			accepted[j] = append(accepted[j], count.Cmp(threshold) > 0)
		}
	}
	return accepted, nil
}

// positives returns the query that counts, for each category of each attribute, the rows with label 1 that have this
// category.
func (m *Elimination) positives() Statistic[[]uint16] {
	attributes := len(m.first) - 1
	return Statistic[[]uint16]{Cells: m.first[attributes], Most: attributes, In: func(x []uint16, label bool) []int {
		if !label {
			return nil
		}
		cells := make([]int, len(x))
		for j, c := range x {
			cells[j] = m.first[j] + int(c)
		}
		return cells
	}}
}

// Excess bounds the number of misclassified rows of a table with the given number of rows. The bound
// holds if some conjunction of the form Accepted misclassifies none of the rows. Then, with probability
// learn.Confidence, the released conjunction misclassifies only rows with label 1, and the number of
// these is at most twice the threshold times the number of categories of all attributes
// (docs/explanation/proofs/statistical-queries.md, section 3).
func (m *Elimination) Excess(rows int64) learn.Excess {
	most := min(float64(rows), 2*m.threshold*float64(m.first[len(m.first)-1]))
	return learn.Excess{Mean: math.Min(float64(rows), most+(1-learn.Confidence)*float64(rows)), Most: most}
}
